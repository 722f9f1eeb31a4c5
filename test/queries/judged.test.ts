import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readCatalogue } from '../../queries/catalogue.ts'
import { REVIEW_QUESTIONS } from '../../queries/questions.ts'
import { runMetric } from '../../queries/run-metric.ts'
import type { QueryRow, Store } from '../../store/index.ts'
import { newFolder, opened } from '../store/folder.ts'

/*
 * What a log does not hold is no measurement: each metric leaves out what nobody can judge, and what its check does not
 * ask for. The logs are short enough to count by hand.
 */

const ITEMS = [{ role: 'user', content: 'Forty of A-7, please.' }]
const RULE = { id: 'k1', text: 'invoice only what is reserved' }
const TASK = {
  intent: 'bill the order',
  status: 'reserved',
  evidence: ['order-7'],
  next_action: 'invoice',
  stop_condition: 'invoiced',
  constraints: [RULE],
}

type Fields = Record<string, unknown>

const sent = (handoff: string, fields: Fields = {}) => ({
  ...{ kind: 'handoff.sent', handoff, mode: 'transfer', from: 'orders', to: 'billing', items_before: ITEMS },
  ...fields,
})
const received = (handoff: string, fields: Fields = {}) => ({
  ...{ kind: 'handoff.received', handoff, by: 'billing' },
  ...fields,
})
const rule = { kind: 'constraint', agent: 'orders', ...RULE }

/** A store of one run, an event a second. */
async function storeOf(events: Fields[]): Promise<Store> {
  const store = await opened(newFolder())
  const lines = events.map((event, at) => ({
    ...{ run: 'r', seq: at + 1, at: `2031-03-04T09:00:${String(at).padStart(2, '0')}Z` },
    ...event,
  }))
  await store.importStream(Readable.from(lines.map((line) => `${JSON.stringify(line)}\n`)))
  return store
}

/** Asks one metric of one run. */
async function ask(name: string, events: Fields[]): Promise<QueryRow[]> {
  const store = await storeOf(events)
  const metric = readCatalogue().find((one) => one.name === name)!
  return (await runMetric(store, metric, { limit: 10, timeoutMs: 60_000 })).rows
}

/** A task given to a helper with all that it needs, its report back, and a notice to somebody else. */
const delegation = [
  rule,
  sent('h1', { mode: 'delegate', record: TASK }),
  received('h1', { items: ITEMS, record: TASK }),
  sent('h2', { mode: 'return', from: 'billing', to: 'orders' }),
  received('h2', { by: 'orders', items: ITEMS }),
  sent('h3', { mode: 'notify', to: 'audit' }),
  received('h3', { by: 'audit', items: ITEMS }),
]

describe('a report back and a notice', () => {
  it('give no task, so that no field of a contract is missing', async () => {
    expect(await ask('completeness', delegation)).toMatchObject([{ value: 1, complete: 1, handoffs: 1 }])
  })

  it('pass no plan on, so that no rule is dropped', async () => {
    expect(await ask('constraint-retention', delegation)).toMatchObject([
      { value: 1, handoffs: 1, constraints: 1, same: 1, dropped: 0 },
    ])
  })
})

it('an approval stays with whoever delegates or gives notice, and has to cross where control passes', async () => {
  const approval = { kind: 'approval', agent: 'orders', id: 'ap-1', action: 'refund', state: 'pending' }
  const kept = [
    approval,
    ...[sent('h1', { mode: 'delegate' }), received('h1', { items: ITEMS })],
    ...[sent('h2', { mode: 'notify' }), received('h2', { items: ITEMS })],
  ]
  expect(await ask('approvals-preserved', kept)).toMatchObject([{ value: null, pending: 0, same: 0 }])
  const lost = [...kept, sent('h3'), received('h3', { items: ITEMS })]
  expect(await ask('approvals-preserved', lost)).toMatchObject([{ value: 0, pending: 1, same: 0 }])
})

