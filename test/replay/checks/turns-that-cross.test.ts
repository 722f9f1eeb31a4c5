import { describe, expect, it } from 'vitest'
import { end, findingsOf, item, judge, message, received, sent, start } from '../run-builder.ts'

const check = 'user-message-dropped'

describe('answers that the user gives to a helper', () => {
  const brief = item.user('b1', 'Open an account for the visitor.')
  const thread = [brief, item.agent('q1', 'clerk', 'In which town?')]
  const judgeAnswer = (items: object[]) =>
    findingsOf(
      judge(
        start(),
        message('user', 'I want an account.', { agent: 'team' }),
        sent('h1', 'team', 'clerk', { mode: 'delegate', brief: brief.content }),
        received('h1', 'clerk', { items: [brief] }),
        message('user', 'Linz', { agent: 'clerk' }),
        sent('h2', 'team', 'clerk', { mode: 'resume', items_before: [...thread, item.user('a1', 'Linz')] }),
        received('h2', 'clerk', { items }),
        end(),
      ),
      check,
    )
  it('are later than what the user had told its caller', () => {
    expect(judgeAnswer([...thread, item.user('a1', 'Linz')])).toEqual([])
  })
  it('are what is missing where they did not cross', () => {
    expect(judgeAnswer(thread).map(({ message: words }) => words)).toEqual([
      expect.stringContaining('"Linz"'),
    ])
  })
})

describe('several turns by voice', () => {
  const spoken = { channel: 'voice', agent: 'greeter' }
  const turns = [item.user('u1', 'My name is Simon.'), item.user('u2', 'A table for two.')]
  const judgeItems = (items: object[], said: object = spoken, before: object[] = turns) =>
    findingsOf(
      judge(
        start(),
        message('user', 'My name is Simon.', { id: 'u1', ...said }),
        message('user', 'A table for two.', { id: 'u2', ...said }),
        sent('h1', 'greeter', 'tables', { items_before: before }),
        received('h1', 'tables', { items }),
        end(),
      ),
      check,
    )
  it('have to cross, each of them', () => {
    expect(judgeItems(turns)).toEqual([])
    expect(judgeItems(turns.slice(1)).map(({ subject }) => subject.id)).toEqual(['u1'])
  })
  it('are not looked for where they were written, covered by a summary, or not at the sender either', () => {
    expect(judgeItems(turns.slice(1), { agent: 'greeter' })).toEqual([])
    const summary = { id: 's1', type: 'summary', role: 'assistant', content: 'Simon, two.', covers: ['u1'] }
    expect(judgeItems([summary, turns[1]!])).toEqual([])
    expect(judgeItems(turns.slice(1), spoken, turns.slice(1))).toEqual([])
  })
})

describe('a system message that is all that crossed', () => {
  const judgeSystem = (content: string) =>
    findingsOf(
      judge(
        start(),
        message('user', 'Analyse the failure of pump seven tonight.', { agent: 'desk', id: 'u1' }),
        sent('h1', 'desk', 'pumps', {
          items_before: [item.user('u1', 'Analyse the failure of pump seven tonight.')],
        }),
        received('h1', 'pumps', { items: [{ id: 's1', type: 'message', role: 'system', content }] }),
        end(),
      ),
      check,
    )
  it('is no brief for the word that it shares with every request', () => {
    expect(judgeSystem('You analyse errors.')).toHaveLength(1)
  })
  it('is one where it tells the request', () => {
    expect(judgeSystem('Find out why pump seven had a failure tonight and analyse it.')).toEqual([])
  })
})

describe('a short answer of the user', () => {
  const asked = [item.user('u1', 'Pay it.'), item.agent('q1', 'desk', 'In 2 parts or 12? I know both.')]
  const crossing = (answer: string, ...after: object[]) =>
    findingsOf(
      judge(
        start(),
        sent('h1', 'desk', 'till', { items_before: [...asked, { role: 'user', content: answer }] }),
        received('h1', 'till', { items: [...asked, ...after] }),
        end(),
      ),
      check,
    )

  it.each(['1', 'no', 'not'])('is no part of a word or number that crossed: %s', (answer) => {
    expect(crossing(answer)).toHaveLength(1)
  })

  it('crossed in other words around it', () => {
    expect(crossing('no', { role: 'system', content: 'The user answered: No.' })).toEqual([])
    expect(crossing('12', { role: 'assistant', content: 'Chosen: 12, as told.' })).toEqual([])
    expect(crossing('いいえ', { role: 'system', content: '利用者はいいえと答えた。' })).toEqual([])
  })
})
