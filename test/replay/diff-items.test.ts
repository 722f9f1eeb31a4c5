import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateByBytes } from '../../model/tokens.ts'
import { diffHandoff } from '../../replay/diff/diff.ts'
import { foldRun } from '../../replay/fold/fold.ts'
import { type Entry, item, log, operation, received, sent } from './run-builder.ts'

function diffOf(
  before: unknown[],
  after: unknown[],
  fields: { received?: object; earlier?: Entry[]; sent?: object } = {},
) {
  const run = foldRun(
    log([
      ...(fields.earlier ?? []),
      sent('h', 'a', 'b', { items_before: before, ...fields.sent }),
      received('h', 'b', { items: after, ...fields.received }),
    ]),
  )
  return diffHandoff(run, run.handoffs[0]!, estimateByBytes)
}

/** Fates as `fate before>after`, by position, with a star for what left its order. */
function fates(before: unknown[], after: unknown[]): string[] {
  return diffOf(before, after).items.fates.map(
    ({ fate, before: from, after: to, reordered }) =>
      `${fate} ${from?.path.slice(12) ?? ''}>${to?.path.slice(5) ?? ''}${reordered ? '*' : ''}`,
  )
}

const user = (id: string, text: string) => item.user(id, text)

/** Lists in several forms, with ids, call ids, or nothing but their content to know them by. Contents differ. */
const list = fc
  .array(fc.constantFrom('message', 'bare', 'call', 'chat', 'anthropic', 'gemini', 'image', 'own'), {
    maxLength: 12,
  })
  .map((forms) =>
    forms.map((form, n): unknown => {
      if (form === 'message') return { id: `m${n}`, type: 'message', role: 'user', content: `words ${n}` }
      if (form === 'bare') return `bare ${n}`
      if (form === 'call') return { type: 'tool_call', call: `c${n}`, tool: 'look', args: { n } }
      if (form === 'chat') {
        const call = { id: `f${n}`, type: 'function', function: { name: 'look', arguments: `{"n":${n}}` } }
        return { role: 'assistant', content: `on it ${n}`, tool_calls: [call] }
      }
      if (form === 'anthropic')
        return { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: `r ${n}` }] }
      if (form === 'gemini')
        return { role: 'model', parts: [{ text: `g ${n}` }, { functionCall: { name: 'look', args: { n } } }] }
      if (form === 'image')
        return { role: 'user', content: [{ type: 'image', source: { type: 'base64', data: `AA${n}` } }] }
      return { type: 'odd', payload: n }
    }),
  )

describe('alignment', () => {
  it('an unchanged list is all kept', () => {
    fc.assert(
      fc.property(list, (items) => {
        for (const { fate, reordered, changes } of diffOf(items, items).items.fates) {
          expect([fate, reordered, changes]).toEqual(['kept', false, []])
        }
      }),
    )
  })

  it('a permutation is all kept, and reordered just where it has to be', () => {
    const shuffled = list.chain((items) =>
      fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length })),
    )
    fc.assert(
      fc.property(shuffled, ([items, mixed]) => {
        const { fates: found } = diffOf(items, mixed).items
        expect(found.every(({ fate }) => fate === 'kept')).toBe(true)
        // What is left in order, is in order.
        const still = found.filter(({ reordered }) => !reordered).map(({ before }) => before!.position)
        expect(still).toEqual([...still].sort((a, b) => a - b))
        const moved = found.some(({ reordered }) => reordered)
        expect(moved).toBe(JSON.stringify(items) !== JSON.stringify(mixed))
      }),
    )
  })

  it('what is taken out is dropped, what is put in is added, and nothing else happens', () => {
    const parts = (items: unknown[]) => diffOf(items, items).items.fates.length
    fc.assert(
      fc.property(list, fc.func(fc.boolean()), (items, keep) => {
        const left = items.filter((_, index) => keep(index))
        const gone = items.filter((_, index) => !keep(index))
        const count = (all: { fate: string }[], fate: string) => all.filter((one) => one.fate === fate).length
        const dropped = diffOf(items, left).items
        expect(count(dropped.fates, 'kept')).toBe(parts(left))
        expect(count(dropped.fates, 'dropped')).toBe(parts(gone))
        expect(Object.values(dropped.droppedByType).reduce((a, b) => a + b, 0)).toBe(parts(gone))
        const added = diffOf(left, items).items
        expect(count(added.fates, 'added')).toBe(parts(gone))
        expect(count(added.fates, 'kept')).toBe(parts(left))
        expect(added.fates.some(({ reordered }) => reordered)).toBe(false)
      }),
    )
  })

  it('goes by id, else by call, else by content, over different forms', () => {
    const plain = [item.call('i1', 'c1', 'look', { n: 1 }), item.result('i2', 'c1', 'found')]
    const chat = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"n":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
    ]
    expect(fates(plain, chat)).toEqual(['kept [0]>[0]', 'kept [1]>[1]'])
    expect(fates([{ role: 'user', content: 'hello' }], [user('new-id', 'hello')])).toEqual(['kept [0]>[0]'])
  })

  it('says which fields of an item changed', () => {
    const before = [user('u', 'forty'), item.call('i', 'c', 'look', { n: 1 }), item.agent('a', 'one', 'x')]
    const after = [
      user('u', 'forty-one'),
      item.call('i', 'c', 'look', { n: 2 }),
      { ...item.agent('a', 'two', 'x'), role: 'user' },
    ]
    expect(diffOf(before, after).items.fates.map(({ fate, changes }) => [fate, changes])).toEqual([
      ['changed', ['text']],
      ['changed', ['args']],
      ['changed', ['role', 'author']],
    ])
  })
})