it('an empty list answers a field of the contract and an empty text does not, as for the check', async () => {
  const record = { ...TASK, evidence: [], constraints: [], status: '' }
  const store = await storeOf([sent('h1', { record }), received('h1', { items: ITEMS, record })])
  const metric = readCatalogue().find((one) => one.name === 'completeness')!
  expect((await runMetric(store, metric, { limit: 10, timeoutMs: 60_000 })).rows).toMatchObject([
    { value: 5 / 6, complete: 0, evidence: 1, constraints: 1, status: 0 },
  ])
  const [found] = await store.query("SELECT message FROM findings WHERE check_id = 'contract-incomplete'")
  expect(found!.message).toMatch(/ lacks status[;.]/)
})

const order = (op: string, fields: Fields = {}) => ({
  ...{ kind: 'operation', agent: 'orders', op, tool: 'order_ink', args: { op }, effect: 'write' },
  ...{ key: `key-${op}`, state: 'unknown', ...fields },
})

it('a write in doubt has to cross where work is handed over, which a notice does not do', async () => {
  const noticed = [order('op-1'), sent('h1', { mode: 'notify' }), received('h1', { items: ITEMS })]
  expect(await ask('key-coverage', noticed)).toEqual([])
  expect(await ask('key-coverage', [...noticed, sent('h2'), received('h2', { items: ITEMS })])).toMatchObject(
    [{ value: 0, handoffs: 1, in_doubt: 1, absent: 1 }],
  )
})

const answer = async (question: string, events: Fields[]) => {
  const { command } = REVIEW_QUESTIONS.find((one) => one.question.startsWith(question))!
  return (await storeOf(events)).query(`${/"(.+)"/.exec(command)![1]!} ORDER BY ALL`)
}

it('a review finds the writes whose key was lost, and no other', async () => {
  const open = (op: string, fields: Fields = {}) => ({ op, key: `key-${op}`, state: 'unknown', ...fields })
  const failed = open('op-2', { tool: 'order_ink', args: { op: 'op-2' }, state: 'failed' })
  const found = await answer('Which handoffs lost the key', [
    order('op-1'),
    // Lost at h1, a delegation; at h2 it comes back to whoever made it, and at h3 nobody is to settle it.
    ...[sent('h1', { mode: 'delegate' }), received('h1', { items: ITEMS })],
    ...[
      sent('h2', { mode: 'return', from: 'billing', to: 'orders' }),
      received('h2', { by: 'orders', items: ITEMS }),
    ],
    ...[sent('h3', { mode: 'notify', to: 'audit' }), received('h3', { by: 'audit', items: ITEMS })],
    order('op-1', { state: 'settled', result: 'done' }),
    // Another state at the other side loses no key; an open call that only the record knows can be lost as well.
    ...[order('op-2'), sent('h4'), received('h4', { items: ITEMS, record: { open_operations: [failed] } })],
    order('op-2', { state: 'settled', result: 'done' }),
    ...[sent('h5', { record: { open_operations: [open('op-4')] } }), received('h5', { items: ITEMS })],
  ])
  expect(found).toMatchObject([
    { handoff: 'h1', subject: 'op-1', tool: 'order_ink', key: 'key-op-1', degree: 'absent' },
    { handoff: 'h5', subject: 'op-4', degree: null },
  ])
})

it('a review blames nobody for a rule that an agent had all along, and says who is to blame for a broken one', async () => {
  const blamed = (events: Fields[]) => answer('Did the receiver ignore the rule', events)
  expect(await blamed(delegation)).toEqual([])

  const check = { order: ['reserve_stock', 'send_invoice'] }
  const invoice = { kind: 'operation', agent: 'billing', op: 'op-1', tool: 'send_invoice', effect: 'write' }
  const broken = [
    { ...rule, check },
    ...[sent('h1'), received('h1', { items: ITEMS, record: { constraints: [{ ...RULE, check }] } })],
    { ...invoice, state: 'settled' },
  ]
  expect(await blamed(broken)).toEqual([
    { check_id: 'constraint-violated', attribution: 'carried, not followed', times: 1 },
  ])
  const dropped = broken.map(({ record, ...event }: Fields) => event)
  expect(await blamed(dropped)).toEqual([
    { check_id: 'constraint-dropped', attribution: 'dropped at the handoff', times: 1 },
    { check_id: 'constraint-violated', attribution: 'dropped at the handoff', times: 1 },
  ])
})

