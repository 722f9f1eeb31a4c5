import type { HandoffDiff, OperationCrossing } from '../diff/handoff-diff.ts'
import type { Run } from '../run.ts'
import { dispatchStep } from './effects.ts'
import { sameTool } from './tool-names.ts'

/** The sender's writes in doubt that the receiver has to be able to settle: their keys have to cross. */
export function writesToCarry(run: Run, diff: HandoffDiff): OperationCrossing[] {
  return diff.operations.filter(
    (crossing) =>
      crossing.inDoubt && isHandedOver(run, diff, crossing.operation.tool) && !isReceiversOwn(crossing, diff),
  )
}

/**
 * True if the receiver may be about to settle a call of the tool. A notice hands over no work: whoever gives it stays in
 * charge of its calls. A receiver that calls the tool afterwards took the notice for work all the same.
 */
export function isHandedOver(run: Run, { handoff, receipt }: HandoffDiff, tool: string | undefined): boolean {
  if (handoff.mode !== 'notify') return true
  if (tool === undefined || receipt?.by === undefined) return false
  return [...run.operations.values()].some(
    (operation) =>
      operation.agent === receipt.by &&
      sameTool(operation.tool, tool) &&
      (dispatchStep(operation) ?? -1) > receipt.step,
  )
}

/** What comes back to whoever dispatched the call itself: it stands in the log of its own runtime. */
function isReceiversOwn({ version }: OperationCrossing, { handoff, receipt }: HandoffDiff): boolean {
  return handoff.mode === 'return' && version.agent !== undefined && version.agent === receipt?.by
}
