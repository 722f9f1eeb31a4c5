import { describe, expect, it } from 'vitest'
import { end, findingsOf, judge, operation, raised, read, received, sent, start } from '../run-builder.ts'

/* Formats that give calls no ids: an answer belongs to the earliest call of its tool that has none yet. */

type Form = {
  ask: object
  call(tool: string, args: object): object
  answer(tool: string, text: string): object
}

const functions: Form = {
  ask: { role: 'user', content: 'What is berth 4, and who has it?' },
  call: (name, args) => ({
    role: 'assistant',
    content: null,
    function_call: { name, arguments: JSON.stringify(args) },
  }),
  answer: (name, content) => ({ role: 'function', name, content }),
}
const gemini: Form = {
  ask: { role: 'user', parts: [{ text: 'What is berth 4, and who has it?' }] },
  call: (name, args) => ({ role: 'model', parts: [{ functionCall: { name, args } }] }),
  answer: (name, result) => ({ role: 'user', parts: [{ functionResponse: { name, response: { result } } }] }),
}

const settled = (op: string, tool: string, args: object, result: string) =>
  read('front', op, tool, args, 'settled', { call: `call-${op}`, result })

describe.each([
  ['functions', functions],
  ['Gemini', gemini],
])('calls of %s', (_, { ask, call, answer }) => {
  const price = call('price', { berth: 4 })
  const cheap = answer('price', '38 a night')
  const owner = call('owner', { berth: 4 })
  const ida = answer('owner', 'Ida Holm')
  const all = [ask, price, owner, cheap, ida]
  const over = (before: object[], after: object[], fields: object = {}) =>
    judge(
      start(),
      settled('op-1', 'price', { berth: 4 }, '38 a night'),
      settled('op-2', 'owner', { berth: 4 }, 'Ida Holm'),
      sent('h1', 'front', 'night', { items_before: before, ...fields }),
      received('h1', 'night', { items: after }),
      end(),
    )

  it('are no finding where all of them cross, one after the other or at once', () => {
    expect(raised(over(all, all))).toEqual([])
    const inTurn = [ask, price, cheap, owner, ida]
    expect(raised(over(inTurn, inTurn))).toEqual([])
    expect(raised(over(all, [ask], { policy: { filter: 'remove-tools' } }))).toEqual([])
  })

  it('have crossed at a resume with the answer that was got at first, though the log found another since', () => {
    const book = (state: string, fields: object = {}) =>
      operation('front', 'op-3', 'book', { berth: 4 }, state, { call: 'call-3', key: 'k3', ...fields })
    const tried = [ask, call('book', { berth: 4 }), answer('book', 'error: no reply')]
    const resumed = judge(
      start(),
      book('unknown'),
      book('settled', { by: 'key', result: 'booked as B-7' }),
      sent('h1', 'front', 'front', { mode: 'resume', items_before: tried }),
      received('h1', 'front', { mode: 'resume', items: tried }),
      end(),
    )
    expect(findingsOf(resumed, 'op-result-missing')).toEqual([])
  })

  it('are orphans where the answer stays behind, and their result is missed', () => {
    const lost = over(all, [ask, price, owner, ida])
    expect(raised(lost).sort()).toEqual(['item-orphaned', 'op-result-missing'])
    const [orphan] = findingsOf(lost, 'item-orphaned')
    expect(orphan?.message).toContain('a call without its result: price (items[1])')
    expect(orphan?.message).toContain('The other half stood at items_before[3]')
    expect(findingsOf(lost, 'op-result-missing')[0]?.subject).toMatchObject({ id: 'op-1' })
  })

  it('leave an answer without its call', () => {
    const [orphan] = findingsOf(over(all, [ask, owner, cheap, ida]), 'item-orphaned')
    expect(orphan?.message).toContain('a result without its call: price (items[2])')
  })

  it('are missed one by one where a tool was asked twice', () => {
    const twice = [ask, price, cheap, call('price', { berth: 5 }), answer('price', '41 a night')]
    expect(findingsOf(over(twice, twice), 'item-orphaned')).toEqual([])
    const [orphan] = findingsOf(over(twice, twice.slice(0, 4)), 'item-orphaned')
    expect(orphan?.message).toContain('price (items[3])')
  })

  it('are no orphans where the sender had no answer either', () => {
    expect(findingsOf(over([ask, price], [ask, price]), 'item-orphaned')).toEqual([])
  })

  it('are answered by a message in the role of a tool that names nothing', () => {
    const told = [ask, price, { role: 'tool', content: '38 a night' }]
    expect(findingsOf(over(all, told), 'item-orphaned')).toEqual([])
  })
})

describe('a call with an id whose answer has none', () => {
  const asked = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'price', arguments: '{}' } }],
  }
  const over = (answer: object) =>
    findingsOf(
      judge(
        start(),
        sent('h1', 'front', 'night', { items_before: [asked, answer] }),
        received('h1', 'night', { items: [asked, answer] }),
        end(),
      ),
      'item-orphaned',
    )

  it('has it by its order, and not where the answer names another call', () => {
    expect(over({ role: 'tool', tool_responses: [{ role: 'tool', content: '38' }], content: '38' })).toEqual(
      [],
    )
    expect(over({ role: 'tool', tool_call_id: 'c2', content: '38' })).not.toEqual([])
  })
})
