import type { Check } from '../check.ts'
import { aboutHandoff, listed } from '../phrase.ts'
import type { Handoff } from '../run.ts'

export const deadLetterIncomplete: Check = {
  id: 'dead-letter-incomplete',
  severity: 'warning',
  title: 'A dead letter cannot be taken up again',
  question: 'Does a task that was given up hold all that is needed to take it up?',
  definition:
    'Raised for a dead-lettered handoff that lacks its reason, the number of attempts, the last status, the contract ' +
    '(record, brief, task or items of what was sent) or an id by which the task can be found (correlation or task id; the ' +
    'handoff and run ids of the log count where they are given).',
  check({ run }) {
    return {
      findings: run.handoffs.flatMap((handoff) => {
        const missing = missingParts(handoff)
        if (missing.length === 0) return []
        return [
          {
            ...aboutHandoff(handoff),
            subject: { kind: 'handoff', id: handoff.id },
            message:
              `${handoff.id} was dead-lettered without ${listed(missing)}. ` +
              'Whoever finds it can neither judge nor repeat it.',
            evidence: [
              ...(handoff.sent === undefined ? [] : [{ step: handoff.sent.step, side: 'sender' as const }]),
              { step: handoff.deadLettered!.step },
            ],
            remedy:
              'Store the record with correlation_id, attempts, last_status and reason in the dead letter.',
            trait: missing.join(' '),
          },
        ]
      }),
    }
  },
}

function missingParts({ deadLettered, sent }: Handoff): string[] {
  if (deadLettered === undefined) return []
  const { event } = deadLettered
  const has = (...values: unknown[]) => values.some(isThere)
  const contract = has(event.record, event.contract, event.brief, event.task, event.payload, event.items)
  const wasSent = has(sent?.event.record, sent?.event.brief, sent?.event.task, sent?.event.items_before)
  return [
    ...(has(event.reason, event.error) ? [] : ['a reason']),
    ...(has(event.attempts) ? [] : ['the attempts']),
    ...(has(event.last_status, event.lastStatus, event.status) ? [] : ['the last status']),
    ...(contract || wasSent ? [] : ['the contract']),
    ...(has(event.correlation_id, event.handoff, event.run) ? [] : ['an id of the task']),
  ]
}

function isThere(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
