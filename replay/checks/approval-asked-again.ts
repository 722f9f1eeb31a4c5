import { jsonString } from '../../model/json-text.ts'
import type { Check } from '../check.ts'
import { doesMatter, isSameRequest, type Matter, matterOf, operationsOf } from '../facts/approval-matter.ts'
import { wasDispatched } from '../facts/effects.ts'
import { inOrderOfAsking, likeRequests, requestsForLess } from '../facts/like-requests.ts'
import { type UserTurns, userTurns } from '../facts/user-turns.ts'
import type { Draft } from '../finding.ts'
import { isDecided } from '../fold/approval-state.ts'
import { valueAt } from '../history.ts'
import type { Approval, ApprovalVersion, Run, Step } from '../run.ts'

export const approvalAskedAgain: Check = {
  id: 'approval-asked-again',
  severity: 'warning',
  title: 'A decided approval is asked again',
  question: 'Is a decision asked for only once?',
  definition:
    'Raised when an approval becomes pending after a decision for the same operation, or for the same action and scope while ' +
    'the first yes is unused or a no still stands. Not raised for a changed request, after the approved step failed, for ' +
    'another action of the same kind once the first is done, or when the user asked for it again after a no.',
  check({ run }) {
    if (run.approvals.size === 0) return { findings: [] }
    const turns = userTurns(run)
    return { findings: [...run.approvals.values()].flatMap((approval) => askedAgain(run, approval, turns)) }
  },
}

type Question = { step: Step; value: ApprovalVersion }

function askedAgain(run: Run, approval: Approval, turns: UserTurns): Draft[] {
  for (const [index, question] of approval.versions.entries()) {
    if (question.value.event.state === undefined && index > 0) continue
    if (question.value.state !== 'pending' || approval.versions[index - 1]?.value.state === 'pending')
      continue
    const now = matterOf(run, approval, question.value)
    const others = [approval, ...likeRequests(run, now), ...requestsForLess(run, now)]
    const earlier = inOrderOfAsking(run, others).find((other) =>
      isDecidedFor(run, other, approval, question, turns),
    )
    if (earlier === undefined) continue
    const decision = decisionBefore(earlier, question.step)!
    const { action, agent } = question.value
    const other = earlier === approval ? '' : ` as ${approval.id}`
    return [
      {
        agents: [...new Set([decision.value.agent, agent])].filter((name) => name !== undefined),
        subject: { kind: 'approval', id: approval.id },
        message:
          `${action ?? approval.for ?? 'The action'} was ${wordOf(decision.value.state)} as ${earlier.id}${by(decision.value)} and is asked again${other}. ` +
          'The decision was not kept; the person may answer differently, or agree to a second run.',
        evidence: [
          { step: decision.step, side: 'sender' as const, path: `approval ${earlier.id}` },
          { step: question.step, side: 'receiver' as const, path: `approval ${approval.id}` },
        ],
        remedy: 'Carry the decision with its id and use it, instead of asking for it once more.',
        trait: action ?? 'approval',
      },
    ]
  }
  return []
}

function wordOf(state: string): string {
  return state === 'rejected' ? 'refused' : 'approved'
}

function by({ by: person }: ApprovalVersion): string {
  return person === undefined ? '' : ` by ${person}`
}

function decisionBefore(approval: Approval, step: Step): Question | undefined {
  return approval.versions.findLast((version) => version.step < step && isDecided(version.value.state))
}

function isDecidedFor(
  run: Run,
  earlier: Approval,
  approval: Approval,
  question: Question,
  turns: UserTurns,
): boolean {
  const decision = decisionBefore(earlier, question.step)
  if (decision === undefined) return false
  const before = matterOf(run, earlier, decision.value)
  const now = matterOf(run, approval, question.value)
  const same = earlier === approval ? !isChanged(before, now, question) : isSameRequest(before, now)
  const alike = !same && earlier !== approval && isAlike(before, now)
  if (!same && !alike) return false
  if (argumentsChanged(before, decision.step, question.step)) return false
  if (decision.value.state === 'rejected') return !turns.between(decision.step, question.step)
  if (hasFailed(run, earlier, before, decision.step, question.step)) return false
  // Another call of the same kind needs a yes of its own once the first one has been used.
  return same && before.operation !== undefined
    ? true
    : !isUsed(run, earlier, before, decision, question.step)
}

/** Another operation that does the same, with the same scope. */
function isAlike(before: Matter, now: Matter): boolean {
  if (before.operation === undefined || now.operation === undefined || before.operation === now.operation)
    return false
  const scoped = before.scope !== undefined && now.scope !== undefined
  return (!scoped || before.scopeText === now.scopeText) && doesMatter(before, now.operation)
}

/** The same id, but the question itself names another action or scope than was decided. */
function isChanged(before: Matter, now: Matter, question: Question): boolean {
  const { action, scope } = question.value.event
  return (
    (action !== undefined && action !== before.action) ||
    (scope !== undefined &&
      !isSameRequest({ ...before, operation: undefined }, { ...now, operation: undefined }))
  )
}

function argumentsChanged({ operation }: Matter, decided: Step, asked: Step): boolean {
  if (operation === undefined) return false
  return jsonString(valueAt(operation, decided)?.args) !== jsonString(valueAt(operation, asked)?.args)
}

/** What waited for the decision failed; where the decision names no operation, whatever did what it is about. */
function hasFailed(run: Run, approval: Approval, matter: Matter, decided: Step, asked: Step): boolean {
  const operations = matter.operation ? [matter.operation] : operationsOf(run, approval, matter)
  return operations.some(({ versions }) =>
    versions.some(
      ({ step, value }) =>
        step > decided && step <= asked && (value.state === 'failed' || value.state === 'unknown'),
    ),
  )
}

function isUsed(run: Run, approval: Approval, matter: Matter, decision: Question, asked: Step): boolean {
  if (decision.value.state === 'consumed') return true
  return operationsOf(run, approval, matter).some((operation) =>
    operation.versions.some(
      ({ step, value }) => step >= decision.step && step <= asked && wasDispatched(value),
    ),
  )
}
