import { jsonString } from '../../model/json-text.ts'
import type { Check } from '../check.ts'
import { isSameRequest, matterOf } from '../facts/approval-matter.ts'
import { wasDispatched } from '../facts/effects.ts'
import { inOrderOfAsking, likeRequests } from '../facts/like-requests.ts'
import { verdictsOn } from '../facts/verdicts.ts'
import type { Draft } from '../finding.ts'
import { statedApprovals } from '../fold/stated-approvals.ts'
import { firstStep, latest } from '../history.ts'
import type { Approval, ApprovalVersion, Handoff, Run, Step } from '../run.ts'

export const approvalMisdirected: Check = {
  id: 'approval-misdirected',
  severity: 'error',
  title: 'The answer went to somebody who does not wait for it',
  question: 'Does each decision reach the agent that waits?',
  definition:
    'Raised when a decision is delivered to another agent than the one that asked (or was given the question by a handoff), ' +
    'or its delivery failed, and it does not reach the one that waits afterwards either. Whoever was given the question only ' +
    'to decide it does not wait. Silent where the log does not say to whom a decision was delivered.',
  check({ run }) {
    return { findings: [...run.approvals.values()].flatMap((approval) => misdirected(run, approval)) }
  },
}

type Decision = { step: Step; value: ApprovalVersion }

function misdirected(run: Run, approval: Approval): Draft[] {
  const decisions = approval.versions.filter(({ value }) => isAnswer(value))
  const wrong = decisions.find((decision) => {
    if (decision.value.deliveredTo === undefined && !failed(decision)) return false
    if (decision.value.deliveredTo === asker(run, approval, decision) && !failed(decision)) return false
    const waiting = waitingAgents(run, approval, decision)
    const { deliveredTo } = decision.value
    if (waiting.size === 0) return false
    const elsewhere = deliveredTo !== undefined && !waiting.has(deliveredTo)
    return (elsewhere || failed(decision)) && !arrivesLater(run, approval, decision, waiting)
  })
  if (wrong === undefined) return []
  const waiting = [...waitingAgents(run, approval, wrong)]
  const { deliveredTo, state, action } = wrong.value
  const to = deliveredTo ?? 'nobody'
  const error = errorOf(wrong)
  return [
    {
      agents: [...new Set([to, ...waiting])].filter((name) => name !== 'nobody'),
      subject: { kind: 'approval', id: approval.id },
      message:
        `${action ?? approval.for ?? 'The action'} was ${state} (${approval.id}), and the answer was delivered to ${to}${error === undefined ? '' : ` and failed there: ${error}`}. ` +
        `${waiting.join(' or ')} waits for it and never gets it.`,
      evidence: [
        { step: wrong.step, path: 'delivered_to', text: to },
        { step: firstStep(asked(run, approval, wrong) ?? approval), path: 'agent', text: waiting.join(', ') },
      ],
      remedy:
        'Deliver a decision to the agent that holds the pending approval, by the id under which it was announced.',
      trait: action ?? 'approval',
    },
  ]
}

function isAnswer({ state, event }: ApprovalVersion): boolean {
  return event.state !== undefined && (state === 'approved' || state === 'rejected')
}

function failed(decision: Decision): boolean {
  return errorOf(decision) !== undefined
}

function errorOf({ value }: Decision): string | undefined {
  const { error } = value.event
  if (error === undefined || error === null || error === '' || error === false) return undefined
  return typeof error === 'string' ? error : jsonString(error)
}

/** The pending approval that the decision answers: itself, or the one for the same request under another id. */
function asked(run: Run, approval: Approval, { step, value }: Decision): Approval | undefined {
  if (firstStep(approval) < step) return approval
  const matter = matterOf(run, approval, value)
  return inOrderOfAsking(run, likeRequests(run, matter)).find(
    (other) =>
      other !== approval &&
      firstStep(other) < step &&
      isSameRequest(matterOf(run, other, latest(other)), matter),
  )
}

function asker(run: Run, approval: Approval, decision: Decision): string | undefined {
  const question = asked(run, approval, decision)
  const pending = question?.versions.find(
    ({ step, value }) => step <= decision.step && value.state === 'pending',
  )
  return pending?.value.agent ?? matterOf(run, approval, decision.value).operation?.agent
}

/** Whoever asked, and whoever an earlier handoff had given the question to, unless to be decided there. */
function waitingAgents(run: Run, approval: Approval, decision: Decision): Set<string> {
  const question = asked(run, approval, decision)
  const agent = asker(run, approval, decision)
  const agents = new Set(agent === undefined ? [] : [agent])
  for (const handoff of run.handoffs) {
    for (const receipt of handoff.receipts) {
      if (receipt.step > decision.step || receipt.by === undefined) continue
      if (receipt.by === decision.value.event.by && isOnlyAskedToDecide(run, handoff)) continue
      const carried = statedApprovals(receipt).some(({ id }) => id === approval.id || id === question?.id)
      if (carried) agents.add(receipt.by)
    }
  }
  return agents
}

/** Whoever took the whole task over waits as well, even if it decides by itself; a verdict goes back to whoever asked. */
function isOnlyAskedToDecide(run: Run, handoff: Handoff): boolean {
  if (handoff.mode === 'transfer' || handoff.mode === 'resume') return false
  return verdictsOn(run, handoff).every(({ word }) => word === 'acknowledge')
}

/** Delivered once more, used by the operation, or passed on with a later handoff. */
function arrivesLater(
  run: Run,
  approval: Approval,
  decision: Decision,
  waiting: ReadonlySet<string>,
): boolean {
  const again = approval.versions.some(
    ({ step, value }) =>
      step > decision.step &&
      (value.state === 'consumed' || (value.deliveredTo !== undefined && waiting.has(value.deliveredTo))),
  )
  if (again) return true
  const { operation } = matterOf(run, approval, decision.value)
  const used = operation?.versions.some(({ step, value }) => step > decision.step && wasDispatched(value))
  if (used) return true
  return run.handoffs.some(({ receipts }) =>
    receipts.some(
      (receipt) =>
        receipt.step > decision.step &&
        receipt.by !== undefined &&
        waiting.has(receipt.by) &&
        statedApprovals(receipt).some(({ id }) => id === approval.id),
    ),
  )
}
