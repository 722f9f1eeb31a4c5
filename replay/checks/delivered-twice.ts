import type { Check } from '../check.ts'
import { aboutHandoff, listed } from '../phrase.ts'
import type { Receipt } from '../run.ts'

export const deliveredTwice: Check = {
  id: 'delivered-twice',
  severity: 'warning',
  title: 'One handoff was received twice',
  question: 'Was each attempt received once?',
  definition:
    'Raised when the same attempt of a handoff was received more than once, by one agent or by several. A receipt that is ' +
    'marked as a duplicate was noticed and is not counted; attempts with numbers of their own are retries.',
  check({ run }) {
    return {
      findings: run.handoffs.flatMap((handoff) => {
        const receipts = handoff.receipts.filter(
          ({ event }) => event.duplicate !== true && event.ignored !== true,
        )
        if (receipts.length < 2) return []
        return [
          {
            ...aboutHandoff(handoff),
            subject: { kind: 'handoff', id: handoff.id },
            message:
              `${handoff.id} was sent once as attempt ${handoff.attempt} and received ${receipts.length} times, by ` +
              `${listed(receipts.map(placeOf))}. Each receipt starts the same work.`,
            evidence: [
              ...(handoff.sent === undefined ? [] : [{ step: handoff.sent.step, side: 'sender' as const }]),
              ...receipts.map(({ step }) => ({ step, side: 'receiver' as const })),
            ],
            remedy:
              'Keep the ids of received handoffs, and answer a repeated one with the receipt of the first.',
            trait: 'receipt',
          },
        ]
      }),
    }
  },
}

function placeOf({ by, event }: Receipt): string {
  return event.process === undefined ? (by ?? 'somebody') : `${by ?? 'somebody'} in ${event.process}`
}
