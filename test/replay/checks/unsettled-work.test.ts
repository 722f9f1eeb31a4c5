import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  message,
  operation,
  raised,
  read,
  received,
  sent,
} from '../run-builder.ts'

const ARGS = { sku: 'A-7', count: 40 }
const reserve = (op: string, state: string, fields: object = {}, agent = 'orders') =>
  operation(agent, op, 'reserve_stock', ARGS, state, fields)
const open = (fields: object = {}) => ({
  open_operations: [
    { op: 'op-1', tool: 'reserve_stock', args: ARGS, key: 'o7:2', state: 'unknown', ...fields },
  ],
})

describe('op-state-changed', () => {
  const check = 'op-state-changed'
  const returned = (known: string, entry: object, list = 'completed_effects') =>
    judge(
      reserve('op-1', known, { key: 'o7:2' }),
      sent('h1', 'orders', 'lead', { mode: 'return' }),
      received('h1', 'lead', { record: { [list]: [{ op: 'op-1', key: 'o7:2', ...entry }] } }),
    )

  it.each([
    ['failed', { state: 'settled' }],
    ['failed', {}],
    ['failed', { state: 'completed', key: undefined }],
    ['unknown', { state: 'failed' }],
    ['unknown', { state: 'succeeded' }],
    ['settled', { state: 'failed' }],
  ])('is raised when %s becomes %o', (known, entry) => {
    expect(findingsOf(returned(known, entry), check)).toHaveLength(1)
  })
  it.each([
    ['failed', { state: 'failed' }],
    ['failed', { state: 'error' }],
    ['settled', {}],
    ['settled', { state: 'Completed' }],
  ])('is not raised when %s stays %o', (known, entry) => {
    expect(findingsOf(returned(known, entry), check)).toEqual([])
  })
  it('reads sent and unknown as the same', () => {
    expect(findingsOf(returned('sent', { state: 'unknown' }, 'open_operations'), check)).toEqual([])
    expect(findingsOf(returned('sent', { state: 'proposed' }, 'open_operations'), check)).toHaveLength(1)
  })
  it('compares the two records where the log does not know the operation', () => {
    const between = (state: string) =>
      judge(
        sent('h1', 'runner', 'lead', { record: { completed_effects: [{ key: 'k1', state: 'failed' }] } }),
        received('h1', 'lead', { record: { completed_effects: [{ key: 'k1', state }] } }),
      )
    expect(findingsOf(between('settled'), check)).toHaveLength(1)
    expect(findingsOf(between('failed'), check)).toEqual([])
  })
  it('allows an answer that comes while the handoff travels', () => {
    const run = judge(
      reserve('op-1', 'sent', { key: 'o7:2' }),
      sent('h1', 'orders', 'billing'),
      reserve('op-1', 'settled', { key: 'o7:2' }),
      received('h1', 'billing', { record: { completed_effects: [{ key: 'o7:2', state: 'settled' }] } }),
    )
    expect(findingsOf(run, check)).toEqual([])
  })
  it('is raised when an entry turns an outcome without a new attempt', () => {
    const life = (...states: [string, object?][]) =>
      findingsOf(
        judge(...states.map(([state, fields]) => reserve('op-1', state, { key: 'k', ...fields }))),
        check,
      )
    expect(life(['sent'], ['failed'], ['settled'])).toHaveLength(1)
    expect(life(['sent'], ['closed'], ['settled'])).toHaveLength(1)
    expect(life(['unknown'], ['failed', { error: 'request timed out' }])).toHaveLength(1)
    expect(life(['proposed'], ['sent'], ['unknown'], ['settled'])).toEqual([])
    expect(life(['sent'], ['unknown'], ['failed', { by: 'key' }])).toEqual([])
    expect(life(['unknown'], ['failed', { error: 'no such reservation' }])).toEqual([])
    expect(life(['failed'], ['settled', { attempt: 2 }])).toEqual([])
    expect(life(['failed'], ['sent'], ['settled'])).toEqual([])
  })
  it('is raised when an unknown call is filed as failed and the world knows better', () => {
    const entries = [reserve('op-1', 'unknown', { key: 'k' }), reserve('op-1', 'failed', { key: 'k' })]
    expect(
      findingsOf(judge(...entries, { kind: 'truth', op: 'op-1', state: 'settled' }), check),
    ).toHaveLength(1)
    expect(findingsOf(judge(...entries, { kind: 'truth', op: 'op-1', state: 'failed' }), check)).toEqual([])
  })
  it('reads reports of other kinds', () => {
    const reported = (kind: string, fields: object) =>
      findingsOf(judge(reserve('op-1', 'failed', { key: 'k', task: 't1' }), { kind, ...fields }), check)
    expect(reported('task.state', { task: 't1', state: 'completed' })).toHaveLength(1)
    expect(reported('store.write', { op: 'op-1', state: 'completed' })).toHaveLength(1)
    expect(reported('task.state', { task: 't1', state: 'failed' })).toEqual([])
    expect(reported('task.state', { task: 't1', state: 'working' })).toEqual([])
    expect(reported('snapshot', { agent: 'orders', size: 4 })).toEqual([])
    expect(reported('snapshot', { operations: [{ op: 'op-1', state: 'done' }] })).toHaveLength(1)
    expect(reported('snapshot', { operations: [{ op: 'op-1', state: 'error' }] })).toEqual([])
  })
  it('is raised when a delegation that could not start is reported as completed', () => {
    const launched = (...entries: Entry[]) =>
      findingsOf(
        judge(
          sent('h1', 'lead', 'runner', { mode: 'delegate', brief: 'export' }),
          { kind: 'handoff.failed', handoff: 'h1', outcome: 'refused', error: 'queue is full' },
          ...entries,
        ),
        check,
      )
    const completed: Entry = { kind: 'task.state', handoff: 'h1', state: 'completed' }
    expect(launched(completed)).toHaveLength(1)
    expect(launched(...crossed('h1', 'lead', 'runner', [], { attempt: 2 }), completed)).toEqual([])
  })
  it('does not judge words', () => {
    const run = judge(
      reserve('op-1', 'failed', { key: 'k' }),
      ...crossed('h1', 'orders', 'lead', [item.agent('a1', 'orders', 'Status: completed.')], {
        mode: 'return',
      }),
    )
    expect(findingsOf(run, check)).toEqual([])
  })
})

