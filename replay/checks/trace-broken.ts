import { textOf } from '../../model/json.ts'
import type { Check } from '../check.ts'
import { traceOfSender } from '../diff/correlation.ts'
import { aboutHandoff, receiverOf } from '../phrase.ts'

export const traceBroken: Check = {
  id: 'trace-broken',
  severity: 'warning',
  title: 'The receiver is in another trace',
  question: 'Does the trace go on at the receiver?',
  definition:
    'Raised when both sides name a trace, the ids differ, and the receiving side has no link back to the trace of the ' +
    'sender. Needs the trace of both sides; a sender that names none is in that of the handoff it got the task ' +
    'with, or of the start of the run.',
  check({ run, diffs }) {
    return {
      findings: diffs
        .filter(({ correlation }) => correlation.trace === 'broken')
        .map(({ handoff, sent, receipt }) => ({
          ...aboutHandoff(handoff),
          subject: { kind: 'handoff', id: handoff.id },
          message:
            `${handoff.from ?? 'The sender'} sent in trace ${traceOfSender(run, handoff, sent!)}, and ${receiverOf(handoff)} received in trace ` +
            `${textOf(receipt!.event.trace?.id)}, without a link. Time, tokens and calls of one job stand in two traces and cannot be added up.`,
          evidence: [
            { step: sent!.step, side: 'sender' as const, path: 'trace' },
            { step: receipt!.step, side: 'receiver' as const, path: 'trace' },
          ],
          remedy:
            'Pass traceparent and tracestate on with the request, or add a span link to the trace of the sender.',
          trait: 'trace',
        })),
    }
  },
}
