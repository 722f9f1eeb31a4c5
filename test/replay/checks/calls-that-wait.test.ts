import { describe, expect, it } from 'vitest'
import { crossed, end, findingsOf, item, judge, received, sent, start } from '../run-builder.ts'
import { approval, asked, hand, refund, user } from './refund-story.ts'

/* A call whose yes is still to come has no result yet: it waits, as long as somebody waits with it. */

const gated = item.call('i1', 'c-op-1', 'refund_fee', refund, { op: 'op-1' })
const judgeWith = (mode: string, received: object = {}) =>
  findingsOf(
    judge(
      ...asked,
      ...hand(mode, { items: [user, gated], ...received }, { items_before: [user, gated] }),
      end(),
    ),
    'item-orphaned',
  )

describe('a call that crosses while its question is open', () => {
  it.each(['transfer', 'resume', 'escalate'])('is an orphan where the question stays behind (%s)', (mode) => {
    const [finding, ...others] = judgeWith(mode)
    expect(others).toEqual([])
    expect(finding!.evidence).toContainEqual({ step: 4, path: 'items[1]', side: 'receiver' })
  })

  it.each(['delegate', 'notify'])('waits with its sender, who keeps the task (%s)', (mode) => {
    expect(judgeWith(mode)).toEqual([])
  })

  it('waits where the record, an item or the words carry the question', () => {
    const pending = { id: 'ap-1', action: 'refund_fee', for: 'op-1' }
    expect(judgeWith('transfer', { record: { pending_actions: [pending] } })).toEqual([])
    const question = { type: 'approval', ...pending, state: 'pending' }
    expect(judgeWith('transfer', { items: [user, gated, question] })).toEqual([])
    expect(
      judgeWith('transfer', { items: [user, gated, item.agent('a1', 'desk', 'ap-1 is open.')] }),
    ).toEqual([])
  })

  it('is an orphan no more once it was decided', () => {
    const decided = judge(
      ...asked,
      approval('approved', { by: 'u-9' }),
      ...hand('transfer', { items: [user, gated] }, { items_before: [user, gated] }),
      end(),
    )
    expect(findingsOf(decided, 'item-orphaned')).toEqual([])
  })
})

describe('a report that is the result of the delegating call', () => {
  const report = { type: 'tool', content: 'Clause 4 forbids it.', tool_call_id: 'd1', name: 'lawyer' }
  const returned = (items: unknown[], id = 'd1') =>
    findingsOf(
      judge(
        start(),
        ...crossed('h1', 'main', 'lawyer', [item.user('b1', 'What does clause 4 say?')], {
          mode: 'delegate',
          call: id,
        }),
        sent('h2', 'lawyer', 'main', {
          mode: 'return',
          items_before: [item.agent('a1', 'lawyer', report.content)],
        }),
        received('h2', 'main', { items }),
        end(),
      ),
      'item-orphaned',
    )

  it('needs no call beside it: whoever gets it made the call', () => {
    expect(returned([report])).toEqual([])
    expect(returned([report, item.agent('a1', 'lawyer', report.content)])).toEqual([])
  })

  it('is an orphan in a history without the call, and where no delegation has its id', () => {
    expect(returned([item.user('u1', 'May I sublet?'), report])).toHaveLength(1)
    expect(returned([report], 'd2')).toHaveLength(1)
  })
})
