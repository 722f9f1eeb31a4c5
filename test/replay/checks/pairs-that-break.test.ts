import { describe, expect, it } from 'vitest'
import { end, findingsOf, item, judge, received, sent, start } from '../run-builder.ts'

/* A call and its result are a pair: what stands between both at the receiver stood there at the sender. */

const user = item.user('u1', 'Check both hosts.')
const said = item.agent('a1', 'main', 'I look into b.')
const more = item.agent('a2', 'main', 'It is slow.')
const callA = item.call('i1', 'c1', 'ping', { host: 'a' })
const callB = item.call('i2', 'c2', 'ping', { host: 'b' })
const upA = item.result('i3', 'c1', 'up')
const downB = item.result('i4', 'c2', 'down')

const reordered = (before: unknown[], items: unknown[]) =>
  findingsOf(
    judge(
      start(),
      sent('h1', 'main', 'main', { mode: 'resume', items_before: before }),
      received('h1', 'main', { items }),
      end(),
    ),
    'item-reordered',
  ).filter(({ severity }) => severity === 'error')

describe('a message between a call and its result', () => {
  it.each([
    ['the result moved behind it', [user, callA, upA, said], [user, callA, said, upA]],
    [
      'one of two results moved',
      [user, callA, callB, upA, downB, said],
      [user, callA, callB, upA, said, downB],
    ],
    [
      'it moved behind two messages',
      [user, callA, callB, upA, downB, said, more],
      [user, callA, callB, upA, said, more, downB],
    ],
    ['the call moved before it', [user, said, callA, upA], [user, callA, said, upA]],
    ['the message moved', [user, said, callA, upA, more], [user, callA, said, upA, more]],
    [
      'the receiver put a new one there',
      [user, callA, upA, said],
      [user, callA, item.user('n1', 'You may go on.'), upA, said],
    ],
  ])('breaks the pair: %s', (_, before, items) => {
    const [finding, ...more] = reordered(before, items)
    expect(more).toEqual([])
    expect(finding?.message).toContain('stands between it and its result')
  })

  it('breaks it among content blocks', () => {
    const blocks = (role: string, ...content: object[]) => ({ role, content })
    const text = blocks('assistant', { type: 'text', text: 'I look into b.' })
    const uses = blocks(
      'assistant',
      ...['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'ping', input: { host: id } })),
    )
    const answer = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'up' })
    const before = [user, uses, blocks('user', answer('a'), answer('b')), text]
    expect(reordered(before, before)).toEqual([])
    const apart = [user, uses, blocks('user', answer('a')), text, blocks('user', answer('b'))]
    expect(reordered(before, apart)).toHaveLength(1)
    const split = [user, uses, blocks('user', answer('a')), blocks('user', answer('b')), text]
    expect(reordered(before, split), 'only split').toEqual([])
  })

  it.each([
    ['it stood there at the sender', [user, callA, said, upA], [callA, said, upA, user]],
    [
      'it stood there in other words',
      [user, callA, { role: 'assistant', content: 'One moment.' }, upA],
      [callA, { role: 'assistant', content: 'Un momento.' }, upA, user],
    ],
    ['it has no words', [user, callA, upA], [callA, item.agent('n1', 'main', ''), upA, user]],
    ['only a call stands there', [user, callA, upA, callB, downB], [user, callA, callB, upA, downB]],
    ['the pair moved behind it', [user, callA, upA, said], [user, said, callA, upA]],
    ['the result did not cross', [user, callA, upA, said], [user, callA, said]],
    ['the result is new', [user, callA, said], [user, callA, said, upA]],
  ])('is none that breaks a pair: %s', (_, before, items) => {
    expect(reordered(before, items)).toEqual([])
  })

  it('is part of a call if it stands in its entry', () => {
    const text = { type: 'text', text: 'I look into a.' }
    const use = { type: 'tool_use', id: 'a', name: 'ping', input: { host: 'a' } }
    const answer = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'up' }] }
    const before = [user, { role: 'assistant', content: [text, use] }, answer, said]
    const items = [{ role: 'assistant', content: [use, text] }, answer, user, said]
    expect(reordered(before, items)).toEqual([])
  })
})
