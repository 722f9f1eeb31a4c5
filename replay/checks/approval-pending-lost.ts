import type { Check, CheckInput } from '../check.ts'
import type { ApprovalCrossing, HandoffDiff } from '../diff/handoff-diff.ts'
import { matterOf, operationsOf } from '../facts/approval-matter.ts'
import { dispatchStep } from '../facts/effects.ts'
import type { Draft } from '../finding.ts'
import { isDecided } from '../fold/approval-state.ts'
import { passesControl } from '../fold/fold-handoffs.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, nameOf, receiverOf } from '../phrase.ts'
import type { Operation, Run, Step } from '../run.ts'

export const approvalPendingLost: Check = {
  id: 'approval-pending-lost',
  severity: 'error',
  title: 'A question that waits for a yes did not cross',
  question: 'Does the receiver know what still waits for a decision?',
  definition:
    'Raised when control passes and an approval that is pending at the sender is neither in the record nor among the items ' +
    'nor named in the words. Where the sender keeps control (delegate, notify), and where the receiver itself had asked, it is ' +
    'raised only if the receiver then runs the action undecided: until then whoever asked still waits.',
  searchesWordsOf: 'agents',
  check(input) {
    return { findings: lostQuestions(input), notJudged: missingSenders(input.diffs) }
  },
}

function lostQuestions({ run, diffs }: CheckInput): Draft[] {
  const reported = new Set<string>()
  return diffs.flatMap((diff) =>
    diff.approvals.flatMap((crossing) => {
      const { approval, version, verdict } = crossing
      if (verdict !== 'absent' || version.state !== 'pending' || reported.has(approval.id)) return []
      const ran = ranUndecided(run, crossing, diff)
      if (!mustCross(diff, crossing) && ran === undefined) return []
      reported.add(approval.id)
      return [draft(run, diff, crossing, ran)]
    }),
  )
}

function mustCross({ handoff }: HandoffDiff, { holder }: ApprovalCrossing): boolean {
  return holder === 'sender' ? passesControl(handoff) : handoff.mode === 'resume'
}

/** The action as the receiver ran it after the handoff, with no decision before. */
function ranUndecided(
  run: Run,
  { approval, version }: ApprovalCrossing,
  { receipt }: HandoffDiff,
): { operation: Operation; step: Step } | undefined {
  const matter = matterOf(run, approval, version)
  const decided =
    approval.versions.find(({ value }) => isDecided(value.state))?.step ?? Number.POSITIVE_INFINITY
  for (const operation of operationsOf(run, approval, matter)) {
    const step = dispatchStep(operation)
    if (step === undefined || step <= receipt!.step || step >= decided) continue
    if (operation.agent !== undefined && operation.agent !== receipt!.by) continue
    return { operation, step }
  }
  return undefined
}

/** The action left before the handoff, while the question was open. */
function hasRun(run: Run, { approval, version }: ApprovalCrossing, { sent }: HandoffDiff): boolean {
  return operationsOf(run, approval, matterOf(run, approval, version)).some((operation) => {
    const step = dispatchStep(operation)
    return step !== undefined && step < sent!.step
  })
}

function draft(
  run: Run,
  diff: HandoffDiff,
  crossing: ApprovalCrossing,
  ran: { operation: Operation; step: Step } | undefined,
): Draft {
  const { approval, version, evidence, holder } = crossing
  const receiver = receiverOf(diff.handoff)
  const action = version.action ?? 'an action'
  const unasked = hasRun(run, crossing, diff)
    ? 'The action has run without a decision, and nobody waits for the answer any more.'
    : 'The action is neither run nor refused, and nobody waits for the answer any more.'
  const after = ran === undefined ? unasked : `It then ran ${nameOf(ran.operation)} without a decision.`
  return {
    ...aboutHandoff(diff.handoff),
    subject: { kind: 'approval', id: approval.id },
    message:
      `${action} waited for a decision (approval ${approval.id}, asked by ${holder === 'receiver' ? receiver : (version.agent ?? diff.handoff.from ?? 'the sender')}) ` +
      `when the task went to ${receiver}, and nothing that ${receiver} got says so. ${after}`,
    evidence: [
      ...evidence,
      ...(ran === undefined ? [] : [{ step: ran.step, path: `operation ${ran.operation.op}` }]),
    ],
    remedy:
      'Have it decided before control passes, or carry it: record pending_actions [{id, action, scope, for}].',
    trait: action,
  }
}
