import { describe, expect, it } from 'vitest'
import { shapeFields } from '../../../instrumentation/shape.ts'
import type { JsonObject } from '../../../model/json.ts'
import { analyse } from '../../../replay/analyse.ts'
import {
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  log,
  message,
  received,
  sent,
  start,
} from '../run-builder.ts'
import { approval, asked, call, hand, user } from './refund-story.ts'

/* Words that crossed and are not in the log: by size and hash only, or not at all. What stands in them nobody can say. */

const RULE = 'no refund before the hearing is over'
const rule: Entry = { kind: 'constraint', id: 'k1', text: RULE }

/** What the checks say of the same log, and of it as `content: shape` writes it. */
const judgeBoth = (...entries: Entry[]) => {
  const shaped = log(entries).map(({ run, seq, at, kind, ...fields }) => ({
    ...{ run, seq, at, kind },
    ...shapeFields(fields as JsonObject, {}),
  }))
  return { full: analyse(log(entries)), shaped: analyse(shaped) }
}

describe('a refusal told in words that were left out', () => {
  const check = 'approval-decision-lost'
  const refused = approval('rejected', { by: 'u-9', reason: 'not before the hearing', delivered_to: 'desk' })
  const back = (words: string, record: object = {}) =>
    judgeBoth(
      ...asked,
      refused,
      ...hand('return', { items: [item.agent('t1', 'desk', words)], ...record }, { items_before: [] }),
      end(),
    )
  it('is not judged', () => {
    const told = back('u-9 refused it: not before the hearing.')
    expect(findingsOf(told.full, check)).toEqual([])
    expect(findingsOf(told.shaped, check)).toEqual([])
    expect(told.shaped.notJudged).toContainEqual(expect.objectContaining({ check, handoff: 'h1' }))
    const silent = back('Something went wrong.')
    expect(findingsOf(silent.full, check)).toHaveLength(1)
    expect(findingsOf(silent.shaped, check)).toEqual([])
  })
  it('is judged where no words crossed', () => {
    const { shaped } = judgeBoth(
      ...asked,
      refused,
      ...hand('return', { items: [] }, { items_before: [] }),
      end(),
    )
    expect(findingsOf(shaped, check)).toHaveLength(1)
  })
})

describe('evidence that was left out on both sides', () => {
  const run = (before: object, after: object) =>
    judgeBoth(
      start(),
      ...hand(
        'transfer',
        { record: { intent: 'refund', evidence: [after] } },
        { record: { intent: 'refund', evidence: [before] } },
      ),
      end(),
    )
  const cases: [how: string, before: object, after: object, raised: number][] = [
    ['is the same by its hash', { summary: 'paid twice' }, { summary: 'paid twice' }, 0],
    ['is another by its hash', { summary: 'paid twice' }, { summary: 'paid once' }, 1],
    ['is the same by what it refers to', { ref: 'letter-4', summary: 'a' }, { ref: 'letter-4' }, 0],
    [
      'is another by what it refers to',
      { ref: 'letter-4', summary: 'a' },
      { ref: 'bill-1', summary: 'a' },
      1,
    ],
  ]
  it.each(cases)('%s', (_, before, after, raised) => {
    const { full, shaped } = run(before, after)
    expect(findingsOf(full, 'evidence-missing')).toHaveLength(raised)
    expect(findingsOf(shaped, 'evidence-missing')).toHaveLength(raised)
  })
})

describe('what may stand in words that were left out', () => {
  const note = (text: string) => [user, item.agent('a1', 'desk', text)]
  const paid = call('settled', { result: 'refund 8841' })
  const results = [item.call('i1', 'c-op-1', 'refund_fee', {}), item.result('i2', 'c-op-1', 'refund 8841')]
  const cases: [check: string, lacks: Entry[], has: Entry[]][] = [
    [
      'constraint-dropped',
      [rule, ...hand('transfer', { instructions: 'Du bist Disputes.' })],
      [rule, ...hand('transfer', { instructions: `Du bist Disputes. Immer: ${RULE}` })],
    ],
    [
      'brief-dropped',
      hand('delegate', {}, { brief: 'Find out who charged it' }),
      hand(
        'delegate',
        { instructions: 'Find out who charged it, and when.' },
        { brief: 'Find out who charged it' },
      ),
    ],
    [
      'op-result-missing',
      [paid, ...hand('transfer', { items: note('Done.') }, { items_before: [user, ...results] })],
      [
        paid,
        ...hand('transfer', { items: note('It was refund 8841.') }, { items_before: [user, ...results] }),
      ],
    ],
    [
      'approval-pending-lost',
      [call('proposed'), approval('pending'), ...hand('transfer', { items: note('Wait.') })],
      [call('proposed'), approval('pending'), ...hand('transfer', { items: note('Open: approval ap-1.') })],
    ],
  ]
  it.each(cases)('is not judged (%s)', (check, lacks, has) => {
    expect(findingsOf(judge(start(), ...lacks, end()), check)).toHaveLength(1)
    expect(findingsOf(judge(start(), ...has, end()), check)).toEqual([])
    for (const entries of [lacks, has]) {
      const { shaped } = judgeBoth(start(), ...entries, end())
      expect(findingsOf(shaped, check)).toEqual([])
      expect(shaped.notJudged).toContainEqual(expect.objectContaining({ check, handoff: 'h1' }))
    }
  })
  it('is judged by the record where that has a place for it, and where only the user had spoken', () => {
    const dropped = judgeBoth(start(), rule, ...hand('transfer', { record: { constraints: [] } }), end())
    expect(findingsOf(dropped.shaped, 'constraint-dropped')).toHaveLength(1)
    const lost = judgeBoth(start(), call('proposed'), approval('pending'), ...hand('transfer'), end())
    expect(findingsOf(lost.shaped, 'approval-pending-lost')).toHaveLength(1)
  })
  it('is not judged against a policy of which only the hash is known', () => {
    const policy = { policy: { filter: 'all tool items removed' } }
    const run = judgeBoth(
      start(),
      paid,
      ...hand('transfer', {}, { items_before: [user, ...results], ...policy }),
      end(),
    )
    expect(findingsOf(run.full, 'op-result-missing')).toEqual([])
    expect(findingsOf(run.shaped, 'op-result-missing')).toEqual([])
  })
})

describe("the user's words", () => {
  const check = 'user-message-dropped'
  const run = (...items: object[]) =>
    judge(
      start(),
      message('user', 'Die Mahngebühr bitte zurück.', { agent: 'desk' }),
      sent('h1', 'desk', 'disputes'),
      received('h1', 'disputes', { items }),
      end(),
    )
  it('are not judged where a message of the user crossed of which the log has no words', () => {
    const left = run({ type: 'message', role: 'user' })
    expect(findingsOf(left, check)).toEqual([])
    expect(left.notJudged).toContainEqual(expect.objectContaining({ check, handoff: 'h1' }))
  })
  it('are judged where it crossed empty, or only others did', () => {
    expect(findingsOf(run({ type: 'message', role: 'user', content: '' }), check)).toHaveLength(1)
    expect(findingsOf(run({ type: 'message', role: 'assistant' }), check)).toHaveLength(1)
  })
})

describe('a question that was still open when its action ran', () => {
  it('is not said to wait for the action', () => {
    const [lost] = findingsOf(judge(...asked, ...hand('transfer'), end()), 'approval-pending-lost')
    expect(lost?.message).toContain('neither run nor refused')
    const [ran] = findingsOf(
      judge(...asked, call('settled'), ...hand('transfer'), end()),
      'approval-pending-lost',
    )
    expect(ran?.message).toContain('has run without a decision')
  })
})
