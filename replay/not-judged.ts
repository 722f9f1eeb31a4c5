import type { CheckResult } from './check.ts'
import type { HandoffDiff } from './diff/handoff-diff.ts'

/** The handoffs of which only the receiving side is in the log: nothing can be compared. */
export function missingSenders(diffs: readonly HandoffDiff[]): NonNullable<CheckResult['notJudged']> {
  return diffs
    .filter((diff) => !diff.complete && diff.receipt !== undefined)
    .map((diff) => ({ handoff: diff.handoff.id, reason: 'the sender of the handoff is not in the log' }))
}
