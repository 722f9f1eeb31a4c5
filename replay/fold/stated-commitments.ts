import { isObject, textOf } from '../../model/json.ts'

// Kept, given up or taken over by events: whatever the word, nobody waits for it any more.
const CLOSED = new Set([
  'closed',
  'kept',
  'done',
  'ended',
  'fulfilled',
  'completed',
  'resolved',
  'released',
  'withdrawn',
  'cancelled',
  'canceled',
  'expired',
])

/** True if the word says that a promise has ended. */
export function isClosedWord(state: unknown): boolean {
  return typeof state === 'string' && CLOSED.has(state.toLowerCase())
}

const ENDS = ['ends', 'closes', 'fulfils', 'fulfills'] as const
const NONE: readonly string[] = []

/** The promises that an item or a message ends. */
export function endsOf(raw: unknown): readonly string[] {
  if (!isObject(raw)) return NONE
  // Nearly every item ends none, and every item of every payload is asked.
  const own = raw.commitment === undefined ? undefined : textOf(raw.commitment)
  const closed = own !== undefined && isClosedWord(raw.state)
  if (!closed && ENDS.every((field) => raw[field] === undefined)) return NONE
  const named = ENDS.flatMap((field) => raw[field]).filter((id) => typeof id === 'string')
  return closed ? [...named, own] : named
}
