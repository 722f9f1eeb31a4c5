import type { Item } from '../../model/items.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { orphansOf } from '../diff/orphans.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, listed, nameOfItem, receiverOf } from '../phrase.ts'
import type { Run } from '../run.ts'

export const itemOrphaned: Check = {
  id: 'item-orphaned',
  severity: 'error',
  title: 'An item lost its partner',
  question: 'Does each call still have its result, and each result its call?',
  definition:
    'Raised once a handoff and reason for calls without their result, results without their call, and reasoning without ' +
    'the item that it needs, in the list that the receiver got. A call that waits (its operation is not settled, it needs ' +
    'a yes, or it is the delegation itself) is no orphan, unless control passed and the question did not cross; nor is a ' +
    "report that is nothing but the result of the call that gave the task away. Needs the receiver's items; call and result " +
    'are matched by call id or operation, and where they have neither by tool and order, if the sender had both.',
  needsWholePayload: true,
  check({ run, diffs }) {
    return { findings: diffs.flatMap((diff) => orphanFindings(run, diff)) }
  },
}

function orphanFindings(run: Run, diff: HandoffDiff): Draft[] {
  const { receipt, handoff } = diff
  if (receipt?.items === undefined) return []
  if (diff.items.judged && !diff.items.fates.some(({ orphaned }) => orphaned !== undefined)) return []
  const byReason = new Map<string, Item[]>()
  for (const [item, reason] of orphansOf(run, receipt.items, receipt.step, handoff, diff.approvals)) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), item])
  }
  return [...byReason].map(([reason, items]) => ({
    ...aboutHandoff(handoff),
    subject: { kind: 'item', id: items[0]!.id ?? items[0]!.path },
    message:
      `${receiverOf(handoff)} got ${reason}: ${listed(items.map(nameOfItem))}.${whereLost(diff, items)} ` +
      'Providers refuse such a list, or the model acts as if the call were still to be made.',
    evidence: [
      ...items.map(({ path }) => ({ step: receipt.step, path, side: 'receiver' as const })),
      ...bothSides(diff).slice(0, 1),
    ],
    remedy: 'Let both halves cross, or neither: filter calls and results together.',
    trait: `${reason} ${items[0]!.tool ?? items[0]!.type}`,
  }))
}

/** Says where the partner was lost, if the sender still had it. */
function whereLost({ sent, items: { fates } }: HandoffDiff, orphans: readonly Item[]): string {
  const lost = fates.filter(
    ({ before, after }) =>
      before !== undefined && after === undefined && orphans.some((orphan) => isOtherHalf(before, orphan)),
  )
  if (lost.length > 0) return ` The other half stood at ${listed(lost.map(({ before }) => before!.path))}.`
  return sent?.items === undefined ? '' : " The sender's items do not hold the other half either."
}

function isOtherHalf(before: Item, orphan: Item): boolean {
  if (before.type === orphan.type || before.call !== orphan.call) return false
  return before.call !== undefined || (before.tool !== undefined && before.tool === orphan.tool)
}