describe('a receipt whose payload is not in the log', () => {
  it('drops no rule that anybody could see dropped', async () => {
    const rows = await ask('constraint-retention', [
      rule,
      sent('h1'),
      received('h1'),
      sent('h2', { policy: { history: 'server-managed' } }),
      received('h2', { items: ITEMS }),
    ])
    expect(rows).toMatchObject([{ value: null, handoffs: 0, constraints: 0, dropped: 0, not_judged: 2 }])
  })

  it('counts beside those that can be judged: by its items, or by its list of constraints', async () => {
    const rows = await ask('constraint-retention', [
      rule,
      sent('h1'),
      received('h1'),
      sent('h2'),
      received('h2', { items: ITEMS }),
      sent('h3'),
      received('h3', { record: { constraints: [RULE] } }),
    ])
    expect(rows).toMatchObject([
      { value: 0.5, handoffs: 2, constraints: 2, same: 1, dropped: 1, not_judged: 1 },
    ])
  })

  it('is no other payload', async () => {
    const twice = [sent('h1'), received('h1', { items: ITEMS }), sent('h2'), received('h2')]
    expect(await ask('determinism', twice)).toEqual([])
    const thrice = [...twice, sent('h3'), received('h3', { items: ITEMS })]
    expect(await ask('determinism', thrice)).toMatchObject([{ value: 1, inputs: 1, same: 1, handoffs: 2 }])
  })

  it('is not without leaks', async () => {
    const marked = { ...ITEMS[0], content: 'My code is 771-204-993.', sensitive: ['771-204-993'] }
    const leak = [
      sent('h1', { items_before: [marked] }),
      received('h1', { items: ['The code is 771-204-993.'] }),
    ]
    const rows = await ask('leaks', [...leak, sent('h2', { items_before: [marked] }), received('h2')])
    expect(rows).toMatchObject([{ value: 1, handoffs: 1, leaking: 1 }])
    expect(await ask('leaks', [sent('h1'), received('h1')])).toEqual([])
  })
})

it('a handoff read from spans has no contract, as spans hold no record', async () => {
  const spans = [sent('h1', { evidence: 'tool_argument' }), received('h1', { items: ITEMS })]
  expect(await ask('completeness', spans)).toEqual([])
  const orphan = [sent('h1'), received('h1', { items: ITEMS, evidence: 'link' })]
  expect(await ask('completeness', orphan)).toMatchObject([{ value: 0, handoffs: 1 }])
})

it('a receipt without a time has no time to the first call', async () => {
  const read = (op: string, at?: string) => ({
    ...{ kind: 'operation', agent: 'billing', op, tool: 'find_price', args: { op }, effect: 'read' },
    ...{ state: 'settled', at },
  })
  const timeless = [sent('h1'), received('h1', { items: ITEMS }), read('op-1')].map((event) => ({
    ...event,
    at: undefined,
  }))
  expect(await ask('time-to-first-correct-action', timeless)).toEqual([])
  const timed = [sent('h1'), received('h1', { items: ITEMS }), read('op-1', '2031-03-04T09:00:07Z')]
  expect(await ask('time-to-first-correct-action', timed)).toMatchObject([
    { value: 6000, received: 1, acted: 1, correct: 1 },
  ])
})

