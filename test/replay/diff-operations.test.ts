import { describe, expect, it } from 'vitest'
import { estimateByBytes } from '../../model/tokens.ts'
import { diffHandoff } from '../../replay/diff/diff.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { foldRun } from '../../replay/fold/fold.ts'
import { type Entry, item, log, message, operation, read, received, sent } from './run-builder.ts'

function diffs(...entries: Entry[]): HandoffDiff[] {
  const run = foldRun(log(entries))
  return run.handoffs.map((handoff) => diffHandoff(run, handoff, estimateByBytes))
}

const KEY = 'o7:2-reserve'
const ARGS = { sku: 'A-7', count: 40 }
const inDoubt = operation('orders', 'op-1', 'reserve_stock', ARGS, 'sent', { key: KEY, call: 'call_1' })

/** One handoff after one call in doubt, and how that call crossed. */
function crossing(
  payload: object,
  call: Entry = inDoubt,
  before: unknown[] = [item.user('u', 'Forty, please.')],
) {
  const [diff] = diffs(
    call,
    sent('h', 'orders', 'billing', { items_before: before }),
    received('h', 'billing', payload),
  )
  const [first] = diff!.operations
  return {
    ...first!,
    degree: first!.degree,
    differences: first!.differences,
    matched: first!.matched,
    guess: first!.guess,
    evidence: first!.evidence,
  }
}

const degree = (payload: object, call?: Entry) => crossing(payload, call).degree
const said = (content: unknown) => ({ items: [item.agent('a', 'orders', content)] })
const entry = { op: 'op-1', tool: 'reserve_stock', args: ARGS, key: KEY, state: 'sent' }
const record = (fields: object) => ({ record: { open_operations: [{ ...entry, ...fields }] } })

describe('carried: the key is in the record, with tool, arguments and state unchanged', () => {
  it.each([
    ['whole', record({})],
    ['arguments in another order', record({ args: { count: 40, sku: 'A-7' } })],
    ['unknown is as much in doubt as sent', record({ state: 'unknown' })],
    ['the key alone', { record: { open_operations: [KEY] } }],
    ['closed', record({ state: 'closed' })],
  ])('%s', (_, payload) => {
    const found = crossing(payload)
    expect([found.degree, found.differences, found.guess]).toEqual(['carried', [], false])
    expect(found.evidence).toEqual([{ step: 2, side: 'receiver', path: 'record.open_operations[0]' }])
  })
})

describe('altered: the key is there, and something else differs, field by field', () => {
  it.each([
    [{ tool: 'reserve' }, { field: 'tool', sent: 'reserve_stock', received: 'reserve' }],
    [{ args: { sku: 'A-7', count: 41 } }, { field: 'args', sent: ARGS, received: { sku: 'A-7', count: 41 } }],
    [{ state: 'failed' }, { field: 'state', sent: 'sent', received: 'failed' }],
    [{ state: 'settled' }, { field: 'state', sent: 'sent', received: 'settled' }],
  ])('%j', (fields, difference) => {
    const found = crossing(record(fields))
    expect([found.degree, found.differences]).toEqual(['altered', [difference]])
  })

  it('also where it stands among the completed effects', () => {
    const found = crossing({ record: { completed_effects: [{ key: KEY }] } })
    expect([found.degree, found.differences]).toEqual([
      'altered',
      [{ field: 'state', sent: 'sent', received: 'settled' }],
    ])
  })
})

describe('key in words: its text stands where a model reads', () => {
  it.each([
    ['in a sentence', said(`Sent under ${KEY}.`)],
    ['in the instructions', { instructions: `Settle ${KEY} first.` }],
    ['in JSON', said(JSON.stringify({ key: KEY }))],
    [
      'in JSON inside a string inside JSON',
      said(JSON.stringify({ body: JSON.stringify({ note: `"${KEY}"` }) })),
    ],
    ['in the arguments of a call', { items: [item.call('i', 'c', 'note', { text: KEY })] }],
    ['in a part of a message', { items: [{ role: 'assistant', content: [{ type: 'text', text: KEY }] }] }],
    ['cut by a line break', said(`Sent under ${KEY.slice(0, 6)}\n  ${KEY.slice(6)}, no answer.`)],
  ])('%s', (_, payload) => {
    const found = crossing(payload)
    expect([found.degree, found.matched, found.guess]).toEqual(['key in words', KEY, false])
  })

  it.each([
    ['a longer key', said(`Sent under ${KEY}2.`)],
    [
      'a longer key over a line break',
      said(`Sent under ${KEY}\n2 and x${KEY}`.replace(`${KEY}\n`, `${KEY}`)),
    ],
    ['the end of another key', said(`Sent under x${KEY}.`)],
  ])('not in %s', (_, payload) => {
    expect(degree(payload)).not.toBe('key in words')
  })

  it('not for a key so short that it stands in ordinary text by accident', () => {
    const short = operation('orders', 'op-1', 'reserve_stock', ARGS, 'sent', { key: '40' })
    expect(degree(said('40 it is.'), short)).toBe('absent')
    expect(degree({ record: { open_operations: ['40'] } }, short)).toBe('carried')
  })

  it('is worth more than the bare call, and less than the record', () => {
    const both = { items: [item.call('i', 'call_1', 'reserve_stock', ARGS), item.agent('a', 'orders', KEY)] }
    expect(degree(both)).toBe('key in words')
    expect(degree({ ...both, ...record({}) })).toBe('carried')
  })
})

