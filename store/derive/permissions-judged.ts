import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { configuredTools } from '../../replay/facts/toolkits.ts'
import type { Run } from '../../replay/run.ts'

/**
 * Whether both sides of a comparison are on record: the sender's rules and what the receiver has, or what the receiver is
 * configured with and what its payload offers. A drift that was seen is judged, whatever else is missing. Undefined where
 * there is nothing to compare: nobody received it, or it is a report back or a notice, which pass nothing on.
 */
export function permissionsJudged(
  run: Run,
  { handoff, receipt, permissions }: HandoffDiff,
): boolean | undefined {
  if (receipt === undefined || handoff.mode === 'return' || handoff.mode === 'notify') return undefined
  if (permissions.gained.length + permissions.lost.length > 0) return true
  const configured = receipt.by === undefined ? undefined : configuredTools(run, receipt.by, receipt.step)
  const rulesAtBoth =
    permissions.sent !== undefined &&
    (permissions.received !== undefined || receipt.tools !== undefined || configured !== undefined)
  return rulesAtBoth || (configured !== undefined && receipt.tools !== undefined)
}