describe('a time that the clocks of both sides put before its beginning', () => {
  const at = (second: number) => `2031-03-04T10:00:${String(second).padStart(2, '0')}Z`
  const read = (op: string, second: number) => ({
    ...{ kind: 'operation', agent: 'billing', op, tool: 'find_price', args: { op }, effect: 'read' },
    ...{ state: 'settled', result: op, at: at(second) },
  })
  const verdict = (handoff: string, second: number) => ({
    ...{ kind: 'handoff.verdict', handoff, by: 'billing', verdict: 'approve', at: at(second) },
  })

  it('is no latency: it is left out, and counted', async () => {
    const [before, after] = [
      [sent('h1', { at: at(9) }), received('h1', { at: at(2) })],
      [sent('h2', { at: at(20) }), received('h2', { at: at(24) })],
    ]
    expect(await ask('handoffs', before)).toMatchObject([
      { value: 1, received: 1, median_latency_ms: null, p95_latency_ms: null, skewed: 1 },
    ])
    expect(await ask('handoffs', [...before, ...after])).toMatchObject([
      { value: 2, received: 2, median_latency_ms: 4000, p95_latency_ms: 4000, skewed: 1 },
    ])
  })

  it('is no time to a call or a verdict either', async () => {
    const events = [
      ...[sent('h1', { at: at(1) }), received('h1', { at: at(30) }), read('op-1', 7), verdict('h1', 9)],
      ...[sent('h2', { at: at(40) }), received('h2', { at: at(41) }), read('op-2', 43), verdict('h2', 44)],
    ]
    expect(await ask('time-to-first-correct-action', events)).toMatchObject([
      { value: 2000, p95_ms: 2000, median_first_ms: 2000, received: 2, acted: 2, correct: 2, skewed: 1 },
    ])
    expect(await ask('approvals-preserved', events)).toMatchObject([{ median_verdict_ms: 3000, skewed: 1 }])
  })
})

it('a call that left before the first correct one is a detour, also within one tick of the clock', async () => {
  const read = (op: string, agent: string, args: Fields) => ({
    ...{ kind: 'operation', agent, op, tool: 'find_price', args, effect: 'read', at: '2031-03-04T10:00:00Z' },
    ...{ state: 'settled', result: 'twelve' },
  })
  const start = [
    read('op-1', 'orders', { part: 'a' }),
    sent('h1', { at: '2031-03-04T10:00:00Z' }),
    received('h1', { items: ITEMS, at: '2031-03-04T10:00:00Z' }),
  ]
  const [again, other] = [read('op-2', 'billing', { part: 'a' }), read('op-3', 'billing', { part: 'b' })]
  const detours = async (...calls: Fields[]) => ask('time-to-first-correct-action', [...start, ...calls])
  expect(await detours(again, other)).toMatchObject([{ value: 0, acted: 1, correct: 1, detours: 1 }])
  expect(await detours(other, again)).toMatchObject([{ value: 0, acted: 1, correct: 1, detours: 0 }])
  expect(await detours(again)).toMatchObject([{ value: null, acted: 1, correct: 0, detours: 0 }])
})

it('permissions that are not on record did not stay the same: nobody can say', async () => {
  const rules = { permissions: { deny: ['refund'] } }
  const unknown = [
    ...[sent('h1'), received('h1', { items: ITEMS })],
    ...[sent('h2', rules), received('h2', { items: ITEMS })],
    ...[sent('h3'), received('h3', { items: ITEMS, tools: ['refund'] })],
    ...[sent('h4', { ...rules, mode: 'return' }), received('h4', { tools: ['refund'] })],
    sent('h5', rules),
  ]
  expect(await ask('permissions-drift', unknown)).toMatchObject([
    { value: null, handoffs: 0, drifted: 0, not_judged: 3 },
  ])
  const known = [
    ...[sent('h6', rules), received('h6', { tools: ['refund'] })],
    ...[sent('h7', rules), received('h7', { tools: ['print'] })],
    { kind: 'agent.config', agent: 'billing', tools: ['print', 'mail'] },
    ...[sent('h8'), received('h8', { tools: ['print'] })],
    ...[sent('h9'), received('h9', { tools: ['print', 'mail'] })],
  ]
  expect(await ask('permissions-drift', [...unknown, ...known])).toMatchObject([
    { value: 0.5, handoffs: 4, drifted: 2, gained: 1, lost: 1, not_judged: 3 },
  ])
})
