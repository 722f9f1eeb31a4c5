import type { Check } from '../check.ts'
import { agentsOf, receiverOf } from '../phrase.ts'

export const receivedWithoutSent: Check = {
  id: 'received-without-sent',
  severity: 'warning',
  title: 'Received, with no sender on record',
  question: 'Does each task that was received have a sender?',
  definition:
    'Raised for a handoff that was received and that no attempt of was ever sent in the log. Either the log of the sending ' +
    'process is missing, or the task came from somewhere else than it says. Nothing that the sender knew can be compared.',
  check({ run }) {
    const sent = new Set(run.handoffs.flatMap((handoff) => (handoff.sent === undefined ? [] : [handoff.id])))
    const unknown = run.handoffs.filter(({ id, receipts }, index) => {
      if (receipts.length === 0 || sent.has(id)) return false
      // Several attempts of one handoff are one gap.
      return run.handoffs.findIndex((other) => other.id === id && other.receipts.length > 0) === index
    })
    return {
      findings: unknown.map((handoff) => ({
        handoff: handoff.id,
        attempt: handoff.attempt,
        agents: agentsOf(handoff),
        subject: { kind: 'handoff', id: handoff.id },
        message:
          `${receiverOf(handoff)} received ${handoff.id}, and nobody in the log sent it. ` +
          'Whose task it is, and what the sender still had open, cannot be told.',
        evidence: handoff.receipts.map(({ step }) => ({ step, side: 'receiver' as const })),
        remedy: 'Add the log of the sending process, or refuse a task that names no sender.',
        trait: receiverOf(handoff),
      })),
    }
  },
}
