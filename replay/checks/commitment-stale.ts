import type { Check } from '../check.ts'
import { latest } from '../history.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, quote, receiverOf } from '../phrase.ts'

export const commitmentStale: Check = {
  id: 'commitment-stale',
  severity: 'warning',
  title: 'A promise is carried on although it has ended',
  question: 'Is the receiver bound only by promises that still stand?',
  definition:
    'Raised when a promise had been closed before the handoff and the receiver holds it as one that stands (in the record, as ' +
    'an item that names it, or in the instructions) without being told of its end. An old message that made the promise is ' +
    'history and no finding.',
  check({ diffs }) {
    return {
      findings: diffs.flatMap((diff) =>
        diff.commitments
          .filter(({ open, crossed, stands, ended }) => !open && crossed && stands && !ended)
          .map(({ commitment, path }) => {
            const closed = commitment.versions.find(
              ({ step, value }) => !value.open && step <= diff.sent!.step,
            )!
            const receiver = receiverOf(diff.handoff)
            return {
              ...aboutHandoff(diff.handoff),
              subject: { kind: 'commitment', id: commitment.id },
              message:
                `The promise ${quote(commitment.text || commitment.id)} (${commitment.id}) had ended, and ${receiver} still reads it as one that ` +
                `stands (${path}). It may keep to it, although nobody waits for that any more.`,
              evidence: [
                { step: closed.step, side: 'sender' as const, path: `commitment ${commitment.id}` },
                { step: diff.receipt!.step, side: 'receiver' as const, path: path! },
              ],
              remedy:
                'Leave ended promises out, or carry the note of their end with them (ends: the id of the promise).',
              trait: latest(commitment).event.text ?? commitment.id,
            }
          }),
      ),
      notJudged: missingSenders(diffs),
    }
  },
}
