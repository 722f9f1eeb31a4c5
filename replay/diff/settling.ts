import { dispatchStep } from '../effects.ts'
import type { Operation, OperationVersion, Receipt, Run, Step } from '../run.ts'
import { anyBetween } from '../steps.ts'
import { instantOf } from '../time.ts'
import { argumentValues } from './degree.ts'
import type { OperationCrossing, Settling } from './handoff-diff.ts'
import { settlementAfter, settlementMeans } from './timings.ts'

/** For each operation that crossed in doubt with its key: was it settled before the receiver planned or wrote? */
export function diffSettling(
  run: Run,
  crossings: readonly OperationCrossing[],
  receipt: Receipt,
): Settling[] {
  return crossings
    .filter(
      (crossing) => crossing.inDoubt && (crossing.degree === 'carried' || crossing.degree === 'altered'),
    )
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

/**
 * The receiver's first word, model request or declared write after the receipt. A call that uses the key settles and is
 * none, and so is the model request that follows on it.
 */
export function firstPlanning(run: Run, receipt: Receipt, key: string | undefined): Step | undefined {
  const uses = stepsOfUse(run, receipt, key)
  const settles = (step: Step) => anyBetween(uses, receipt.step, step)
  const after = ({ step, event }: { step: Step; event: { agent?: string | undefined } }) =>
    step > receipt.step && event.agent === receipt.by
  const steps = [
    run.messages.find((entry) => after(entry) && entry.event.role !== 'user')?.step,
    run.modelInputs.find((entry) => after(entry) && !settles(entry.step))?.step,
  ]
  for (const operation of run.operations.values()) {
    if (operation.effect !== 'write' || operation.effectAssumed || usesKey(operation, key)) continue
    const step = dispatchStep(operation)
    if (step !== undefined && step > receipt.step && operation.agent === receipt.by) steps.push(step)
  }
  const known = steps.filter((step) => step !== undefined)
  return known.length === 0 ? undefined : known.reduce((a, b) => Math.min(a, b))
}

/** Steps at which the receiver's calls used the key. */
function stepsOfUse(run: Run, receipt: Receipt, key: string | undefined): Step[] {
  return [...run.operations.values()]
    .filter((operation) => usesKey(operation, key))
    .flatMap(({ versions }) => versions)
    .filter(({ step, value }) => step > receipt.step && value.event.agent === receipt.by)
    .map(({ step }) => step)
    .sort((a, b) => a - b)
}

/** It goes out under the key, or names it: a repeat, a look-up, the closing of it. */
function usesKey(operation: Operation, key: string | undefined): boolean {
  return key !== undefined && (operation.key === key || argumentValues(operation.args).includes(key))
}

function elapsed(run: Run, from: Step, version: OperationVersion): number | undefined {
  const start = instantOf(run.events[from]?.at)
  const end = instantOf(version.event.at)
  return start === undefined || end === undefined ? undefined : end - start
}
