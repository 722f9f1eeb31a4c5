import { isGiven } from '../fold/approval-state.ts'
import { valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Approval, Operation, Run, Step } from '../run.ts'
import { doesMatter, matterOf, operationsOf } from './approval-matter.ts'
import { dispatchesOf } from './dispatches.ts'

/** A refused action that was carried out anyway. */
export type Override = { operation: Operation; step: Step; refused: Step }

/** The first call after a refusal that does what was refused, with no yes given in between. */
export function findOverride(run: Run, approval: Approval): Override | undefined {
  return overrides(run).get(approval)
}

const overrides = oncePerRun((run) => {
  const found = new Map<Approval, Override>()
  for (const approval of run.approvals.values()) {
    const override = overrideOf(run, approval)
    if (override !== undefined) found.set(approval, override)
  }
  return found
})

function overrideOf(run: Run, approval: Approval): Override | undefined {
  const refusal = approval.versions.find(({ value }) => value.state === 'rejected')
  if (refusal === undefined) return undefined
  const matter = matterOf(run, approval, refusal.value)
  for (const operation of operationsOf(run, approval, matter)) {
    const call = dispatchesOf(operation).find(({ step }) => step > refusal.step)
    if (call !== undefined && !isGivenFor(run, operation, call.step, refusal.step))
      return { operation, step: call.step, refused: refusal.step }
  }
  return undefined
}

/** A yes for the same, given after the refusal and before the call. */
function isGivenFor(run: Run, operation: Operation, before: Step, after: Step): boolean {
  return [...run.approvals.values()].some((approval) => {
    const version = valueAt(approval, before)
    if (version === undefined || !isGiven(version.state)) return false
    const given = approval.versions.findLast(({ step, value }) => step <= before && isGiven(value.state))!
    if (given.step <= after) return false
    const named = operation.versions.some(({ value }) => value.approval === approval.id)
    return named || doesMatter(matterOf(run, approval, version), operation)
  })
}
