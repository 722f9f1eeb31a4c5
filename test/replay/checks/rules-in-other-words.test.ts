import { describe, expect, it } from 'vitest'
import { end, findingsOf, item, judge, raised, received, sent, start } from '../run-builder.ts'

/* A rule that crossed in other words binds less if the word that made it strict is gone, or one that weakens it came. */

const reworded = (rule: string, text: string) =>
  findingsOf(
    judge(
      start(),
      { kind: 'constraint', id: 'k1', text: rule },
      sent('h1', 'lead', 'coder', { mode: 'delegate', record: { constraints: [{ id: 'k1', text: rule }] } }),
      received('h1', 'coder', {
        items: [item.user('b1', 'Fix the build.')],
        record: { constraints: [{ id: 'k1', text }] },
      }),
      end(),
    ),
    'constraint-reworded',
  ).map(({ severity, message }) => [severity, /\. (With.*?) it may/u.exec(message)?.[1] ?? ''])

const NEVER = 'Never push to main without a yes of the owner.'

describe('constraint-reworded', () => {
  it.each([
    ['Never chain shell commands.', 'Chain few shell commands.', 'Without "never"'],
    ['Do not chain shell commands.', 'Chain shell commands only with &&.', 'Without "not"'],
    ["You can't call customers at night.", 'Call customers at night.', `Without "can't"`],
    ['Only the owner may push to main.', 'The owner may push to main.', 'Without "only"'],
    [NEVER, 'Push to main with a yes of the owner.', 'Without "without"'],
    ['The owner must agree to a push.', 'The owner may agree to a push.', 'Without "must"'],
    ['Refund at most the price.', 'Refund the price.', 'Without "at most"'],
    ['Niemals ohne Ja der Chefin buchen.', 'Buchen mit Ja der Chefin.', 'Without "ohne"'],
    [NEVER, 'Try not to push to main without a yes of the owner.', 'With "Try" in'],
    ['Always ask the owner first.', 'You should ask the owner first, always.', 'With "should" in'],
    ['Never chain shell commands.', 'Prefer short shell commands, avoid chaining.', 'With "Prefer" in'],
  ])('is a warning for %s -> %s', (rule, text, why) => {
    const [finding, ...more] = reworded(rule, text)
    expect(more).toEqual([])
    expect(finding?.[0]).toBe('warning')
    expect(finding?.[1]).toMatch(new RegExp(`^${why}`, 'u'))
  })

  it.each([
    [NEVER, 'Do not push to main without a yes of the owner first.'],
    [NEVER, 'Only push to main with a yes of the owner.'],
    [NEVER, 'A push to main needs a yes of the owner.'],
    [NEVER, 'You must not push to main.'],
    ['Do not chain shell commands.', 'Chaining shell commands is forbidden.'],
    ['The owner must agree to a push.', 'Never push before the owner agrees.'],
    ['Refund at most the price.', 'Refund no more than the price.'],
    ['Refunds go to the card.', 'The refund goes to the card of the user.'],
    ['You should greet in German.', 'Greet in German if possible, you should.'],
    ['Watch the trying times.', 'Watch the times, trying.'],
  ])('is only noted for %s -> %s', (rule, text) => {
    expect(reworded(rule, text).map(([severity]) => severity)).toEqual(['info'])
  })
})

describe('a rule that crossed word for word', () => {
  const crossing = (rule: string, receipt: object) =>
    raised(
      judge(
        start(),
        { kind: 'constraint', id: 'k1', text: rule },
        sent('h1', 'lead', 'coder', { items_before: [item.user('u1', 'Please refund me.')] }),
        received('h1', 'coder', { items: [item.user('u1', 'Please refund me.')], ...receipt }),
        end(),
      ),
    )
  const CAP = 'Refund at most 50'

  it.each(['Refund at most 50.', '- refund at most 50', '"Refund at most 50"'])(
    'is the same with other marks around it: %s',
    (text) => {
      expect(crossing(CAP, { record: { constraints: [text] } })).toEqual([])
      expect(crossing(text, { record: { constraints: [CAP] } })).toEqual([])
      expect(crossing(text, { instructions: `You work at the till.\n* ${CAP}; be kind.` })).toEqual([])
    },
  )

  it.each(['Refund at most 500.', 'Refund at most 50.5 each.', 'Refund at most 50,000.'])(
    'is another with another number: %s',
    (text) => {
      expect(crossing(CAP, { record: { constraints: [text] } })).toEqual(['constraint-reworded'])
      expect(crossing(CAP, { instructions: text })).toEqual(['constraint-reworded'])
    },
  )

  it('is another with a sign that binds otherwise', () => {
    expect(crossing('-5 degrees at most', { record: { constraints: ['5 degrees at most'] } })).toEqual([
      'constraint-reworded',
    ])
  })

  it('stands in a language that leaves no space between words', () => {
    expect(crossing('未承認の返金はしない', { instructions: '未承認の返金はしないでください。' })).toEqual([])
  })
})
