import type { Check, CheckInput } from '../check.ts'
import { isSameRequest, matterOf } from '../facts/approval-matter.ts'
import { dispatchStep } from '../facts/effects.ts'
import { inOrderOfAsking, likeRequests } from '../facts/like-requests.ts'
import type { Draft } from '../finding.ts'
import { isDecided } from '../fold/approval-state.ts'
import { firstStep, latest, valueAt } from '../history.ts'
import { aboutHandoff, receiverOf } from '../phrase.ts'
import type { Approval, Run } from '../run.ts'

const REMEDY = 'Keep the id under which the approval was announced on every hop, and answer under that id.'

export const approvalIdChanged: Check = {
  id: 'approval-id-changed',
  severity: 'error',
  title: 'One approval goes by two ids',
  question: 'Does an approval keep the id under which it was announced?',
  definition:
    'Raised when an approval reaches the receiver under another id, when a decision comes under an id that was never ' +
    'announced while one for the same operation (or the same action and scope) still waits, and when two agents announce one ' +
    'operation under two ids, or one agent twice, and the answer to one leaves the other waiting. Two people who both have to ' +
    'agree are no finding as long as the operation waits for both.',
  check(input) {
    return { findings: [...renamedOnTheWay(input), ...answeredUnderAnother(input.run)] }
  },
}

function renamedOnTheWay({ diffs }: CheckInput): Draft[] {
  return diffs.flatMap((diff) =>
    diff.approvals
      .filter(({ verdict }) => verdict === 'id changed')
      .map(({ approval, version, received, evidence }) => ({
        ...aboutHandoff(diff.handoff),
        subject: { kind: 'approval', id: approval.id },
        message:
          `The approval for ${version.action ?? approval.for ?? 'an action'} was announced as ${approval.id}; ${receiverOf(diff.handoff)} ` +
          `knows it as ${received?.id}. An answer under one id does not reach whoever waits under the other.`,
        evidence,
        remedy: REMEDY,
        trait: version.action ?? 'approval',
      })),
  )
}

function answeredUnderAnother(run: Run): Draft[] {
  return [...run.approvals.values()].flatMap((other) => {
    const decision = other.versions.find(({ value }) => isDecided(value.state))
    if (decision === undefined) return []
    const announced = firstStep(other) < decision.step
    const matter = matterOf(run, other, decision.value)
    const waiting = inOrderOfAsking(run, likeRequests(run, matter)).find(
      (approval) =>
        approval !== other &&
        valueAt(approval, decision.step)?.state === 'pending' &&
        isSameRequest(matterOf(run, approval, latest(approval)), matter) &&
        (!announced || isLeftWaiting(run, approval, other)),
    )
    if (waiting === undefined) return []
    const { action, agent } = latest(waiting)
    const { operation } = matterOf(run, waiting, latest(waiting))
    const stays =
      operation !== undefined && dispatchStep(operation) !== undefined ? 'the question' : 'the action'
    return [
      {
        agents: [agent, decision.value.deliveredTo].filter((name) => name !== undefined),
        subject: { kind: 'approval', id: waiting.id },
        message:
          `The approval for ${action ?? waiting.for ?? 'an action'} was announced as ${waiting.id} and answered as ${other.id}. ` +
          `Whoever waits for ${waiting.id} never hears the answer, and ${stays} stays where it is.`,
        evidence: [
          { step: firstStep(waiting), side: 'sender' as const, path: `approval ${waiting.id}` },
          { step: decision.step, side: 'receiver' as const, path: `approval ${other.id}` },
        ],
        remedy: REMEDY,
        trait: action ?? 'approval',
      },
    ]
  })
}

/**
 * Never answered itself, and announced for one operation: by two agents, and it never went out, or twice by one agent, and it
 * went out on the other answer. As long as it waits, a second person may have to agree.
 */
function isLeftWaiting(run: Run, approval: Approval, other: Approval): boolean {
  const [a, b] = [latest(approval), latest(other)]
  if (a.state !== 'pending' || a.agent === undefined || b.agent === undefined) return false
  const { operation } = matterOf(run, approval, a)
  if (operation === undefined || b.state === 'rejected') return false
  const hasGone = dispatchStep(operation) !== undefined
  return a.agent === b.agent ? hasGone && matterOf(run, other, b).operation === operation : !hasGone
}
