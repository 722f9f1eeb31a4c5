import { valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Operation, OperationVersion, Step } from '../run.ts'

/**
 * A write that was open when its agent handed over, in a handoff that ended unknown: it may have left with it, and nobody
 * knows what became of it, whatever the log calls it afterwards without a look-up.
 */
export type LostWithHandoff = {
  sent: Step
  failed: Step
  /** What was known of it when it was handed over. */
  before: OperationVersion
  /** The step at which it was filed as failed all the same. */
  filed?: Step | undefined
}

/** Every such operation of a run. */
export const lostWithHandoff = oncePerRun((run): Map<Operation, LostWithHandoff> => {
  const found = new Map<Operation, LostWithHandoff>()
  for (const { sent, failed, from, receipts } of run.handoffs) {
    if (sent === undefined || failed?.event.outcome !== 'unknown' || receipts.length > 0) continue
    for (const operation of run.operations.values()) {
      if (operation.effect !== 'write' || operation.agent !== from) continue
      const before = valueAt(operation, sent.step)
      if (before === undefined || isFinal(before)) continue
      const next = operation.versions.find(({ step }) => step > failed.step)?.value
      // A look-up or a new attempt says what became of it.
      if (next !== undefined && (next.by !== undefined || next.attempt > before.attempt)) continue
      if (next?.state === 'settled' || next?.state === 'closed') continue
      const filed = operation.versions.find(
        ({ step, value }) => step > failed.step && value.state === 'failed',
      )
      found.set(operation, { sent: sent.step, failed: failed.step, before, filed: filed?.step })
    }
  }
  return found
})

function isFinal({ state }: OperationVersion): boolean {
  return state === 'settled' || state === 'failed' || state === 'closed'
}
