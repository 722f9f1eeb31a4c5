import { describe, expect, it } from 'vitest'
import { crossed, findingsOf, item, judge, operation, received, sent, start } from '../run-builder.ts'

const ARGS = { sku: 'A-7', count: 40 }
const reserve = (op: string, state: string, fields: object = {}, agent = 'orders') =>
  operation(agent, op, 'reserve_stock', ARGS, state, fields)
const open = (fields: object = {}) => ({
  open_operations: [
    { op: 'op-1', tool: 'reserve_stock', args: ARGS, key: 'o7:2', state: 'unknown', ...fields },
  ],
})
const ask = item.user('u1', 'forty of A-7, then the bill')

describe('op-in-doubt-key-missing', () => {
  const check = 'op-in-doubt-key-missing'
  const handed = (record: object | undefined, items: unknown[] = [ask], fields: object = {}) =>
    judge(
      start(),
      reserve('op-1', 'unknown', { key: 'o7:2' }),
      sent('h1', 'orders', 'billing', { items_before: [ask], ...fields }),
      received('h1', 'billing', record === undefined ? { items } : { items, record }),
    )

  it('is raised when the key is nowhere, and says so', () => {
    const [finding] = findingsOf(handed(undefined), check)
    expect(finding?.message).toContain('o7:2')
    expect(finding?.message).toContain('nothing it got hints at the call')
    expect(finding?.evidence.some(({ side }) => side === 'sender')).toBe(true)
    expect(finding?.evidence.some(({ side }) => side === 'receiver')).toBe(true)
  })
  it('is not raised for a key that the record writes as a number', () => {
    const numbered = (record: object) =>
      judge(
        start(),
        reserve('op-1', 'unknown', { key: '900112' }),
        ...crossed('h1', 'orders', 'billing', [ask], { record }),
      )
    expect(findingsOf(numbered(open({ key: 900112 })), check)).toEqual([])
    expect(findingsOf(numbered({ open_operations: [900112] }), check)).toEqual([])
    expect(findingsOf(numbered(open({ key: 900113 })), check)).toHaveLength(1)
  })
  it.each(['transfer', 'delegate', 'return', 'escalate', 'resume'])('is raised in mode %s', (mode) => {
    expect(findingsOf(handed({}, [ask], { mode }), check)).toHaveLength(1)
  })
  it('is not raised for a notice, which hands over no work: by the log or by the record alone', () => {
    const notice = { mode: 'notify' }
    expect(findingsOf(handed({}, [ask], notice), check)).toEqual([])
    const inRecord = (fields: object) =>
      judge(
        start(),
        sent('h1', 'orders', 'audit', { items_before: [ask], record: open(), ...fields }),
        received('h1', 'audit', { items: [ask], record: {} }),
      )
    expect(findingsOf(inRecord({}), check)).toHaveLength(1)
    expect(findingsOf(inRecord(notice), check)).toEqual([])
  })
  it('is raised for a notice whose receiver then calls the tool itself', () => {
    const acts = (...then: object[]) =>
      judge(
        start(),
        reserve('op-1', 'unknown', { key: 'o7:2' }),
        sent('h1', 'orders', 'billing', { items_before: [ask], mode: 'notify' }),
        received('h1', 'billing', { items: [ask], record: {} }),
        ...(then as ReturnType<typeof sent>[]),
      )
    expect(findingsOf(acts(reserve('op-2', 'sent', { key: 'n1' }, 'billing')), check)).toHaveLength(1)
    expect(findingsOf(acts(operation('billing', 'op-2', 'append_note', {}, 'sent')), check)).toEqual([])
    expect(findingsOf(acts(reserve('op-2', 'sent', { key: 'n1' }, 'orders')), check)).toEqual([])
  })
  it('is raised when the key only stands in the words', () => {
    const told = item.agent('a1', 'orders', 'Reserved under o7:2, no answer yet.')
    expect(findingsOf(handed({}, [ask, told]), check)[0]?.message).toContain('only in the words')
  })
  it('is not raised when the record carries the key', () => {
    expect(findingsOf(handed(open()), check)).toEqual([])
    expect(findingsOf(handed({ open_operations: ['o7:2'] }), check)).toEqual([])
    expect(findingsOf(handed({ in_flight: [{ idempotency: 'o7:2' }] }), check)).toEqual([])
  })
  it('is raised for the words of other runtimes', () => {
    const run = judge(
      reserve('op-1', 'Timed out', { idempotency_key: 'o7:2' }),
      ...crossed('h1', 'orders', 'billing', [ask]),
    )
    expect(findingsOf(run, check)).toHaveLength(1)
  })
  it('is not excused by a later settlement', () => {
    const run = judge(
      reserve('op-1', 'unknown', { key: 'o7:2' }),
      ...crossed('h1', 'orders', 'billing', [ask]),
      reserve('op-1', 'settled', { key: 'o7:2', result: 'r-1' }),
    )
    expect(findingsOf(run, check)).toHaveLength(1)
  })
  it('is not raised at a return to the agent that made the call: it stands in its own log', () => {
    const back = (agent: string) =>
      judge(
        reserve('op-1', 'unknown', { key: 'o7:2' }, agent),
        ...crossed('h1', 'orders', 'billing', [ask], { mode: 'delegate', record: open() }),
        ...crossed('h2', 'billing', 'orders', [ask], { mode: 'return' }),
      )
    expect(findingsOf(back('orders'), check)).toEqual([])
    expect(findingsOf(back('billing'), check).map(({ handoff }) => handoff)).toEqual(['h2'])
  })
  it('is raised when a fallback agent resumes after a crash', () => {
    const run = judge(
      reserve('op-1', 'sent', { key: 'o7:2' }),
      { kind: 'process.crash', agent: 'orders' },
      ...crossed('h1', 'supervisor', 'fallback', [ask], { mode: 'resume' }),
    )
    expect(findingsOf(run, check)).toHaveLength(1)
  })
  it('is raised for a handoff that ended unknown and is sent again under another id', () => {
    const again = (fields: object, outcome = 'unknown') =>
      judge(
        sent('h1', 'plan', 'hotel', { mode: 'delegate', brief: 'two nights', ...fields }),
        { kind: 'handoff.failed', handoff: 'h1', outcome, error: 'no reply' },
        ...crossed('h2', 'plan', 'hotel', [], { mode: 'delegate', brief: 'two nights', ...fields }),
      )
    expect(findingsOf(again({}), check)).toHaveLength(1)
    expect(findingsOf(again({}, 'timeout'), check)).toHaveLength(1)
    expect(findingsOf(again({}, 'refused-before-effect'), check)).toEqual([])
    expect(findingsOf(again({ key: 'task-4' }), check)).toEqual([])
    expect(
      findingsOf(again({ record: { open_operations: [{ key: 'k4', state: 'unknown' }] } }), check),
    ).toEqual([])
  })
  it('knows the task by its last words where neither brief nor reason says it', () => {
    const ask = (text: string) => ({ mode: 'delegate', items_before: [item.user('u1', text)] })
    const again = (first: object, second: object) =>
      judge(
        sent('h1', 'plan', 'hotel', first),
        { kind: 'handoff.failed', handoff: 'h1', outcome: 'unknown' },
        sent('h2', 'plan', 'hotel', second),
        received('h2', 'hotel', { items: [item.user('u1', 'Two nights, please.')] }),
      )
    const nights = ask('Two nights, please.')
    expect(findingsOf(again(nights, nights), check)).toHaveLength(1)
    expect(findingsOf(again(nights, ask('And a parking space.')), check)).toEqual([])
    expect(findingsOf(again({}, {}), check), 'nothing says what either is about').toEqual([])
  })
  it('is not raised for the next attempt of the same handoff', () => {
    const run = judge(
      sent('h1', 'plan', 'hotel', { reason: 'book' }),
      { kind: 'handoff.failed', handoff: 'h1', outcome: 'unknown' },
      sent('h1', 'plan', 'hotel', { reason: 'book', attempt: 2 }),
      received('h1', 'hotel', { attempt: 2 }),
    )
    expect(findingsOf(run, check)).toEqual([])
  })
  it('is raised for a call that ended unknown and is started again without its key', () => {
    const run = judge(reserve('op-1', 'unknown', { key: 'o7:2' }), reserve('op-2', 'sent'))
    expect(findingsOf(run, check)).toHaveLength(1)
    expect(
      findingsOf(
        judge(reserve('op-1', 'unknown', { key: 'k' }), reserve('op-2', 'sent', { key: 'k' })),
        check,
      ),
    ).toEqual([])
  })
  it('is not raised for a call on its way that is answered to a sender who only delegates', () => {
    const during = (mode: string) =>
      judge(
        reserve('op-1', 'sent', { key: 'o7:2', call: 'c1' }),
        ...crossed('h1', 'orders', 'helper', [item.user('b1', 'look up the price')], { mode, call: 'c2' }),
        reserve('op-1', 'settled', { key: 'o7:2', result: 'r-1' }),
      )
    expect(findingsOf(during('delegate'), check)).toEqual([])
    expect(findingsOf(during('transfer'), check)).toHaveLength(1)
  })
  it('does not take the call that hands over for one that must be carried', () => {
    const run = judge(
      operation('orders', 'op-1', 'transfer_to_billing', {}, 'sent', { call: 'c1' }),
      ...crossed('h1', 'orders', 'billing', [ask]),
    )
    expect(findingsOf(run, check)).toEqual([])
  })
})

