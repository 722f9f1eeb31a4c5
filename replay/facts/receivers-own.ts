import type { HandoffDiff, OperationCrossing } from '../diff/handoff-diff.ts'

/** What comes back to whoever dispatched the call itself: it stands in the log of its own runtime. */
export function isReceiversOwn(
  { version }: OperationCrossing,
  { handoff, receipt }: Pick<HandoffDiff, 'handoff' | 'receipt'>,
): boolean {
  return handoff.mode === 'return' && version.agent !== undefined && version.agent === receipt?.by
}
