import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEvent } from '../../model/parse-event.ts'
import { anyEventSchema } from '../../model/run-log.ts'
import { capture, ofKind } from './captures.ts'

const broken = () => {
  throw new Error('hostile')
}

const hostile: unknown[] = [
  new Proxy({}, { get: broken, ownKeys: broken, has: broken, getPrototypeOf: broken }),
  new Proxy(() => {}, { get: broken, apply: broken }),
  Object.defineProperty({}, 'id', { get: broken, enumerable: true }),
  JSON.parse('{"__proto__": {"id": "x"}, "constructor": 1, "toString": 2}'),
  Symbol('wild'),
  'a\ud800b',
  broken,
]

type Thunk = () => unknown

/** Everything fast-check can think of, and what it cannot touch itself: hence not values, but ways to get them. */
const wild: fc.Arbitrary<Thunk> = fc.oneof(
  fc
    .anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true,
    })
    .map((value) => () => value),
  fc.nat({ max: hostile.length - 1 }).map((index) => () => hostile[index]),
)

const fieldNames =
  'id key op tool text to from items record by agents name args principal permissions run kind seq at v writer signal timeout attempt transport policy evidence service'.split(
    ' ',
  )
const options: fc.Arbitrary<Thunk> = fc.oneof(
  wild,
  fc
    .dictionary(fc.constantFrom(...fieldNames), wild, { maxKeys: 8 })
    .map((fields) => () => Object.fromEntries(Object.entries(fields).map(([name, get]) => [name, get()]))),
)

describe('nothing that a program hands over', () => {
  test('makes a public method throw, or a line that is no event', async () => {
    await fc.assert(
      fc.asyncProperty(options, options, wild, async (one, two, three) => {
        // biome-ignore lint/suspicious/noExplicitAny: programs without types hand over anything
        const [a, b, c]: any[] = [one(), two(), three()]
        const events = await capture(async (handspan) => {
          const run = handspan.startRun(a)
          run.tool(() => 1, b)()
          const operation = run.operation(a)
          operation.proposed()
          operation.sent()
          operation.settled(c, c)
          operation.failed(c)
          operation.unknown(c)
          operation.closed(c)
          run.constraint(a, b, c).revoke()
          const approval = run.approval(a)
          approval.approve(b)
          approval.reject(c)
          approval.consumed(c)
          run.commitment(a, b).close()
          run.permission(a)
          run.agent(b)
          run.message(a)
          run.modelInput(b)
          run.truth(a, b)
          run.event(a, b)
          const handoff = run.handoff(a)
          handoff.failed(b, c)
          handoff.deadLettered(b)
          const received = handspan.receive(c, a)
          received.accept(b)
          received.decline(c)
          received.verdict(b, c)
          expect(await received.settle(b, () => 7, c)).toBe(7)
          handspan.receive(handoff.carrier, b).run.handoff(c)
          run.end(c)
          run.failed(c)
          expect(handspan.counters()).toMatchObject({ dropped: 0 })
        })
        expect(events.length).toBeGreaterThan(25)
        for (const event of events) expect(anyEventSchema.safeParse(event).success).toBe(true)
      }),
      { numRuns: 80 },
    )
  })

  test('of the wrong type costs an event: null, numbers as ids, one item instead of a list', async () => {
    const events = await capture((handspan) => {
      // biome-ignore lint/suspicious/noExplicitAny: a program without types
      const run: any = handspan.startRun({
        principal: { kind: 'human', id: 17 },
        agents: null,
        labels: null,
      } as never)
      run.operation({ tool: 'pay', key: 7, call: null, approval: null, attempt: '2', sensitive: 'x' }).sent()
      run.message({ id: 1, role: null, content: null, agent: 5 })
      run.permission({ agent: 'a', allow: 'pay', deny: null, closed: 1 })
      run.agent({ name: 'a', tools: [{ name: 'pay' }] })
      const handoff = run.handoff({
        to: 3,
        reason: 9,
        items: 'hello',
        permissions: null,
        policy: 'all',
        ack_due: new Date(0),
      })
      handspan.receive(handoff.carrier, {
        by: 'b',
        record: null,
        items: { role: 'user' },
        tools: null,
      } as never)
    })
    for (const event of events) expect(parseEvent(event)).toEqual({ event, asWritten: true })
    expect(events[0]).toMatchObject({ principal: { kind: 'human', id: '17' } })
    expect(events[1]).toMatchObject({ key: '7', attempt: 2, sensitive: ['x'] })
    expect(events[2]).toMatchObject({ id: '1', agent: '5', content: null })
    expect(events[5]).toMatchObject({
      to: '3',
      reason: '9',
      items_before: ['hello'],
      ack_due: '1970-01-01T00:00:00.000Z',
    })
    expect(events[6]).toMatchObject({ items: [{ role: 'user' }] })
    expect(events[6]).not.toHaveProperty('record')
  })

  test('becomes a field of the event itself: run, kind, seq, at and writer are ours', async () => {
    const forged = { run: 'other', kind: 'run.end', seq: 99, at: 'never', writer: 'me', v: 7, kept: 1 }
    const events = await capture((handspan) => handspan.startRun({ id: 'mine' }).event('note', forged))
    expect(ofKind(events, 'note')[0]).toMatchObject({ run: 'mine', seq: 2, v: 1, kept: 1 })
    expect(events[1]!.writer).toBe(events[0]!.writer)
  })

  test('is changed: the objects of the program stay as they are, frozen ones included', async () => {
    const items = Object.freeze([Object.freeze({ role: 'user', content: 'Bearer abcdefgh12345678' })])
    const args = Object.freeze({ password: 'hunter2', nested: Object.freeze({ when: new Date(0) }) })
    const before = JSON.stringify([items, args])
    await capture(async (handspan) => {
      const run = handspan.startRun()
      await run.tool(async (_args: typeof args) => items)(args)
      run.handoff({ to: 'b', items })
    })
    expect(JSON.stringify([items, args])).toBe(before)
  })

  test('that changes later changes what was written', async () => {
    const items = [{ role: 'user', content: 'first' }]
    const events = await capture((handspan) => {
      const run = handspan.startRun()
      run.modelInput({ items })
      items[0]!.content = 'second'
    })
    expect(ofKind(events, 'model.input')[0]!.items).toEqual([{ role: 'user', content: 'first' }])
  })
})