describe('op-altered', () => {
  const handed = (entry: object, fields: object = {}) =>
    findingsOf(
      judge(
        reserve('op-1', 'unknown', { key: 'o7:2' }),
        sent('h1', 'orders', 'billing', fields),
        received('h1', 'billing', { record: open(entry) }),
      ),
      'op-altered',
    )
  it('is raised for another tool or other arguments', () => {
    expect(handed({ args: { sku: 'A-7', count: 4 } })[0]?.message).toContain('"count":4')
    expect(handed({ tool: 'order_stock' })).toHaveLength(1)
    expect(handed({ args: JSON.stringify({ sku: 'A-7', count: 4 }) })).toHaveLength(1)
  })
  it('is not raised for the same call, however it is written', () => {
    expect(handed({ args: { count: 40, sku: 'A-7' } })).toEqual([])
    expect(handed({ args: { ...ARGS, idempotency_key: 'o7:2' } })).toEqual([])
    expect(handed({ args: '{"count": 40, "sku": "A-7"}' })).toEqual([])
    expect(handed({ args: undefined })).toEqual([])
    expect(handed({ args: { sku: '[removed]', count: 40 } }, { policy: { redact: true } })).toEqual([])
  })
})

describe('not-settled-before-planning', () => {
  const check = 'not-settled-before-planning'
  const settle = (...entries: Entry[]) =>
    findingsOf(
      judge(
        reserve('op-1', 'unknown', { key: 'o7:2' }),
        sent('h1', 'orders', 'billing', { record: open() }),
        received('h1', 'billing', { record: open() }),
        ...entries,
      ),
      check,
    )
  const invoice = operation('billing', 'op-9', 'send_invoice', { total: 9 }, 'sent', { key: 'i1' })
  const settled = reserve('op-1', 'settled', { key: 'o7:2', result: 'r' }, 'billing')

  it('is raised when a write comes first, as an error', () => {
    expect(settle(invoice, settled)[0]?.severity).toBe('error')
    expect(settle(invoice)[0]?.message).toContain('never settled')
  })
  it('is raised when the receiver speaks or plans first', () => {
    expect(
      settle(message('assistant', 'The bill is on its way.', { agent: 'billing' }), settled),
    ).toHaveLength(1)
    expect(settle({ kind: 'model.input', agent: 'billing', items: [] }, settled)).toHaveLength(1)
  })
  it('is not raised when it settles first, in whatever way', () => {
    expect(settle(settled, invoice)).toEqual([])
    expect(settle(reserve('op-1', 'closed', { key: 'o7:2', by: 'closed' }, 'billing'), invoice)).toEqual([])
    const lookup = read('billing', 'op-5', 'find_reservation', { key: 'o7:2' })
    expect(settle(lookup, { kind: 'model.input', agent: 'billing', items: [] }, settled, invoice)).toEqual([])
  })
  it('is not raised before the receiver has done anything, nor for what others do', () => {
    expect(settle()).toEqual([])
    expect(settle(end())).toEqual([])
    expect(settle(message('user', 'hello?', { agent: 'billing' }))).toEqual([])
    expect(settle(message('assistant', 'bye', { agent: 'orders' }))).toEqual([])
  })
  it('lets an agent that only routes speak', () => {
    const spoke = message('assistant', 'I put you through.', { agent: 'billing' })
    expect(settle(spoke, ...crossed('h2', 'billing', 'desk', [], { record: open() }))).toEqual([])
  })
})

