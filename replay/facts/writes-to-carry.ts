import type { HandoffDiff, OperationCrossing } from '../diff/handoff-diff.ts'
import type { Handoff } from '../run.ts'

/** The sender's writes in doubt that the receiver has to be able to settle: their keys have to cross. */
export function writesToCarry(diff: HandoffDiff): OperationCrossing[] {
  if (!handsOverWork(diff.handoff)) return []
  return diff.operations.filter((crossing) => crossing.inDoubt && !isReceiversOwn(crossing, diff))
}

/** A notice hands over no work: whoever gives it stays in charge of its calls, and so of settling them. */
export function handsOverWork({ mode }: Handoff): boolean {
  return mode !== 'notify'
}

/** What comes back to whoever dispatched the call itself: it stands in the log of its own runtime. */
function isReceiversOwn({ version }: OperationCrossing, { handoff, receipt }: HandoffDiff): boolean {
  return handoff.mode === 'return' && version.agent !== undefined && version.agent === receipt?.by
}
