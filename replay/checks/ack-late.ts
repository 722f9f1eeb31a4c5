import type { Check } from '../check.ts'
import { type Act, actsByAgent } from '../facts/acts.ts'
import { acceptanceDue, instantAt } from '../facts/due.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, receiverOf } from '../phrase.ts'
import type { Handoff, Run, Step } from '../run.ts'

export const ackLate: Check = {
  id: 'ack-late',
  severity: 'warning',
  title: 'Accepted too late, or not at all',
  question: 'Did the receiver accept in time?',
  definition:
    'Raised where a due time is stated (`ack_due` of the handoff or its record, a time or a duration) and the acceptance ' +
    '(accepted, declined or a verdict) came after it, or the receiver worked on after it without one. A handoff that nobody ' +
    'received is left to handoff-dropped.',
  check({ run }) {
    const acts = actsByAgent(run)
    return { findings: run.handoffs.flatMap((handoff) => lateness(run, handoff, acts)) }
  },
}

function lateness(run: Run, handoff: Handoff, acts: ReadonlyMap<string, readonly Act[]>): Draft[] {
  const due = acceptanceDue(run, handoff)
  if (due === undefined || handoff.receipts.length === 0) return []
  const answers = [handoff.accepted, handoff.declined, ...handoff.verdicts].flatMap((one) => one?.step ?? [])
  const answer = answers.length === 0 ? undefined : Math.min(...answers)
  const isLate = (step: Step) => (instantAt(run, step) ?? Number.NEGATIVE_INFINITY) > due
  const at = answer === undefined ? workAfter(handoff, acts, isLate) : isLate(answer) ? answer : undefined
  if (at === undefined) return []
  const waited = (instantAt(run, at)! - due) / 1000
  const what = answer === undefined ? 'never accepted it and works on' : 'accepted it'
  return [
    {
      ...aboutHandoff(handoff),
      subject: { kind: 'handoff', id: handoff.id },
      message:
        `${receiverOf(handoff)} ${what} ${waited} s after the acceptance of ${handoff.id} was due. ` +
        'The sender may have given the task to somebody else by then.',
      evidence: [
        { step: handoff.sent!.step, side: 'sender' },
        { step: at, side: 'receiver' },
      ],
      remedy: 'Accept before the work begins; after the due time ask the sender who owns the task.',
      trait: answer === undefined ? 'not accepted' : 'late',
    },
  ]
}

function workAfter(
  handoff: Handoff,
  acts: ReadonlyMap<string, readonly Act[]>,
  isLate: (step: Step) => boolean,
): Step | undefined {
  const receipt = handoff.receipts[0]!
  if (isLate(receipt.step)) return receipt.step
  return acts.get(receipt.by ?? '')?.find((act) => act.step > receipt.step && isLate(act.step))?.step
}