describe('described: the call can be seen, without the key', () => {
  it.each([
    ['by its call id', item.call('i', 'call_1', 'anything', {})],
    ['by its operation', item.call('i', 'x', 'anything', {}, { op: 'op-1' })],
    ['by tool and arguments', item.call('i', 'x', 'reserve_stock', { count: 40, sku: 'A-7' })],
    [
      'in another form',
      { type: 'function_call', call_id: 'x', name: 'reserve_stock', arguments: JSON.stringify(ARGS) },
    ],
    ['in prose, with every argument', item.agent('a', 'orders', 'Called reserve_stock for A-7, 40 pieces.')],
  ])('%s', (_, one) => {
    const found = crossing({ items: [one] })
    expect([found.degree, found.guess]).toEqual(['described', false])
  })

  it('not by a call of the same tool with other arguments', () => {
    expect(degree({ items: [item.call('i', 'x', 'reserve_stock', { sku: 'B-1', count: 1 })] })).not.toBe(
      'described',
    )
  })

  it('is the most that an entry without a key amounts to', () => {
    const keyless = operation('orders', 'op-1', 'reserve_stock', ARGS, 'sent')
    expect(
      degree(
        { record: { open_operations: [{ op: 'op-1', tool: 'reserve_stock', state: 'sent' }] } },
        keyless,
      ),
    ).toBe('described')
  })
})

describe('mentioned: only narration, shown with its sentence and as a guess', () => {
  it.each([
    ['by the act', 'On it. Reserving forty now.', 'Reserving forty now.'],
    ['by the object', 'The stock should be on its way', 'The stock should be on its way'],
    ['by an argument that stands out, in any language', 'Bestellt, A-7 kommt.', 'Bestellt, A-7 kommt.'],
    ['in Japanese', '在庫を確認中。A-7 を押さえました。', '在庫を確認中。A-7 を押さえました。'],
  ])('%s', (_, content, matched) => {
    const found = crossing(said(content))
    expect([found.degree, found.matched, found.guess]).toEqual(['mentioned', matched, true])
  })

  it('is not what the user asked for', () => {
    expect(degree({ items: [item.user('u', 'Please reserve forty of A-7.')] })).toBe('absent')
  })
})

describe('absent: nothing hints at it', () => {
  it.each([
    ['nothing crossed', { items: [] }],
    ['other words', said('Good morning.')],
    [
      'a record without it',
      { record: { open_operations: [{ ...entry, key: 'other' }], constraints: ['x'] } },
    ],
  ])('%s', (_, payload) => {
    const found = crossing(payload)
    expect([found.degree, found.differences, found.matched, found.evidence]).toEqual([
      'absent',
      [],
      undefined,
      [],
    ])
  })
})

