import { isInDoubt, valueAt } from '../history.ts'
import type { Handoff, Operation, OperationVersion, Receipt, Run, Sent, Step } from '../run.ts'
import type { PayloadText } from '../text.ts'
import { degreeOf } from './degree.ts'
import type { OperationCrossing } from './handoff-diff.ts'
import { timingsOf } from './timings.ts'

/** How each operation that the sender's runtime knew crossed; the ones in doubt first, then in order of dispatch. */
export function diffOperations(
  run: Run,
  handoff: Handoff,
  sent: Sent,
  receipt: Receipt,
  texts: readonly PayloadText[],
): OperationCrossing[] {
  const crossings = operationsOfSender(run, handoff, sent.step).map(({ operation, version }) => {
    const crossing = {
      operation,
      version,
      inDoubt: isInDoubt(operation, version) && !isTheHandoffItself(operation, handoff),
      ...degreeOf(operation, version, receipt, texts),
    }
    return crossing.inDoubt ? { ...crossing, timings: timingsOf(run, crossing, receipt) } : crossing
  })
  return [...crossings.filter((c) => c.inDoubt), ...crossings.filter((c) => !c.inDoubt)]
}

/**
 * What the sender's runtime had in its operations log: the calls of the sending agent, those nobody is named for, and
 * those that an earlier handoff had carried to it. With no sender named, every call.
 */
export function operationsOfSender(
  run: Run,
  handoff: Handoff,
  step: Step,
): { operation: Operation; version: OperationVersion }[] {
  const inherited = handoff.from === undefined ? undefined : inheritedKeys(run, handoff.from, step)
  return [...run.operations.values()].flatMap((operation) => {
    const version = valueAt(operation, step)
    if (version === undefined) return []
    const own = handoff.from === undefined || version.agent === undefined || version.agent === handoff.from
    const carried = inherited?.has(version.key ?? operation.op) ?? false
    return own || carried ? [{ operation, version }] : []
  })
}

/** Keys (or op ids) in the open operations of the records that the agent had received by then. */
function inheritedKeys(run: Run, agent: string, step: Step): Set<string> {
  const keys = new Set<string>()
  for (const { receipts } of run.handoffs) {
    for (const receipt of receipts) {
      if (receipt.by !== agent || receipt.step > step) continue
      for (const entry of receipt.record?.openOperations ?? []) {
        const key = entry.key ?? entry.op
        if (key !== undefined) keys.add(key)
      }
    }
  }
  return keys
}

/** A delegation is often logged as a call as well; that call is what crosses, it need not be carried. */
function isTheHandoffItself(operation: Operation, handoff: Handoff): boolean {
  return operation.call !== undefined && operation.call === handoff.sent?.event.call
}
