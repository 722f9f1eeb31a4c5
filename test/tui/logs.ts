import type { RunEvent } from '../../model/run-log.ts'

type Entry = { kind: string } & Record<string, unknown>

function log(run: string, entries: readonly Entry[]): RunEvent[] {
  return entries.map((entry, index) => ({
    run,
    seq: index + 1,
    at: `2031-03-04T09:00:${String(index).padStart(2, '0')}Z`,
    ...entry,
  }))
}

const PRINCIPAL = { kind: 'human', id: 'u-17' }
const CONSTRAINT = {
  id: 'reserve-first',
  text: 'invoice only what is reserved',
  check: { order: ['reserve_stock', 'send_invoice'] },
}
const RESERVATION = { op: 'op-1', tool: 'reserve_stock', args: { sku: 'A-7', count: 40 }, key: 'k-1' }

/** Everything crosses in the record, and the receiver breaks the rule all the same. */
export function brokenRuleLog(run = 'r-broken'): RunEvent[] {
  const record = {
    origin: PRINCIPAL,
    constraints: [CONSTRAINT],
    open_operations: [{ ...RESERVATION, state: 'unknown' }],
  }
  const operation = { kind: 'operation', effect: 'write', agent: 'orders', ...RESERVATION }
  const invoice = {
    kind: 'operation',
    effect: 'write',
    agent: 'billing',
    op: 'op-2',
    tool: 'send_invoice',
    args: { order: '7' },
    key: 'k-2',
  }
  const item = { type: 'message', role: 'user', content: 'Set 40 of A-7 aside and bill them.' }
  return log(run, [
    { kind: 'run.start', principal: PRINCIPAL },
    { kind: 'constraint', state: 'active', ...CONSTRAINT },
    { ...operation, state: 'sent' },
    { ...operation, state: 'unknown' },
    {
      kind: 'handoff.sent',
      handoff: 'h-1',
      mode: 'transfer',
      from: 'orders',
      to: 'billing',
      reason: 'bill it',
      items_before: [item],
      record,
    },
    { kind: 'handoff.received', handoff: 'h-1', by: 'billing', items: [item], record },
    { ...invoice, state: 'sent' },
    { ...invoice, state: 'settled', result: 'sent' },
    { kind: 'run.end' },
  ])
}

const BIDI = '\u202etxet live\u202c'
const ESCAPES = '\u001b[2J\u001b]52;c;ZXZpbA==\u0007\u001b]8;;http://x\u0007link\u001b]8;;\u0007'

/** Names, keys and words that try to leave their place: escapes, bidi, wide characters, emoji, marks upon marks. */
export function hostileLog(run = `r-${ESCAPES}`): RunEvent[] {
  const agent = `案件エージェント${BIDI}`
  const marks = `Z${'\u0301'.repeat(40)}`
  const operation = {
    kind: 'operation',
    effect: 'write',
    agent,
    op: `op\r\n${ESCAPES}`,
    tool: `予約🧪👩‍💻${marks}`,
    args: { סחורה: 'שלום'.repeat(20) },
    key: `k\t${BIDI}`,
  }
  return log(run, [
    { kind: 'run.start', principal: { kind: 'human', id: ESCAPES } },
    { kind: 'message', agent, role: 'assistant', content: `${ESCAPES}${'مرحبا '.repeat(30)}${BIDI}` },
    { kind: 'constraint', id: `c${ESCAPES}`, text: `${marks}${'漢'.repeat(60)}`, state: 'active' },
    { ...operation, state: 'sent' },
    { ...operation, state: 'unknown' },
    {
      kind: 'handoff.sent',
      handoff: `h${ESCAPES}`,
      mode: 'transfer',
      from: agent,
      to: `b\n${ESCAPES}`,
      reason: ESCAPES,
      items_before: [{ type: 'message', role: 'user', content: ESCAPES }],
    },
    {
      kind: 'handoff.received',
      handoff: `h${ESCAPES}`,
      by: `b\n${ESCAPES}`,
      items: [{ type: 'message', role: 'user', content: `${ESCAPES}${'🇬🇧'.repeat(40)}` }],
    },
    { kind: 'run.end' },
  ])
}
