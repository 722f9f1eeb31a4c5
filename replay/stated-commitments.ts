import { isObject, textOf } from '../model/json.ts'

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

/** The promises that an item or a message ends. */
export function endsOf(raw: unknown): string[] {
  if (!isObject(raw)) return []
  const named = [raw.ends, raw.closes, raw.fulfils, raw.fulfills].flat()
  const own = textOf(raw.commitment)
  const closed = own !== undefined && isClosedWord(raw.state) ? [own] : []
  return [...named.filter((id): id is string => typeof id === 'string'), ...closed]
}
