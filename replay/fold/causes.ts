import { type EventOf, isKind, type RunEvent } from '../../model/run-log.ts'
import { isDecided, readApprovalState } from './approval-state.ts'

/*
 * What a log proves about order, whatever the clocks say: nothing happens before the run starts, a handoff is sent before
 * anything else becomes of it, an attempt under a key follows its predecessor, and an answer the request for a yes.
 */

const START = 'start'

/** The name under which others wait for this event; undefined for most. */
export function causeNamed(event: RunEvent): string | undefined {
  if (event.kind === 'run.start') return START
  if (isKind(event, 'handoff.sent')) return sentName(event.handoff, event.attempt ?? 1)
  if (isKind(event, 'operation') && event.key !== undefined) return attemptName(event.key, event.attempt ?? 1)
  if (isKind(event, 'approval') && stateOf(event) === 'pending') return askedName(event.id)
  return undefined
}

/** What has to have happened first: one event of each of these names, where the log holds any. */
export function causesOf(event: RunEvent): string[] {
  if (event.kind === 'run.start') return []
  if (isKind(event, 'operation')) {
    const attempt = event.attempt ?? 1
    return event.key === undefined || attempt <= 1 ? [START] : [START, attemptName(event.key, attempt - 1)]
  }
  if (isKind(event, 'approval')) {
    return isAnswer(stateOf(event)) ? [START, askedName(event.id)] : [START]
  }
  if (event.kind === 'handoff.sent' || !event.kind.startsWith('handoff.')) return [START]
  if (typeof event.handoff !== 'string') return [START]
  return [START, sentName(event.handoff, typeof event.attempt === 'number' ? event.attempt : 1)]
}

function stateOf({ state }: EventOf<'approval'>): string | undefined {
  return state === undefined ? undefined : readApprovalState(state)
}

function isAnswer(state: string | undefined): boolean {
  return state !== undefined && isDecided(state)
}

function askedName(id: string): string {
  return `asked\u0000${id}`
}

function sentName(handoff: string, attempt: number): string {
  return `sent\u0000${handoff}\u0000${attempt}`
}

function attemptName(key: string, attempt: number): string {
  return `attempt\u0000${key}\u0000${attempt}`
}
