import type { Check } from '../check.ts'
import { doesMatter, matterOf, waitingOperation } from '../facts/approval-matter.ts'
import { type Dispatch, writeDispatches } from '../facts/dispatches.ts'
import { dispatchStep } from '../facts/effects.ts'
import { compareScope } from '../facts/scope.ts'
import type { Draft } from '../finding.ts'
import { isGiven } from '../fold/approval-state.ts'
import { firstStep, valueAt } from '../history.ts'
import { nameOf } from '../phrase.ts'
import type { Approval, Operation, Run, Step } from '../run.ts'

export const writeWithoutApproval: Check = {
  id: 'write-without-approval',
  severity: 'error',
  title: 'A write ran while its approval was pending',
  question: 'Does every gated write wait for its yes?',
  definition:
    'Raised when a write leaves while an approval for it is pending: one that names the operation (or is named by it), or one ' +
    'for the same tool with the same arguments or scope, whoever asked. Silent if another approval for it was given; one that ' +
    'was given for another operation or scope does not become one for it by being named.',
  check({ run }) {
    const waits = changesOfPending(run)
    if (waits.length === 0) return { findings: [] }
    const pending = new Set<Approval>()
    let next = 0
    const findings: Draft[] = []
    for (const dispatch of writeDispatches(run)) {
      for (; next < waits.length && waits[next]!.step < dispatch.step; next++) {
        const { approval, opens } = waits[next]!
        if (opens) pending.add(approval)
        else pending.delete(approval)
      }
      const found = [...pending].find((approval) => isFor(run, approval, dispatch))
      if (found !== undefined && !isGivenElsewhere(run, dispatch, found))
        findings.push(draft(dispatch, found))
    }
    return { findings }
  },
}

/** When approvals begin to wait and stop waiting, in order. */
function changesOfPending(run: Run): { step: Step; approval: Approval; opens: boolean }[] {
  return [...run.approvals.values()]
    .flatMap((approval) =>
      approval.versions.map(({ step, value }) => ({ step, approval, opens: value.state === 'pending' })),
    )
    .sort((a, b) => a.step - b.step)
}

/** Where the pending one names the very operation, an earlier yes for its like does not do. */
function isGivenElsewhere(run: Run, dispatch: Dispatch, pending: Approval): boolean {
  const exact = namesCall(pending, dispatch)
  return [...run.approvals.values()].some(
    (approval) =>
      isGiven(valueAt(approval, dispatch.step)?.state) &&
      (approval.for === dispatch.operation.op ||
        isYesNamed(run, approval, dispatch) ||
        (!exact && doesMatter(matterOf(run, approval, approval.versions[0]!.value), dispatch.operation))),
  )
}

function namesCall(approval: Approval, { operation, approval: named }: Dispatch): boolean {
  return named === approval.id || approval.for === operation.op
}

/** The call names the yes, and nothing that the yes says of itself is against it. */
function isYesNamed(
  run: Run,
  yes: Approval,
  { operation, approval: named, step, versions }: Dispatch,
): boolean {
  if (named !== yes.id || isForAnother(run, yes, operation, step)) return false
  return compareScope(valueAt(yes, step)!.scope, versions[0]!.value.args).verdict !== 'different'
}

/** A call that was made anew before it left is no other call. */
function isForAnother(run: Run, yes: Approval, operation: Operation, step: Step): boolean {
  const waits = waitingOperation(run, yes)
  if (waits === undefined || waits === operation) return false
  const left = dispatchStep(waits)
  return (
    (left !== undefined && left < step) || !doesMatter(matterOf(run, yes, yes.versions[0]!.value), operation)
  )
}

function draft({ operation, step, agent: by }: Dispatch, pending: Approval): Draft {
  const { agent, action } = valueAt(pending, step)!
  const asked = agent === undefined || agent === operation.agent ? '' : ` (asked by ${agent})`
  return {
    agents: [...new Set([agent, by])].filter((name) => name !== undefined),
    subject: { kind: 'operation', id: operation.op },
    message:
      `${by ?? 'An agent'} ran ${nameOf(operation)} while approval ${pending.id} for ${action ?? operation.tool}${asked} was still pending. ` +
      'No person had said yes.',
    evidence: [
      { step: firstStep(pending), side: 'sender', path: `approval ${pending.id}` },
      { step, side: 'receiver', path: `operation ${operation.op}` },
    ],
    remedy:
      'Let a gated call leave only after its approval is given, and check that in the runtime, not in the prompt.',
    trait: operation.tool,
  }
}

function isFor(run: Run, approval: Approval, { operation, approval: named }: Dispatch): boolean {
  return named === approval.id || doesMatter(matterOf(run, approval, approval.versions[0]!.value), operation)
}
