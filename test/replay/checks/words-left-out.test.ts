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
import { approval, asked, call, hand } from './refund-story.ts'

/* Words that crossed and are not in the log: by size and hash only, or not at all. What stands in them nobody can say. */

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
  it('is the same by its hash', () => {
    const record = (summary: string) => ({
      record: { intent: 'refund', evidence: [{ ref: 'letter-4', summary }] },
    })
    const run = (after: string) =>
      judgeBoth(start(), ...hand('transfer', record(after), record('paid twice')), end()).shaped
    expect(findingsOf(run('paid twice'), 'evidence-missing')).toEqual([])
    expect(findingsOf(run('paid once'), 'evidence-missing')).toHaveLength(1)
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