describe('fates', () => {
  it('reordered: only what left the longest order that stayed', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => user(id, `words of ${id}`))
    expect(fates([a, b, c, d], [d, a, b, c])).toEqual([
      'kept [3]>[0]*',
      'kept [0]>[1]',
      'kept [1]>[2]',
      'kept [2]>[3]',
    ])
  })

  it('folded: gone, and a summary stands for it', () => {
    const summary = { id: 's', type: 'summary', role: 'assistant', content: 'said', covers: ['u', 'i'] }
    expect(fates([user('u', 'one'), user('v', 'two'), item.call('i', 'c', 't')], [summary])).toEqual([
      'folded [0]>',
      'dropped [1]>',
      'folded [2]>',
      'added >[0]',
    ])
  })

  it('duplicated: there a second time, or in a summary and raw', () => {
    const one = user('u', 'Where is my parcel, please?')
    expect(fates([one], [one, one])).toEqual(['kept [0]>[0]', 'duplicated >[1]'])
    const summary = { id: 's', type: 'summary', role: 'assistant', content: 'x', covers: ['u'] }
    expect(fates([one], [summary, one])).toEqual(['added >[0]', 'duplicated [0]>[1]'])
  })

  it('what two people both said is no copy', () => {
    const both = [item.agent('a', 'one', 'Yes.'), item.agent('b', 'two', 'Yes.')]
    expect(fates(both, both)).toEqual(['kept [0]>[0]', 'kept [1]>[1]'])
  })

  it('orphaned: a call without its result, a result without its call, reasoning without what it needs', () => {
    const call = item.call('i1', 'c1', 'look')
    const result = item.result('i2', 'c1', 'found')
    const thought = { id: 'r', type: 'reasoning', content: 'hm', needs: 'i1' }
    const orphans = (after: unknown[], earlier: Entry[] = []) =>
      diffOf([thought, call, result], after, { earlier }).items.fates.flatMap(
        ({ orphaned }) => orphaned ?? [],
      )
    expect(orphans([thought, call, result])).toEqual([])
    expect(orphans([call])).toEqual(['a call without its result'])
    expect(orphans([result])).toEqual(['a result without its call'])
    expect(orphans([thought])).toEqual(['reasoning without the item that it needs'])
    // Its operation is still under way: there is no result yet.
    expect(orphans([call], [operation('a', 'op-1', 'look', {}, 'sent', { call: 'c1' })])).toEqual([])
    expect(orphans([call], [operation('a', 'op-1', 'look', {}, 'settled', { call: 'c1' })])).toEqual([
      'a call without its result',
    ])
  })

  it('are not judged where a side was not captured', () => {
    expect(diffOf([user('u', 'x')], [], { received: { items: undefined } }).items).toMatchObject({
      judged: false,
      fates: [],
    })
    expect(diffOf([], [user('u', 'x')], { sent: { items_before: undefined } }).items).toMatchObject({
      judged: false,
      fates: [],
    })
    expect(diffOf([], []).items).toMatchObject({ judged: true, fates: [] })
  })

  it('are counted by type, whatever a type is called', () => {
    const odd = (type: string, n: number) => ({ id: `o${n}`, type, content: `x${n}` })
    const before = [odd('constructor', 1), odd('constructor', 2), odd('note', 3), item.call('i', 'c', 't')]
    expect(Object.entries(diffOf(before, []).items.droppedByType)).toEqual([
      ['constructor', 2],
      ['note', 1],
      ['tool_call', 1],
    ])
  })
})

