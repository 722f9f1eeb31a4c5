import { describe, expect, expectTypeOf, test } from 'vitest'
import type { HandoffRecord, Received } from '../../instrumentation/index.ts'
import { parseEvent } from '../../model/parse-event.ts'
import type { RawRecord } from '../../model/record-schema.ts'
import { capture, ofKind } from './captures.ts'

const ITEMS = [
  { id: 'u1', role: 'user', content: 'Reserve forty and bill me.' },
  { id: 'a1', role: 'assistant', content: 'Reserving forty now.' },
]

const noAnswer = async () => {
  throw new DOMException('late', 'TimeoutError')
}

test('a record as the program sees it is one that the published schema accepts', () => {
  expectTypeOf<HandoffRecord>().toExtend<RawRecord>()
})

describe('the record', () => {
  test('is built from the operations log and what binds the plan, never from the conversation', async () => {
    let record: HandoffRecord | undefined
    await capture((handspan) =>
      handspan.run({ principal: { kind: 'human', id: 'u-17' } }, async (run) => {
        run.constraint('invoice only what is reserved', { order: ['reserve', 'invoice'] }, { id: 'c-1' })
        run.constraint('no longer', undefined, { id: 'c-2' }).revoke()
        const tool = (name: string, effect: 'read' | 'write') => ({
          name,
          effect,
          key: (args: { key: string }) => args.key,
        })
        await run.tool(async (_args: { key: string }) => 'r-9', tool('check', 'read'))({ key: 'k-0' })
        await run.tool(async (_args: { key: string }) => 'c-77', tool('charge', 'write'))({ key: 'k-1' })
        await run
          .tool(
            noAnswer as (args: { key: string }) => Promise<never>,
            tool('reserve', 'write'),
          )({ key: 'k-2' })
          .catch(() => {})
        await run
          .tool(
            noAnswer as (args: { key: string }) => Promise<never>,
            tool('look_up', 'read'),
          )({ key: 'k-3' })
          .catch(() => {})
        run.operation({ tool: 'refund', key: 'k-4' }).proposed()
        run.operation({ tool: 'mail', key: 'k-5' }).failed('refused')
        const waiting = run.approval({ id: 'ap-1', action: 'refund', scope: { eur: 40 }, for: 'op-9' })
        expect(waiting.id).toBe('ap-1')
        run.approval({ id: 'ap-2', action: 'refund' }).approve({ by: 'ann' })
        run.commitment('a mail today', { id: 'p-1' })
        run.commitment('kept', { id: 'p-2' }).close()
        run.permission({ agent: 'billing', allow: ['invoice'], deny: ['reserve'] })
        record = run.handoff({
          from: 'orders',
          to: 'billing',
          items: [...ITEMS, { role: 'assistant', content: 'I also paid the rent under key k-99.' }],
          intent: 'a correct invoice',
          evidence: [{ ref: 'r-9', summary: 'stock checked' }],
          next_action: 'send the invoice',
          stop_condition: 'invoice sent',
          requested_action: 'continue',
          ack_due: '2031-03-04T09:00:00Z',
        }).record
        expect(record.correlation_id).toBe(run.id)
      }),
    )
    expect(record).toEqual({
      origin: { kind: 'human', id: 'u-17' },
      constraints: [
        { id: 'c-1', text: 'invoice only what is reserved', check: { order: ['reserve', 'invoice'] } },
      ],
      open_operations: [
        { op: expect.any(String), tool: 'reserve', args: { key: 'k-2' }, key: 'k-2', state: 'unknown' },
      ],
      completed_effects: [{ op: expect.any(String), tool: 'charge', key: 'k-1', result: 'c-77' }],
      pending_actions: [{ id: 'ap-1', action: 'refund', scope: { eur: 40 }, for: 'op-9', state: 'pending' }],
      commitments: [{ id: 'p-1', text: 'a mail today' }],
      permissions: { allow: ['invoice'], deny: ['reserve'] },
      correlation_id: expect.any(String),
      intent: 'a correct invoice',
      evidence: [{ ref: 'r-9', summary: 'stock checked' }],
      next_action: 'send the invoice',
      stop_condition: 'invoice sent',
      requested_action: 'continue',
      ack_due: '2031-03-04T09:00:00Z',
    })
  })

  test("is the program's own copy", async () => {
    await capture((handspan) => {
      const run = handspan.startRun()
      run.operation({ tool: 'reserve', key: 'k', args: { n: 1 } }).sent()
      const { record } = run.handoff({ to: 'a' })
      record.open_operations[0]!.args = 'changed'
      record.open_operations.push({})
      expect(run.handoff({ to: 'b' }).record.open_operations).toMatchObject([{ args: { n: 1 } }])
    })
  })

  test('that the program made itself is the one that crosses; false crosses nothing', async () => {
    const events = await capture((handspan) => {
      const run = handspan.startRun()
      run.handoff({ to: 'a', record: { open_operations: ['k'] } })
      expect(run.handoff({ to: 'a', record: false }).record.correlation_id).toBe(run.id)
    })
    const [own, none] = ofKind(events, 'handoff.sent')
    expect(own!.record).toEqual({ open_operations: ['k'] })
    expect(none).not.toHaveProperty('record')
  })
})

