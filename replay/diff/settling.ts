import { isInDoubt } from '../history.ts'
import type { OperationVersion, Receipt, Run, Step } from '../run.ts'
import { instantOf } from '../time.ts'
import type { OperationCrossing, Settling } from './handoff-diff.ts'
import { settlementAfter, settlementMeans } from './timings.ts'

/** For each operation that crossed in doubt with its key: was it settled before the receiver planned or wrote? */
export function diffSettling(
  run: Run,
  crossings: readonly OperationCrossing[],
  receipt: Receipt,
): Settling[] {
  return crossings
    .filter(({ inDoubt, degree }) => inDoubt && (degree === 'carried' || degree === 'altered'))
    .map(({ operation }) => {
      const settled = settlementAfter(operation, receipt.step)
      if (settled === undefined) return { operation, order: 'not settled' }
      const planned = firstPlanning(run, receipt, operation.key)
      return {
        operation,
        order: planned !== undefined && planned < settled.step ? 'after planning' : 'before planning',
        how: settlementMeans(settled.value),
        step: settled.step,
        milliseconds: elapsed(run, receipt.step, settled.value),
      }
    })
}

/** The receiver's first word, model request or write after the receipt; a write under the same key settles and is none. */
export function firstPlanning(run: Run, receipt: Receipt, key: string | undefined): Step | undefined {
  const after = (entry: { step: Step; event: { agent?: string | undefined } }) =>
    entry.step > receipt.step && entry.event.agent === receipt.by
  const steps = [run.messages.find(after)?.step, run.modelInputs.find(after)?.step]
  for (const operation of run.operations.values()) {
    if (operation.effect !== 'write' || (key !== undefined && operation.key === key)) continue
    steps.push(
      operation.versions.find(
        ({ step, value }) =>
          step > receipt.step && value.event.agent === receipt.by && isInDoubtOrDone(operation, value),
      )?.step,
    )
  }
  const known = steps.filter((step) => step !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

function isInDoubtOrDone(operation: Parameters<typeof isInDoubt>[0], version: OperationVersion): boolean {
  return isInDoubt(operation, version) || version.state === 'settled'
}

function elapsed(run: Run, from: Step, version: OperationVersion): number | undefined {
  const start = instantOf(run.events[from]?.at)
  const end = instantOf(version.event.at)
  return start === undefined || end === undefined ? undefined : end - start
}