describe('which operations are compared', () => {
  const payload = [sent('h', 'orders', 'billing'), received('h', 'billing')]
  const shown = (...entries: Entry[]) =>
    diffs(...entries)
      .at(-1)!
      .operations.map(({ operation: { op }, inDoubt: open }) => [op, open])

  it("the sender's and nobody's, those in doubt first; not another agent's, not later ones", () => {
    expect(
      shown(
        operation('orders', 'done', 't', 1, 'settled', { key: 'k0' }),
        operation('orders', 'open', 't', 2, 'unknown', { key: 'k1' }),
        operation('audit', 'foreign', 't', 3, 'sent', { key: 'k2' }),
        { kind: 'operation', op: 'nobody', tool: 't', args: 4, effect: 'write', state: 'sent', key: 'k3' },
        read('orders', 'look', 't', 5, 'sent'),
        operation('orders', 'idea', 't', 6, 'proposed'),
        ...payload,
        operation('orders', 'later', 't', 7, 'sent', { key: 'k4' }),
      ),
    ).toEqual([
      ['open', true],
      ['nobody', true],
      ['done', false],
      ['look', false],
      ['idea', false],
    ])
  })

  it('as they were known when the handoff was sent', () => {
    expect(
      shown(inDoubt, ...payload, operation('orders', 'op-1', 'reserve_stock', ARGS, 'settled', { key: KEY })),
    ).toEqual([['op-1', true]])
  })

  it('those that an earlier handoff had carried to the sender', () => {
    expect(
      shown(
        inDoubt,
        sent('h1', 'orders', 'billing'),
        received('h1', 'billing', record({})),
        sent('h2', 'billing', 'audit'),
        received('h2', 'audit'),
      ),
    ).toEqual([['op-1', true]])
  })

  it('all of them where no agent is named', () => {
    const anonymous = [
      { kind: 'operation', op: 'op-1', tool: 't', args: 1, effect: 'write', state: 'sent', key: 'k' },
      { kind: 'handoff.sent', handoff: 'h', items_before: [] },
      { kind: 'handoff.received', handoff: 'h', items: [] },
    ]
    expect(shown(operation('x', 'op-0', 't', 0, 'sent', { key: 'k0' }), ...anonymous)).toEqual([
      ['op-0', true],
      ['op-1', true],
    ])
  })

  it('what is done only once for each receiver, what is in doubt at every handoff', () => {
    const done = operation('orders', 'done', 't', 1, 'settled', { key: 'k0' })
    const again = [sent('h2', 'orders', 'billing'), received('h2', 'billing')]
    expect(shown(done, inDoubt, ...payload, ...again)).toEqual([['op-1', true]])
    expect(shown(done, inDoubt, ...payload, sent('h2', 'orders', 'audit'), received('h2', 'audit'))).toEqual([
      ['op-1', true],
      ['done', false],
    ])
    // An attempt that nobody received has compared nothing.
    expect(
      shown(done, sent('h', 'orders', 'billing'), sent('h', 'orders', 'billing'), received('h', 'billing')),
    ).toEqual([['done', false]])
  })

  it('and how many of those that are done are left out is said', () => {
    const done = Array.from({ length: 230 }, (_, n) =>
      operation('orders', `done-${n}`, 't', n, 'settled', { key: `k${n}` }),
    )
    const again = [sent('h2', 'orders', 'billing'), received('h2', 'billing')]
    const [first, second] = diffs(
      ...done,
      inDoubt,
      operation('audit', 'x', 't', 1, 'settled'),
      ...payload,
      ...again,
    )
    expect([first!.operations.length, first!.settledLeftOut]).toEqual([201, 30])
    expect([second!.operations.length, second!.settledLeftOut]).toEqual([1, 230])
  })
})

describe('the two timings: the request had landed, or is still travelling', () => {
  const carried = record({})
  const described = { items: [item.call('i', 'call_1', 'reserve_stock', ARGS)] }
  const nothing = { items: [] }
  const REPEATS = 'repeats the effect'
  const STRANGER = "adopts a stranger's result"

  function timings(payload: object, ...later: Entry[]) {
    const [diff] = diffs(inDoubt, sent('h', 'orders', 'billing'), received('h', 'billing', payload), ...later)
    const { landed, delayed } = diff!.operations[0]!.timings!
    return [landed, delayed]
  }

  const settled = (by: string | undefined, state = 'settled') =>
    operation('billing', 'op-1', 'reserve_stock', ARGS, state, {
      key: KEY,
      ...(by === undefined ? {} : { by }),
    })
  const again = (key: string | undefined, fields: object = {}) =>
    operation('billing', 'op-2', 'reserve_stock', ARGS, 'sent', { key, ...fields })

  it.each([
    ['closed by its key', [settled('closed', 'closed')], ['safe', 'safe']],
    ['looked up by its key', [settled('key')], ['safe', 'safe']],
    ['answered late', [settled(undefined)], ['safe', 'safe']],
    ['awaited', [settled('awaited')], ['safe', 'safe']],
    ['looked up by its details', [settled('details')], [STRANGER, STRANGER]],
    ['sent again under a new key', [again('new')], [REPEATS, REPEATS]],
    ['sent again without a key', [again(undefined)], [REPEATS, REPEATS]],
    [
      'looked for, then sent again',
      [read('billing', 'r', 'find_stock', { sku: 'A-7' }), again('new')],
      [STRANGER, REPEATS],
    ],
  ] as const)('%s, however it crossed', (_, later, expected) => {
    for (const payload of [carried, described, nothing]) expect(timings(payload, ...later)).toEqual(expected)
  })

  it('what the receiver could still do, where it has not acted', () => {
    expect(timings(carried)).toEqual(['safe', 'safe'])
    expect(timings(record({ state: 'failed' }))).toEqual(['unknown', 'unknown'])
    expect(timings(said(`under ${KEY}`))).toEqual(['unknown', 'unknown'])
    expect(timings(described)).toEqual([STRANGER, REPEATS])
    expect(timings(said('Reserving forty now.'))).toEqual([STRANGER, REPEATS])
    expect(timings(nothing)).toEqual([REPEATS, REPEATS])
  })

  it('sent again under the same key: the service knows it', () => {
    expect(timings(carried, again(KEY))).toEqual(['safe', 'safe'])
  })

  it('another effect, or one before the handoff, is no repeat', () => {
    expect(
      timings(carried, operation('billing', 'op-2', 'reserve_stock', { sku: 'B-1' }, 'sent', { key: 'n' })),
    ).toEqual(['safe', 'safe'])
    expect(
      timings(carried, operation('billing', 'op-2', 'reserve_stock', ARGS, 'proposed', { key: 'n' })),
    ).toEqual(['safe', 'safe'])
  })

  it('an equal call that went out before the handoff is no repeat of it', () => {
    const [diff] = diffs(
      operation('orders', 'op-0', 'reserve_stock', ARGS, 'settled', { key: 'earlier' }),
      inDoubt,
      sent('h', 'orders', 'billing'),
      received('h', 'billing', carried),
    )
    expect(diff!.operations[0]!.timings).toMatchObject({ landed: 'safe', delayed: 'safe' })
  })

  it('are given for what is in doubt and for nothing else', () => {
    const [diff] = diffs(
      operation('orders', 'op-1', 't', 1, 'settled', { key: 'k' }),
      read('orders', 'op-2', 't', 2, 'unknown'),
      sent('h', 'orders', 'billing'),
      received('h', 'billing'),
    )
    expect(diff!.operations.map(({ timings: found }) => found)).toEqual([undefined, undefined])
  })
})