describe('leaks', () => {
  const secret = operation('a', 'op-1', 'look', {}, 'settled', {
    call: 'c1',
    result: 'Ann 5100',
    sensitive: ['Ann 5100'],
  })
  const line = 'Ann earns 5100 and Bo 4700 a month'
  const before = [item.call('i1', 'c1', 'look'), item.result('i2', 'c1', `table\n  ${line}\nshort`)]
  const leaks = (after: unknown[], fields: object = {}, earlier: Entry[] = []) =>
    diffOf(before, after, { received: fields, earlier }).items.leaks.map(({ text, path, sensitive }) => [
      text,
      path,
      sensitive,
    ])

  it('text of a dropped result that stands elsewhere', () => {
    expect(leaks([item.agent('a', 'a', `It says: ${line}.`)])).toEqual([[line, 'items[0]', false]])
    expect(leaks([], { instructions: `Known: ${line}` })).toEqual([[line, 'instructions', false]])
  })

  it('not where the result itself crossed, nor for a stretch too short to tell', () => {
    expect(leaks([...before, item.agent('a', 'a', line)])).toEqual([])
    expect(leaks([item.agent('a', 'a', 'It is short.')])).toEqual([])
  })

  it('a value marked sensitive, in whatever item, the instructions or the record', () => {
    expect(
      leaks(
        [user('u', 'So Ann 5100?'), item.call('i9', 'c9', 'note', { text: 'Ann 5100' })],
        { instructions: 'Ann 5100', record: { evidence: [{ summary: 'Ann 5100' }] } },
        [secret],
      ),
    ).toEqual([
      ['Ann 5100', 'items[0]', true],
      ['Ann 5100', 'items[1]', true],
      ['Ann 5100', 'instructions', true],
      ['Ann 5100', 'record.evidence[0].summary', true],
    ])
    expect(leaks([user('u', 'Ann 51000')], {}, [secret])).toEqual([])
  })
})

describe('sizes', () => {
  const utf8 = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

  it('are those of the verbatim compact JSON, counted independently', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 8 }),
        fc.array(fc.jsonValue(), { maxLength: 8 }),
        (before, after) => {
          const record = { intent: 'é', open_operations: [] }
          const { sizes } = diffOf(before, after, { received: { record, instructions: 'Böse' } })
          expect(sizes.itemsBefore).toEqual({
            bytes: utf8(before),
            count: before.length,
            tokens: Math.ceil(utf8(before) / 4),
          })
          expect(sizes.items).toEqual({
            bytes: utf8(after),
            count: after.length,
            tokens: Math.ceil(utf8(after) / 4),
          })
          expect(sizes.record).toEqual({ bytes: utf8(record), tokens: Math.ceil(utf8(record) / 4) })
          expect(sizes.instructions).toEqual({ bytes: utf8('Böse'), tokens: Math.ceil(utf8('Böse') / 4) })
          expect(sizes.tokenMethod).toBe('bytes/4')
          const largest = after.map((one, index) => ({ path: `items[${index}]`, bytes: utf8(one) }))
          largest.sort((a, b) => b.bytes - a.bytes)
          expect(sizes.largest.map(({ path, bytes }) => ({ path, bytes }))).toEqual(largest.slice(0, 5))
        },
      ),
    )
  })

  it('tell what was not captured from what is empty, and what the log itself states', () => {
    const { sizes } = diffOf([], [], {
      sent: { items_before: undefined, tokens: 12 },
      received: { tokens: 7 },
    })
    expect(sizes.itemsBefore).toBeUndefined()
    expect(sizes.items).toEqual({ bytes: 2, count: 0, tokens: 1 })
    expect([sizes.record, sizes.instructions]).toEqual([undefined, undefined])
    expect(sizes.statedTokens).toEqual({ sent: 12, received: 7 })
  })

  it('name the type of the item that is largest', () => {
    const chat = {
      role: 'assistant',
      content: 'x'.repeat(50),
      tool_calls: [{ id: 'c', function: { name: 't', arguments: '{}' } }],
    }
    expect(diffOf([], [user('u', 'a'), chat]).sizes.largest.map(({ type }) => type)).toEqual([
      'message',
      'message',
    ])
  })
})

describe('size of a list', () => {
  it('20,000 equal items and 20,000 different ones are aligned', () => {
    const equal = Array.from({ length: 20_000 }, () => ({ role: 'assistant', content: 'working' }))
    expect(
      diffOf(equal, equal).items.fates.every(({ fate, reordered }) => fate === 'kept' && !reordered),
    ).toBe(true)
    const calls = Array.from({ length: 20_000 }, (_, n) => item.call(`i${n}`, `c${n}`, 'look', { n }))
    const found = diffOf(calls, [...calls].reverse()).items.fates
    expect(found.filter(({ reordered }) => !reordered)).toHaveLength(1)
  })
})