describe('settled-by-details', () => {
  const settling = (fields: object, ...between: Entry[]) =>
    findingsOf(
      judge(
        reserve('op-1', 'unknown', { key: 'o7:2' }),
        ...between,
        reserve('op-1', 'settled', { result: 'reservation 8841', ...fields }, 'billing'),
      ),
      'settled-by-details',
    )
  const search = (args: object) =>
    read('billing', 'op-5', 'list_reservations', args, 'settled', { result: 'reservation 8841' })

  it.each([
    [{ by: 'details' }],
    [{ settled_by: 'lookup by details' }],
    [{ lookup: { sku: 'A-7', count: 40 } }],
    [{ result: { key: 'x9:4', id: 8841 } }],
    [{ key: 'x9:4' }],
  ])('is raised for %o', (fields) => {
    expect(settling(fields)).toHaveLength(1)
  })
  it('is raised when a read by arguments found the result', () => {
    expect(settling({}, search({ sku: 'A-7' }))).toHaveLength(1)
    expect(settling({}, search({ key: 'o7:2', sku: 'A-7' }))).toEqual([])
    expect(settling({}, search({ customer: 'c-3' }))).toEqual([])
  })
  it.each([[{ by: 'key' }], [{ by: 'reply' }], [{ by: 'matcher' }], [{ lookup: { key: 'o7:2' } }], [{}]])(
    'is not raised for %o',
    (fields) => {
      expect(settling(fields)).toEqual([])
    },
  )
})

describe('the pattern of a finding', () => {
  it('has evidence, a remedy and a fingerprint that no id of the run changes', () => {
    const run = (op: string, key: string) =>
      findingsOf(
        judge(reserve(op, 'unknown', { key }), ...crossed('h', 'orders', 'billing')),
        'op-in-doubt-key-missing',
      )
    const [a] = run('op-1', 'k1')
    const [b] = run('op-77', 'k2')
    expect(a?.evidence.length).toBeGreaterThan(0)
    expect(a?.remedy).not.toBe('')
    expect(a?.fingerprint).toBe(b?.fingerprint)
    expect(raised(judge())).toEqual([])
  })
})
