import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doesMatter, isSameRequest, matterOf } from '../../replay/facts/approval-matter.ts'
import { inOrderOfAsking, likeRequests, requestsForLess } from '../../replay/facts/like-requests.ts'
import { foldRun } from '../../replay/fold/fold.ts'
import { latest } from '../../replay/history.ts'
import type { Approval, Run } from '../../replay/run.ts'
import { type Entry, log, operation } from './run-builder.ts'

type Request = { action?: string; scope?: unknown; args?: unknown }

/** A run in which each request is asked for; one with arguments waits for a call of its own. */
function asking(requests: readonly Request[]): Run {
  const entries = requests.flatMap(({ action, scope, args }, index): Entry[] => {
    const op = `op-${index}`
    const question = { kind: 'approval', id: `ap-${index}`, state: 'pending', action, scope }
    if (args === undefined) return [question]
    return [operation('billing', op, 'refund', args, 'proposed'), { ...question, for: op }]
  })
  return foldRun(log(entries))
}

function candidates(run: Run, approval: Approval): Approval[] {
  const matter = matterOf(run, approval, latest(approval))
  return inOrderOfAsking(run, [approval, ...likeRequests(run, matter), ...requestsForLess(run, matter)])
}

const value = fc.constantFrom(1, 2, 'eur', null, { deep: 1 })
const fields = fc.dictionary(fc.constantFrom('order', 'amount', 'currency'), value)
const request = fc.record(
  {
    action: fc.constantFrom('refund', 'ship'),
    scope: fields,
    args: fc.oneof(fields, fc.constantFrom('all', [1, 2], [])),
  },
  { requiredKeys: [] },
)

describe('the requests that one is compared with', () => {
  it('are all that ask for the same, or for a call with the same arguments or fewer', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
        const run = asking(requests)
        const all = [...run.approvals.values()]
        for (const approval of all) {
          const now = matterOf(run, approval, latest(approval))
          const same = all.filter((other) => {
            const before = matterOf(run, other, latest(other))
            const isForLess =
              before.operation !== undefined &&
              now.operation !== undefined &&
              doesMatter(before, now.operation)
            return other === approval || isSameRequest(before, now) || isForLess
          })
          expect(candidates(run, approval)).toEqual(expect.arrayContaining(same))
          expect(candidates(run, approval)).toEqual(
            all.filter((one) => candidates(run, approval).includes(one)),
          )
        }
      }),
    )
  })

  it.each([
    ['of one action', (order: number): Request => ({ action: 'refund', scope: { order, currency: 'eur' } })],
    ['of one tool', (order: number): Request => ({ action: 'refund', args: { order, currency: 'eur' } })],
  ])('are as few in a long run as in a short one (%s)', (_, requestFor) => {
    const most = (count: number) => {
      const run = asking(Array.from({ length: count }, (_, order) => requestFor(order)))
      return Math.max(...[...run.approvals.values()].map((approval) => candidates(run, approval).length))
    }
    expect(most(10)).toBe(most(1000))
  })
})