describe('a key in the headers of a call', () => {
  const post = (op: string, state: string, headers: object, order = 7, agent = 'orders') =>
    operation(agent, op, 'post_order', { order, headers }, state)
  const key = (value: string) => ({ Accept: 'text/plain', 'Idempotency-Key': value })
  const handed = (record: object, ...after: ReturnType<typeof post>[]) =>
    judge(
      start(),
      post('op-1', 'unknown', key('ik-1')),
      ...crossed('h1', 'orders', 'billing', [ask], { record }),
      ...after,
    )
  const carried = { open_operations: [{ op: 'op-1', tool: 'post_order', key: 'ik-1', state: 'unknown' }] }

  it.each(['Idempotency-Key', 'idempotency-key', 'X-Idempotency-Key', 'idempotencyKey'])(
    'is one (%s)',
    (name) => {
      const run = (value: string) =>
        judge(post('op-1', 'settled', { [name]: 'ik-1' }), post('op-2', 'settled', { [name]: value }, 8))
      expect(findingsOf(run('ik-1'), 'key-reused')).toHaveLength(1)
      expect(findingsOf(run('ik-2'), 'key-reused')).toEqual([])
    },
  )
  it('has to cross like any other', () => {
    expect(findingsOf(handed(carried), 'op-in-doubt-key-missing')).toEqual([])
    const [finding] = findingsOf(handed({ open_operations: [] }), 'op-in-doubt-key-missing')
    expect(finding?.message).toContain('ik-1')
  })
  it('tells a retry of the same request from another one', () => {
    const again = (value: string) => handed(carried, post('op-2', 'sent', key(value), 7, 'billing'))
    expect(findingsOf(again('ik-1'), 'retry-new-key')).toEqual([])
    expect(findingsOf(again('ik-1'), 'side-effect-repeated')).toEqual([])
    expect(findingsOf(again('ik-2'), 'retry-new-key')).toHaveLength(1)
    expect(findingsOf(again('ik-2'), 'side-effect-repeated')).toHaveLength(1)
  })
})
