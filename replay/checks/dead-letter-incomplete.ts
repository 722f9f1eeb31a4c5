import { isObject } from '../../model/json.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { argumentValues } from '../argument-values.ts'
import type { Check } from '../check.ts'
import { taskIds } from '../diff/correlation.ts'
import { aboutHandoff, listed } from '../phrase.ts'
import type { Handoff, Run, Sent } from '../run.ts'

export const deadLetterIncomplete: Check = {
  id: 'dead-letter-incomplete',
  severity: 'warning',
  title: 'A dead letter cannot be taken up again',
  question: 'Does a task that was given up hold all that is needed to take it up?',
  definition:
    'Raised for a dead-lettered handoff that lacks its reason, the number of attempts, the last status or the contract ' +
    '(record, brief, task or items of what was sent), and for one with a contract of its own that has left out the ' +
    'correlation or task id under which it was sent. One that was sent under none is found by the ids of run and handoff, ' +
    'which every event has.',
  check({ run }) {
    return {
      findings: run.handoffs.flatMap((handoff) => {
        const missing = missingParts(handoff, sentBefore(run, handoff))
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

/** A letter may tell of an attempt of which only the failure is in the log. */
function sentBefore(run: Run, { id, sent }: Handoff): Sent | undefined {
  return sent ?? run.handoffs.findLast((other) => other.id === id && other.sent !== undefined)?.sent
}

function missingParts({ deadLettered }: Handoff, sent: Sent | undefined): string[] {
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
    ...(sent !== undefined && losesId(event, sent) ? ['the id of the task'] : []),
  ]
}

/** A letter without a contract of its own points to what was sent, and that has the id. */
function losesId(letter: RunEvent, { event, record }: Sent): boolean {
  if (![letter.record, letter.contract, letter.task, letter.payload].some(isObject)) return false
  const ids = argumentValues([taskIds(event.task), record?.raw.correlation_id])
  const known = argumentValues(letter)
  return ids.length > 0 && !ids.some((id) => known.includes(id))
}

function isThere(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
