import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldRun } from '../../replay/fold/fold.ts'
import { latest, valueAt } from '../../replay/history.ts'
import { type Entry, item, log, operation, received, sent, start } from './run-builder.ts'

const fold = (...entries: Entry[]) => foldRun(log(entries))
const operations = (...entries: Entry[]) =>
  [...fold(...entries).operations.values()].map((op) => [op.id, op.tool, op.key, op.versions.length])

describe('the tools of an agent', () => {
  it('are told as names or as definitions, at the start and later', () => {
    const definitions = [
      { type: 'function', function: { name: 'pay' } },
      { name: 'mail', input_schema: {} },
      'look',
    ]
    const run = fold(
      {
        kind: 'run.start',
        agents: [{ name: 'a', tools: definitions }, { name: 'b', tools: ['pay'] }, { name: 'c' }],
      },
      { kind: 'agent.config', agent: 'c', tools: [{ functionDeclarations: [{ name: 'x' }, { name: 'y' }] }] },
    )
    expect([...run.agents.values()].map(({ name, tools }) => [name, tools])).toEqual([
      ['a', ['pay', 'mail', 'look']],
      ['b', ['pay']],
      ['c', ['x', 'y']],
    ])
  })
})

describe('operations', () => {
  it('are one over all their entries; what a later entry leaves out stays', () => {
    const run = fold(
      operation('a', 'op-1', 'pay', { eur: 5 }, 'sent', { key: 'k', call: 'c1', sensitive: ['x'] }),
      { kind: 'operation', op: 'op-1', state: 'settled', result: 'ok', sensitive: ['y'] },
    )
    const one = run.operations.get('op-1')!
    expect(one).toMatchObject({
      tool: 'pay',
      key: 'k',
      call: 'c1',
      args: { eur: 5 },
      agent: 'a',
      sensitive: ['x', 'y'],
    })
    expect(latest(one)).toMatchObject({
      state: 'settled',
      key: 'k',
      args: { eur: 5 },
      agent: 'a',
      result: 'ok',
    })
    expect(valueAt(one, 0)).toMatchObject({ state: 'sent' })
    expect(valueAt(one, -1)).toBeUndefined()
  })

  it('under one id are several where tool, or key and arguments, say so', () => {
    expect(
      operations(
        operation('a', 'op-1', 'pay', { to: 'x' }, 'sent', { key: 'k1' }),
        operation('b', 'op-1', 'mail', { to: 'x' }, 'sent', { key: 'k2' }),
        operation('b', 'op-1', 'pay', { to: 'y' }, 'sent', { key: 'k3' }),
        operation('b', 'op-1', 'pay', { to: 'y' }, 'unknown', { key: 'k3' }),
        operation('b', 'op-1', 'pay', { to: 'y' }, 'sent', { key: 'k4' }),
        { kind: 'operation', op: 'op-1', key: 'k1', state: 'settled' },
        { kind: 'operation', op: 'op-1', tool: 'mail', state: 'settled' },
        { kind: 'operation', op: 'op-1', state: 'failed' },
      ),
    ).toEqual([
      ['op-1', 'pay', 'k1', 2],
      ['op-1#2', 'mail', 'k2', 2],
      ['op-1#3', 'pay', 'k4', 4],
    ])
  })

  it('whose id looks like a numbered one are kept apart', () => {
    expect(
      operations(
        operation('a', 'op#2', 't', 1, 'sent', { key: 'k1' }),
        operation('a', 'op', 't', 1, 'sent', { key: 'k2' }),
        operation('a', 'op', 't', 2, 'sent', { key: 'k3' }),
      ).map(([, , key]) => key),
    ).toEqual(['k1', 'k2', 'k3'])
  })

  it('are taken for writes unless the log says read', () => {
    const run = fold(
      { kind: 'operation', op: 'x', tool: 't', state: 'sent' },
      { kind: 'operation', op: 'y', effect: 'read' },
    )
    expect([...run.operations.values()].map(({ effect, effectAssumed }) => [effect, effectAssumed])).toEqual([
      ['write', true],
      ['read', false],
    ])
    expect(latest(run.operations.get('y')!).state).toBe('sent')
  })

  it('10,000 times the same id with other keys and arguments, and 100,000 events, are folded whole', () => {
    const same = Array.from({ length: 10_000 }, (_, n) =>
      operation('a', 'op', 'pay', { n }, 'sent', { key: `k${n}` }),
    )
    expect(fold(...same).operations.size).toBe(10_000)
    const many = Array.from({ length: 50_000 }, (_, n) => [
      operation('a', `op-${n}`, 'pay', { n }, 'sent', { key: `k${n}` }),
      operation('a', `op-${n}`, 'pay', { n }, 'settled', { key: `k${n}` }),
    ]).flat()
    const run = fold(...many)
    expect(run.events).toHaveLength(100_000)
    expect([...run.operations.values()].every(({ versions }) => versions.length === 2)).toBe(true)
  })
})

