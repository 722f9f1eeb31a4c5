import { normaliseText } from '../../model/hash.ts'
import type { Check, CheckInput, CheckResult } from '../check.ts'
import type { ApprovalCrossing, HandoffDiff } from '../diff/handoff-diff.ts'
import { whyUnseen } from '../facts/left-out.ts'
import { findOverride } from '../facts/override.ts'
import { latestReceipt } from '../facts/participation.ts'
import { refusalInRecord, refusalInWords } from '../facts/refusal.ts'
import { textsKnownBefore } from '../facts/times-said.ts'
import type { Draft } from '../finding.ts'
import { latest } from '../history.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, quote, receiverOf } from '../phrase.ts'
import type { Receipt, Run } from '../run.ts'
import { type PayloadText, payloadTexts } from '../text.ts'

export const approvalDecisionLost: Check = {
  id: 'approval-decision-lost',
  severity: 'error',
  title: "A person's decision did not come along",
  question: "Does a person's no come back with whoever asked?",
  definition:
    'Raised when a helper returns and a refusal that it was given is neither in the record nor among the items nor told in the ' +
    'words with its author or reason; on other handoffs, when the receiver then runs the refused action; and on any handoff ' +
    'that gives a decided approval another state. A complaint that something did not work is no refusal.',
  check: judgeDecisions,
}

function judgeDecisions({ run, diffs }: CheckInput): CheckResult {
  const reported = new Set<string>()
  const findings: Draft[] = []
  const notJudged = missingSenders(diffs)
  for (const diff of diffs) {
    for (const crossing of diff.approvals) {
      const { approval, verdict } = crossing
      if (verdict !== 'decision not delivered' || reported.has(approval.id)) continue
      if (crossing.received === undefined && !mustComeBack(run, diff, crossing)) continue
      const reason = crossing.received === undefined ? whyUnseen(diff.receipt!, 'agents') : undefined
      if (reason !== undefined) {
        notJudged.push({ handoff: diff.handoff.id, reason })
        continue
      }
      reported.add(approval.id)
      findings.push(draft(diff, crossing))
    }
  }
  return { findings, notJudged }
}

/** The refusal was given during the work that is handed over now, and the receiver cannot know it from elsewhere. */
function mustComeBack(run: Run, diff: HandoffDiff, { approval, version, holder }: ApprovalCrossing): boolean {
  const { handoff, sent } = diff
  const receiver = receiverOf(handoff)
  if (holder !== 'sender' || latest(approval).state !== 'rejected') return false
  if (version.by === receiver || approval.versions.some(({ value }) => value.deliveredTo === receiver))
    return false
  const began = latestReceipt(run, handoff.from, sent!.step)?.receipt.step ?? -1
  const isNews =
    handoff.mode === 'return'
      ? approval.versions.at(-1)!.step > began
      : findOverride(run, approval)?.operation.agent === receiver
  return (
    isNews &&
    refusalInRecord(approval, version, diff.receipt!) === undefined &&
    refusalInWords(version, newTexts(run, diff.receipt!)) === undefined
  )
}

/** What the receiver had not read before: an older refusal by the same person tells nothing of this one. */
function newTexts(run: Run, receipt: Receipt): PayloadText[] {
  const known = textsKnownBefore(run, receipt)
  return payloadTexts(receipt).filter(
    ({ item }) => item === undefined || !known.has(normaliseText(item.text)),
  )
}

function draft(diff: HandoffDiff, { approval, version, received, evidence }: ApprovalCrossing): Draft {
  const receiver = receiverOf(diff.handoff)
  const reason = version.reason === undefined ? '' : ` (${quote(version.reason)})`
  const got =
    received?.state === undefined
      ? `${receiver} got neither the decision nor who made it`
      : `${receiver} holds it as ${received.state}`
  return {
    ...aboutHandoff(diff.handoff),
    subject: { kind: 'approval', id: approval.id },
    message:
      `${version.by ?? 'A person'} ${version.state === 'approved' ? 'approved' : 'refused'} ${version.action ?? approval.for ?? 'the action'} ` +
      `(${approval.id})${reason}; ${got}. It may ask again, or take the refusal for a fault and do it itself.`,
    evidence: [
      { step: decisionStep(approval), side: 'sender', path: `approval ${approval.id}` },
      ...evidence,
    ],
    remedy:
      'Return the decision as a decision: record pending_actions [{id, action, state, by}] with its reason.',
    trait: version.action ?? 'approval',
  }
}

function decisionStep(approval: ApprovalCrossing['approval']): number {
  return approval.versions.find(({ value }) => value.state === 'rejected' || value.state === 'approved')!.step
}