describe('both sides', () => {
  test('in one process: everything the receiver got and did stands in the same run', async () => {
    const events = await capture((handspan) =>
      handspan.run(
        { principal: 'user', agents: ['orders', { name: 'billing', tools: ['close'] }] },
        async (run) => {
          expect(handspan.current()).toBe(run)
          await run
            .tool(noAnswer, { name: 'reserve', agent: 'orders', key: 'k-2' })()
            .catch(() => {})
          const handoff = run.handoff({
            from: 'orders',
            to: 'billing',
            mode: 'transfer',
            reason: 'bill it',
            items: ITEMS,
          })
          const received = handspan.receive(handoff.carrier, {
            by: 'billing',
            items: ITEMS.slice(0, 1),
            record: handoff.record,
            instructions: 'You send invoices.',
            tools: ['close'],
          })
          expect(received).toMatchObject({ handoff: handoff.id, attempt: 1, orphan: false })
          received.accept('mine now')
          for (const operation of received.record.open_operations) {
            expect(await received.settle(operation, async () => ({ landed: 40 }), { by: 'closed' })).toEqual({
              landed: 40,
            })
          }
          received.verdict('approve', 'checked')
          received.run.message({ role: 'assistant', content: 'done' })
          // What was closed is no longer open for the next receiver.
          expect(received.run.handoff({ to: 'archive' }).record.open_operations).toEqual([])
        },
      ),
    )
    expect(events.map(({ kind }) => kind)).toEqual([
      'run.start',
      'operation',
      'operation',
      'handoff.sent',
      'handoff.received',
      'handoff.accepted',
      'operation',
      'handoff.verdict',
      'message',
      'handoff.sent',
      'run.end',
    ])
    expect(new Set(events.map(({ run }) => run)).size).toBe(1)
    expect(events[3]).toMatchObject({
      from: 'orders',
      to: 'billing',
      mode: 'transfer',
      reason: 'bill it',
      items_before: ITEMS,
      principal: 'user',
    })
    expect(events[4]).toMatchObject({
      by: 'billing',
      items: ITEMS.slice(0, 1),
      instructions: 'You send invoices.',
      tools: ['close'],
    })
    expect(events[6]).toMatchObject({
      op: events[1]!.op,
      key: 'k-2',
      state: 'closed',
      by: 'closed',
      agent: 'billing',
      result: { landed: 40 },
    })
    expect(events[8]).toMatchObject({ agent: 'billing' })
    for (const event of events) expect(parseEvent(event)).toEqual({ event, asWritten: true })
  })

  test.each([
    ['found by key', 'key', { id: 'r-1' }, { state: 'settled', by: 'key', result: { id: 'r-1' } }],
    ['found by details', 'details', { id: 'r-1' }, { state: 'settled', by: 'details' }],
    ['not found', 'key', null, { state: 'unknown' }],
    ['closed, nothing had landed', 'closed', null, { state: 'closed', by: 'closed', result: null }],
  ] as const)('settling an operation: %s', async (_what, by, found, expected) => {
    const events = await capture(async (handspan) => {
      const received = handspan.receive(
        {},
        { by: 'b', record: { open_operations: [{ op: 'op-1', tool: 't', key: 'k' }] } },
      )
      await received.settle(received.record.open_operations[0]!, () => found, { by })
    })
    expect(ofKind(events, 'operation')).toMatchObject([{ op: 'op-1', key: 'k', tool: 't', ...expected }])
  })

  test('settling that fails leaves the operation in doubt and throws the same error', async () => {
    const error = new Error('unreachable')
    const events = await capture(async (handspan) => {
      const received = handspan.receive(
        {},
        { by: 'b', record: { open_operations: [{ op: 'op-1', key: 'k' }] } },
      )
      const [operation] = received.record.open_operations
      await expect(received.settle(operation!, () => Promise.reject(error))).rejects.toBe(error)
      expect(received.run.handoff({ to: 'c' }).record.open_operations).toMatchObject([
        { op: 'op-1', state: 'unknown' },
      ])
    })
    expect(ofKind(events, 'operation')).toMatchObject([
      { state: 'unknown', error: { message: 'unreachable' } },
    ])
  })

  test('what crossed is carried on by the receiver, without being written again', async () => {
    const record = {
      origin: { kind: 'human', id: 'u-1' },
      constraints: [{ id: 'c-1', text: 'never on Sundays' }],
      open_operations: [{ op: 'op-1', tool: 'reserve', key: 'k', args: { n: 1 }, state: 'sent' }],
      pending_actions: [{ id: 'ap-1', action: 'refund', scope: { eur: 4 } }],
      commitments: [{ id: 'p-1', text: 'a mail' }],
    }
    const events = await capture((handspan) => {
      const received = handspan.receive(
        { 'handspan-handoff': '1;r=run-a;h=h-1;a=2;c=1.1' },
        { by: 'b', record },
      )
      expect(received.run.handoff({ to: 'c' }).record).toMatchObject(record)
    })
    expect(events.map(({ kind, run, attempt }) => [kind, run, attempt])).toEqual([
      ['handoff.received', 'run-a', 2],
      ['handoff.sent', 'run-a', undefined],
    ])
  })

  test.each([
    ['an object', (value: string) => ({ 'handspan-handoff': value })],
    ['an object in another case', (value: string) => ({ 'Handspan-Handoff': value })],
    ['fetch Headers', (value: string) => new Headers({ 'Handspan-Handoff': value })],
    ['a Map', (value: string) => new Map([['handspan-handoff', value]])],
    ['lists of values', (value: string) => ({ 'handspan-handoff': [value] })],
    ['bytes, as queues have them', (value: string) => ({ 'handspan-handoff': Buffer.from(value) })],
  ])('the carrier as %s', async (_what, carrier) => {
    await capture((handspan) => {
      const received = handspan.receive(carrier('1;r=run-a;h=h-1;a=1;c=1.1'), { by: 'b' })
      expect([received.run.id, received.handoff, received.orphan]).toEqual(['run-a', 'h-1', false])
    })
  })

  test.each([
    [undefined],
    [null],
    [{}],
    ['text'],
    [{ 'handspan-handoff': 'x'.repeat(10_000) }],
    [
      {
        get: () => {
          throw new Error('no')
        },
      },
    ],
  ])('a hop that says nothing of handspan is an orphan in a run of its own: %j', async (carrier) => {
    let received: Received | undefined
    const events = await capture((handspan) => {
      received = handspan.receive(carrier as never, { by: 'b', items: [] })
      received.accept()
    })
    expect(received).toMatchObject({ orphan: true, record: { open_operations: [], constraints: [] } })
    expect(events.map(({ kind, run }) => [kind, run])).toEqual([
      ['handoff.received', received!.run.id],
      ['handoff.accepted', received!.run.id],
    ])
    expect(events[0]).toMatchObject({ orphan: true })
  })

  test('the envelope is a claim: it brings no principal and no state of another run', async () => {
    await capture((handspan) => {
      const victim = handspan.startRun({ id: 'run-a', principal: { kind: 'human', id: 'boss' } })
      victim.operation({ tool: 'pay', key: 'k' }).sent()
      const received = handspan.receive({ 'handspan-handoff': '1;r=run-a;h=h-forged;a=1;c=1.1' }, { by: 'b' })
      const { record } = received.run.handoff({ to: 'c' })
      expect(record.origin).toBeUndefined()
      expect(record.open_operations).toEqual([])
    })
  })

  test('a receiver is never earlier than its sender, and a clock far ahead is not followed', async () => {
    const ahead = Date.now() + 60_000
    const absurd = Date.now() + 3_600_000
    const carrier = (ms: number) => ({ 'handspan-handoff': `1;r=r;h=h;a=1;c=${ms.toString(36)}.5` })
    const events = await capture((handspan) => {
      handspan.receive(carrier(ahead), { by: 'b' })
      handspan.receive(carrier(absurd), { by: 'b' })
    })
    const [first, second] = events.map(({ at }) => at!)
    expect(first! > `${new Date(ahead).toISOString().slice(0, -1)}000005Z`).toBe(true)
    expect(second! < new Date(absurd).toISOString()).toBe(true)
  })

  test('declined, failed and dead-lettered', async () => {
    const events = await capture((handspan) => {
      const run = handspan.startRun()
      const handoff = run.handoff({ id: 'h-1', to: 'billing' })
      handoff.failed('refused-before-effect', new Error('503'))
      const again = run.handoff({ id: 'h-1', to: 'billing' })
      expect(again.attempt).toBe(2)
      handspan.receive(again.carrier, { by: 'billing' }).decline('closed today')
      again.deadLettered({ reason: 'nobody takes it', attempts: 2, last_status: 'declined' })
    })
    expect(ofKind(events, 'handoff.failed')).toMatchObject([
      { handoff: 'h-1', outcome: 'refused-before-effect', attempt: 1, error: { message: '503' } },
    ])
    expect(ofKind(events, 'handoff.declined')).toMatchObject([
      { handoff: 'h-1', by: 'billing', reason: 'closed today', attempt: 2 },
    ])
    expect(ofKind(events, 'handoff.dead_lettered')).toMatchObject([
      { handoff: 'h-1', reason: 'nobody takes it', attempts: 2, last_status: 'declined' },
    ])
  })
})

test('a run of many operations: what is in doubt is never forgotten, of what is settled the latest thousand stay', async () => {
  await capture((handspan) => {
    const run = handspan.startRun()
    const key = (args: { key: string }) => args.key
    run.operation({ tool: 'reserve', key: 'in doubt' }).sent()
    const pay = run.tool((args: { key: string }) => args.key, { name: 'pay', key })
    for (let number = 0; number < 1_500; number++) pay({ key: `k-${number}` })
    const { record } = run.handoff({ to: 'b' })
    expect(record.open_operations.map((operation) => operation.key)).toEqual(['in doubt'])
    expect(record.completed_effects.map((effect) => effect.key)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `k-${index + 500}`),
    )
  })
})
