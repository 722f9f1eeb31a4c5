import type { Check } from '../check.ts'
import { actsOf } from '../facts/acts.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, quote } from '../phrase.ts'
import type { Handoff, Step } from '../run.ts'

export const declinedWithoutOwner: Check = {
  id: 'declined-without-owner',
  severity: 'error',
  title: 'A declined task belongs to nobody',
  question: 'Who owns the task after it was declined?',
  definition:
    'Raised when a handoff was declined and, by the end of the run, nobody took it up: no other handoff was sent or ' +
    'accepted, and no agent but the one that declined did anything. A run that goes on is not judged yet.',
  check({ run }) {
    if (!run.ended) return { findings: [] }
    const acts = actsOf(run)
    const isTaken = (handoff: Handoff, by: string | undefined, step: Step) =>
      acts.some((act) => act.step > step && act.agent !== by) ||
      run.handoffs.some(
        (other) =>
          (other.sent !== undefined && other.sent.step > step) ||
          (other.accepted !== undefined && other.accepted.step > step) ||
          (other !== handoff && other.receipts.some((receipt) => receipt.step > step)),
      )
    return {
      findings: run.handoffs.flatMap((handoff) => {
        if (handoff.declined === undefined || handoff.deadLettered !== undefined) return []
        const { step, event } = handoff.declined
        const by = typeof event.by === 'string' ? event.by : handoff.to
        return isTaken(handoff, by, step) ? [] : [draft(handoff, by)]
      }),
    }
  },
}

function draft(handoff: Handoff, by: string | undefined): Draft {
  const { event, step } = handoff.declined!
  const reason = typeof event.reason === 'string' && event.reason !== '' ? ` (${quote(event.reason)})` : ''
  return {
    ...aboutHandoff(handoff),
    subject: { kind: 'handoff', id: handoff.id },
    message:
      `${by ?? 'The receiver'} declined ${handoff.id}${reason}, and nobody did anything after that. ` +
      `${handoff.from ?? 'The sender'} has let go of the task, and the run ended without it.`,
    evidence: [
      ...(handoff.sent === undefined ? [] : [{ step: handoff.sent.step, side: 'sender' as const }]),
      { step, side: 'receiver' },
    ],
    remedy: 'Give a declined task back to its sender, or on to a named agent or queue.',
    trait: handoff.mode,
  }
}
