import type { Check } from '../check.ts'
import { redundantCalls } from '../facts/redundant-calls.ts'
import { aboutHandoff, bothSides, nameOf, receiverOf } from '../phrase.ts'

export const redundantCall: Check = {
  id: 'redundant-call',
  severity: 'warning',
  title: 'The receiver repeats a read that the sender had answered',
  question: 'Is work done again that was done before the handoff?',
  definition:
    'Raised when the receiver makes a read with the same tool and arguments as one whose settled result the sender had. Not ' +
    'raised if the log gives a reason to ask again: a turn of the user or a write in between, another result, more than an ' +
    "hour, a call that was repeated before the handoff already, or a call of the receiver's own. After a delegation it is " +
    'only noted (info): a helper often reads for itself.',
  check(input) {
    return {
      findings: redundantCalls(input).map(({ diff, first, again, step }) => ({
        ...aboutHandoff(diff.handoff),
        ...(diff.handoff.mode === 'delegate' ? { severity: 'info' as const } : {}),
        subject: { kind: 'operation', id: again.op },
        message:
          `${receiverOf(diff.handoff)} called ${nameOf(again)}, which ${nameOf(first)} had answered before the handoff. It ` +
          'costs time and money, and two answers can differ.',
        evidence: [
          { step: first.versions.at(-1)!.step, side: 'sender' as const },
          { step },
          ...bothSides(diff),
        ],
        remedy: 'Let the result cross: as an item with its call, or as evidence in the record.',
        trait: again.tool,
      })),
    }
  },
}
