import { textOf } from '../../model/json.ts'
import type { Check } from '../check.ts'
import { acceptanceDue, instantAt } from '../facts/due.ts'
import { asksForVerdict, requestedAction } from '../facts/verdicts.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, receiverOf } from '../phrase.ts'
import type { Handoff, Run } from '../run.ts'

export const verdictMissing: Check = {
  id: 'verdict-missing',
  severity: 'warning',
  title: 'A verdict was asked for and never came',
  question: 'Did the reviewer say yes or no?',
  definition:
    'Raised when a handoff asks to review or to approve, was received and not declined, and there is no verdict when the run ' +
    'ends or its due time (`ack_due`) has passed. A verdict in the return of the receiver, in its record or on a later ' +
    'attempt counts, and so does a decision on an approval that is for the handoff.',
  check({ run }) {
    return { findings: run.handoffs.flatMap((handoff) => missing(run, handoff)) }
  },
}

function missing(run: Run, handoff: Handoff): Draft[] {
  if (!asksForVerdict(handoff)) return []
  if (handoff.receipts.length === 0 || isAnswered(run, handoff)) return []
  const due = acceptanceDue(run, handoff)
  const last = instantAt(run, run.events.length - 1)
  const action = requestedAction(handoff)!
  const isOverdue = due !== undefined && last !== undefined && last > due
  if (!run.ended && !isOverdue) return []
  return [
    {
      ...aboutHandoff(handoff),
      subject: { kind: 'handoff', id: handoff.id },
      message:
        `${handoff.from ?? 'The sender'} asked ${receiverOf(handoff)} to ${action}, and no verdict came ` +
        `${run.ended ? 'before the run ended' : 'in time'}. The sender waits, or goes on as if it had been a yes.`,
      evidence: bothSides({ sent: handoff.sent, receipt: handoff.receipts[0] }),
      remedy:
        'Answer with approve, request_changes, block or acknowledge; set a due time after which silence is a no.',
      trait: action,
    },
  ]
}

function isAnswered(run: Run, handoff: Handoff): boolean {
  const { id, verdicts, declined, failed, deadLettered, receipts } = handoff
  if (verdicts.length > 0 || declined !== undefined || failed !== undefined || deadLettered !== undefined)
    return true
  const decided = [...run.approvals.values()].some(
    (approval) =>
      (approval.for === id || approval.id === id) &&
      approval.versions.some(({ value }) => value.state !== 'pending'),
  )
  return (
    decided ||
    run.handoffs.some(
      (other) =>
        (other.id === id && other.verdicts.length > 0) ||
        (other.from === receipts[0]!.by &&
          other.sent !== undefined &&
          other.sent.step > receipts[0]!.step &&
          textOf(other.sent.event.verdict ?? other.sent.record?.raw.verdict) !== undefined),
    )
  )
}