describe('order at the receiver: settled before it planned or wrote', () => {
  const settle = operation('billing', 'op-1', 'reserve_stock', ARGS, 'settled', { key: KEY, by: 'key' })
  const speak = message('assistant', 'Here is your invoice.', { agent: 'billing' })
  const write = operation('billing', 'op-9', 'send_invoice', { n: 1 }, 'sent', { key: 'i1' })
  const settling = (payload: object, ...later: Entry[]) =>
    diffs(
      inDoubt,
      sent('h', 'orders', 'billing'),
      received('h', 'billing', payload),
      ...later,
    )[0]!.settling.map(({ order, how, milliseconds }) => [order, how, milliseconds])

  it.each([
    ['settled first', [settle, speak, write], ['before planning', 'key', 2000]],
    ['spoke first', [speak, settle], ['after planning', 'key', 4000]],
    ['wrote first', [write, settle], ['after planning', 'key', 4000]],
    [
      'asked its model first',
      [{ kind: 'model.input', agent: 'billing', items: [] }, settle],
      ['after planning', 'key', 4000],
    ],
    ['never', [speak], ['not settled', undefined, undefined]],
    [
      'the user speaks, another agent acts',
      [message('user', 'hello?', { agent: 'billing' }), { ...write, agent: 'audit' }, settle],
      ['before planning', 'key', 6000],
    ],
  ] as const)('%s', (_, later, expected) => {
    expect(settling(record({}), ...later)).toEqual([expected])
  })

  it('says nothing of a call whose key did not cross', () => {
    expect(settling({ items: [] }, settle)).toEqual([])
  })
})

describe('sides that are missing', () => {
  it('sent, never received', () => {
    const [diff] = diffs(inDoubt, sent('h', 'orders', 'billing', { record: { intent: 'bill' } }))
    expect(diff).toMatchObject({ complete: false, operations: [], settling: [], items: { judged: false } })
    expect(diff!.receipt).toBeUndefined()
    expect(diff!.contract.find(({ field }) => field === 'intent')).toEqual({
      field: 'intent',
      sent: 'present',
      received: 'absent',
    })
  })

  it('received, never sent', () => {
    const [diff] = diffs(inDoubt, received('h', 'billing', { items: ['hi'] }))
    expect(diff).toMatchObject({ complete: false, operations: [], items: { judged: false } })
    expect(diff!.sizes.items).toMatchObject({ count: 1 })
    expect(diff!.sizes.itemsBefore).toBeUndefined()
  })

  it('delivered twice: the first receipt counts', () => {
    const [diff] = diffs(
      inDoubt,
      sent('h', 'orders', 'billing'),
      received('h', 'billing', record({})),
      received('h', 'billing'),
    )
    expect(diff!.operations[0]!.degree).toBe('carried')
  })

  it('each attempt on its own', () => {
    const found = diffs(
      inDoubt,
      sent('h', 'orders', 'billing'),
      received('h', 'billing', { attempt: 1 }),
      sent('h', 'orders', 'billing'),
      received('h', 'billing', { attempt: 2, ...record({}) }),
    )
    expect(found.map(({ handoff, operations }) => [handoff.attempt, operations[0]!.degree])).toEqual([
      [1, 'absent'],
      [2, 'carried'],
    ])
  })
})
