import type { RunEvent } from '../../model/run-log.ts'
import { type Analysis, analyse, analyseTogether } from '../../replay/analyse.ts'
import type { Finding } from '../../replay/finding.ts'

/** An event without what the builder fills in: run, seq and at. */
export type Entry = Record<string, unknown> & { kind: string }

const START = Date.parse('2030-05-06T08:00:00Z')

/** Entries as the log of one run, two seconds apart; `run`, `seq` and `at` of an entry win. */
export function log(entries: readonly Entry[], run = 'run-1'): RunEvent[] {
  return entries.map((entry, index) => ({
    run,
    seq: index + 1,
    at: new Date(START + index * 2000).toISOString(),
    ...entry,
  }))
}

/** What the checks say of one run. */
export function judge(...entries: Entry[]): Analysis {
  return analyse(log(entries))
}

/** What the checks say of several runs given together. */
export function judgeTogether(...runs: readonly (readonly Entry[])[]): Analysis[] {
  return analyseTogether(runs.flatMap((entries, index) => log(entries, `run-${index + 1}`)))
}

/** The findings of one check. */
export function findingsOf(analysis: Analysis, check: string): Finding[] {
  return analysis.findings.filter((finding) => finding.check === check)
}

/** Ids of the checks that were raised, each once. */
export function raised(analysis: Analysis): string[] {
  return [...new Set(analysis.findings.map((finding) => finding.check))]
}

export function start(fields: object = {}): Entry {
  return { kind: 'run.start', principal: { kind: 'human', id: 'u-9' }, ...fields }
}

export function end(fields: object = {}): Entry {
  return { kind: 'run.end', ...fields }
}

/** An operation entry: `operation('orders', 'op-1', 'reserve_stock', { sku: 'A-7' }, 'sent', { key: 'k1' })`. */
export function operation(
  agent: string,
  op: string,
  tool: string,
  args: unknown,
  state: string,
  fields: object = {},
): Entry {
  return { kind: 'operation', agent, op, tool, args, effect: 'write', state, ...fields }
}

/** The same for an operation without effect. */
export function read(
  agent: string,
  op: string,
  tool: string,
  args: unknown,
  state = 'settled',
  fields: object = {},
): Entry {
  return operation(agent, op, tool, args, state, { effect: 'read', ...fields })
}

/** Something said: `message('user', 'one more please')`, `message('assistant', 'done', { agent: 'orders' })`. */
export function message(role: string, content: unknown, fields: object = {}): Entry {
  return { kind: 'message', role, content, ...fields }
}

/** The sender's side: `sent('h1', 'orders', 'billing', { mode: 'delegate', items_before, record })`; mode is transfer. */
export function sent(handoff: string, from: string, to: string, fields: object = {}): Entry {
  return { kind: 'handoff.sent', handoff, mode: 'transfer', from, to, items_before: [], ...fields }
}

/** The receiver's side: `received('h1', 'billing', { items, record })`. */
export function received(handoff: string, by: string, fields: object = {}): Entry {
  return { kind: 'handoff.received', handoff, by, items: [], ...fields }
}

/** Both sides of a handoff over which every item and the record cross unchanged, and `fields` on the sender's side. */
export function crossed(
  handoff: string,
  from: string,
  to: string,
  items: readonly unknown[] = [],
  fields: { record?: object } & Record<string, unknown> = {},
): Entry[] {
  const record = fields.record === undefined ? {} : { record: fields.record }
  return [
    sent(handoff, from, to, { items_before: items, ...fields }),
    received(handoff, to, { items, ...record }),
  ]
}

/** Items in handspan's plain form. */
export const item = {
  user: (id: string, content: unknown, fields: object = {}) => ({
    id,
    type: 'message',
    role: 'user',
    content,
    ...fields,
  }),
  agent: (id: string, author: string, content: unknown, fields: object = {}) => ({
    id,
    type: 'message',
    role: 'assistant',
    author,
    content,
    ...fields,
  }),
  call: (id: string, call: string, tool: string, args: unknown = {}, fields: object = {}) => ({
    id,
    type: 'tool_call',
    call,
    tool,
    args,
    ...fields,
  }),
  result: (id: string, call: string, content: unknown, fields: object = {}) => ({
    id,
    type: 'tool_result',
    call,
    content,
    ...fields,
  }),
}
