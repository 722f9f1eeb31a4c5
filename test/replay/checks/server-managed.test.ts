import { expect, it } from 'vitest'
import { judge, raised, received, sent, start } from '../run-builder.ts'

const question = {
  id: 'u1',
  type: 'message',
  role: 'user',
  content: 'How much is the deed, and who holds it?',
}
const result = { id: 'i2', type: 'function_call_result', callId: 'c1', output: 'ok' }
const handedOver = (policy: object) =>
  judge(
    start(),
    sent('h1', 'desk', 'archive', { items_before: [question], policy }),
    received('h1', 'archive', { items: [result] }),
  )

it('does not judge what the provider added to the items, and says so', () => {
  expect(raised(handedOver({ history: 'full' }))).toEqual(
    expect.arrayContaining(['item-orphaned', 'user-message-dropped']),
  )
  const { findings, notJudged } = handedOver({ history: 'server-managed' })
  expect(findings).toEqual([])
  expect(notJudged).toContainEqual(expect.objectContaining({ check: 'user-message-dropped', handoff: 'h1' }))
})

it('takes a call whose id is its call id for one', () => {
  const call = { id: 'c1', type: 'function_call', callId: 'c1', name: 'look_up', arguments: '{}' }
  const items = [question, call, result]
  expect(
    raised(judge(start(), sent('h1', 'a', 'b', { items_before: items }), received('h1', 'b', { items }))),
  ).toEqual([])
})