describe('handoffs', () => {
  it('keep their attempts apart, and a receipt goes to the attempt it names or to the latest', () => {
    const run = fold(
      sent('h', 'a', 'b'),
      { kind: 'handoff.failed', handoff: 'h', outcome: 'unknown', attempt: 1 },
      sent('h', 'a', 'b'),
      sent('h', 'a', 'b', { attempt: 3 }),
      received('h', 'b', { attempt: 2 }),
      received('h', 'b'),
      received('h', 'b'),
      { kind: 'handoff.verdict', handoff: 'h', verdict: 'approve', by: 'b' },
    )
    expect(
      run.handoffs.map(({ id, attempt, receipts, failed, verdicts }) => [
        id,
        attempt,
        receipts.length,
        failed !== undefined,
        verdicts.length,
      ]),
    ).toEqual([
      ['h', 1, 0, true, 0],
      ['h', 2, 1, false, 0],
      ['h', 3, 2, false, 1],
    ])
  })

  it('that were received and never sent take what the receiver says', () => {
    const [handoff] = fold({
      kind: 'handoff.received',
      handoff: 'h',
      by: 'b',
      from: 'a',
      to: 'b',
      mode: 'delegate',
    }).handoffs
    expect(handoff).toMatchObject({ mode: 'delegate', from: 'a', to: 'b' })
    expect(handoff!.sent).toBeUndefined()
    expect(handoff!.receipts[0]).toMatchObject({
      by: 'b',
      items: undefined,
      record: undefined,
      tools: undefined,
    })
  })

  it('tell items that were not captured from none', () => {
    const run = fold(sent('h', 'a', 'b', { items_before: undefined }), received('h', 'b', { items: [] }))
    expect(run.handoffs[0]!.sent!.items).toBeUndefined()
    expect(run.handoffs[0]!.receipts[0]!.items).toEqual([])
  })

  it('that are 20,000 find their receipts', () => {
    const entries = Array.from({ length: 20_000 }, (_, n) => [
      sent(`h${n}`, 'a', 'b'),
      received(`h${n}`, 'b'),
    ]).flat()
    expect(fold(...entries).handoffs.every(({ receipts }) => receipts.length === 1)).toBe(true)
  })
})

describe('custody', () => {
  it('moves with control, not with a helper or a second delivery', () => {
    const run = fold(
      { kind: 'message', agent: 'a', role: 'user', content: 'hi' },
      sent('h1', 'a', 'b', { mode: 'delegate' }),
      received('h1', 'b'),
      sent('h2', 'a', 'c'),
      received('h2', 'c'),
      received('h2', 'c'),
      sent('h3', 'c', 'a', { mode: 'return' }),
      received('h3', 'a'),
    )
    expect(run.custody.map(({ owner, handoff }) => [owner, handoff])).toEqual([
      ['a', undefined],
      ['c', 'h2'],
      ['a', 'h3'],
    ])
  })
})

describe('a run', () => {
  it('knows who started it, when, and how it ended', () => {
    const run = fold(start({ replay_of: 'r0' }), { kind: 'run.end', outcome: 'invoiced' })
    expect(run).toMatchObject({
      ...{
        id: 'run-1',
        principal: { kind: 'human', id: 'u-9' },
        replayOf: 'r0',
        ended: true,
        outcome: 'invoiced',
      },
      ...{ startedAt: '2030-05-06T08:00:00.000Z', endedAt: '2030-05-06T08:00:02.000Z' },
    })
  })

  it('keeps every event, and is the same whatever the order of its lines', () => {
    const entries = [
      start(),
      operation('a', 'op-1', 'pay', {}, 'sent', { key: 'k' }),
      sent('h', 'a', 'b', { items_before: [item.user('u', 'hi')] }),
      received('h', 'b', { items: [item.user('u', 'hi')] }),
      operation('b', 'op-1', 'pay', {}, 'settled', { key: 'k' }),
      { kind: 'weather', sky: 'grey' },
    ]
    fc.assert(
      fc.property(fc.shuffledSubarray(log(entries), { minLength: entries.length }), (events) => {
        expect(foldRun(events)).toEqual(foldRun(log(entries)))
      }),
    )
    expect(fold(...entries).events).toHaveLength(entries.length)
  })

  it('has the same order whether a sequence number is null or left out', () => {
    const at = '2030-05-06T08:00:00Z'
    const lines = ['1', '2', '3'].map((id) => ({ run: 'r', kind: 'message', id, at }))
    const orderOf = (second: object) =>
      foldRun([
        { ...lines[0]!, seq: 2 },
        { ...lines[1]!, ...second },
        { ...lines[2]!, seq: 1 },
      ] as never).events.map(({ id }) => id)
    expect(orderOf({ seq: null })).toEqual(orderOf({}))
  })

  it('of nothing is empty', () => {
    expect(foldRun([])).toMatchObject({ id: '', events: [], handoffs: [], ended: false })
  })
})
