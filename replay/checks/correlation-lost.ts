import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { aboutHandoff, receiverOf } from '../phrase.ts'

export const correlationLost: Check = {
  id: 'correlation-lost',
  severity: 'warning',
  title: 'The id of the task did not cross',
  question: 'Do both sides call the task by the same id?',
  definition:
    'Raised when the sender names a task or context id, or a correlation id in its record, and the receiver has none or ' +
    'another one. Needs both sides of the handoff.',
  check({ diffs }) {
    return {
      findings: diffs
        .filter(({ correlation }) => correlation.task === 'broken')
        .map((diff) => ({
          ...aboutHandoff(diff.handoff),
          subject: { kind: 'handoff', id: diff.handoff.id },
          message:
            `${diff.handoff.from ?? 'The sender'} calls the task ${idOf(diff.sent!)}; ${receiverOf(diff.handoff)} has ` +
            `${idOf(diff.receipt!) || 'no id for it'}. A retry, an answer or a cancellation cannot be matched to it.`,
          evidence: [
            { step: diff.sent!.step, side: 'sender' as const, path: 'task' },
            { step: diff.receipt!.step, side: 'receiver' as const, path: 'task' },
          ],
          remedy: 'Carry one opaque id over every hop, in the record (correlation_id) and in the request.',
          trait: 'task',
        })),
    }
  },
}

function idOf({ event, record }: NonNullable<HandoffDiff['sent'] | HandoffDiff['receipt']>): string {
  const { task } = event
  const ids = typeof task === 'string' ? [task] : [task?.id, task?.context]
  return [...ids, record?.raw.correlation_id].filter((id) => typeof id === 'string').join(' / ')
}
