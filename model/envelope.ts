/*
 * The envelope: one small text field that travels beside `traceparent` (HTTP header, queue attribute, A2A metadata), so
 * that the receiver's events join the sender's run. Unsigned, hence a claim: it correlates and never raises authority.
 *
 *   1;r=<run>;h=<handoff>;a=<attempt>;c=<clock>
 *
 * Ids are percent-encoded, the clock is `<milliseconds>.<counter>` in base 36. Fields a reader does not know are
 * passed over, so that a later version may add some.
 */

/** Name of the header, attribute or metadata field that carries the envelope. */
export const ENVELOPE_FIELD = 'handspan-handoff'

/** An envelope is never longer, in bytes; every character of it is plain ASCII. */
export const ENVELOPE_BYTES = 512

/** A hybrid logical time: milliseconds since 1970, and a counter for events within one of them. */
export type LogicalTime = { ms: number; count: number }

/** What the envelope says. `attempt` is 1 for the first delivery. */
export type Envelope = { run: string; handoff: string; attempt: number; clock: LogicalTime }

/** Highest counter of a logical time: it is written as the six digits below the millisecond. */
export const MAX_COUNT = 999_999

// The last millisecond of the year 9999: what RFC 3339 can still write.
const MAX_MS = 253_402_300_799_999
const MAX_ATTEMPT = 1_000_000

/** Writes an envelope. Undefined if it does not fit into 512 bytes or an id is no Unicode text. */
export function encodeEnvelope(envelope: Envelope): string | undefined {
  if (envelope.run === '' || envelope.handoff === '') return undefined
  if (!inRange(envelope.attempt, 1, MAX_ATTEMPT) || !isTime(envelope.clock)) return undefined
  try {
    const { ms, count } = envelope.clock
    const text = [
      '1',
      `r=${encodeURIComponent(envelope.run)}`,
      `h=${encodeURIComponent(envelope.handoff)}`,
      `a=${envelope.attempt}`,
      `c=${ms.toString(36)}.${count.toString(36)}`,
    ].join(';')
    return text.length <= ENVELOPE_BYTES ? text : undefined
  } catch {
    return undefined
  }
}

/** Reads an envelope. Undefined for anything that is not exactly one; never throws, whatever it is given. */
export function decodeEnvelope(text: unknown): Envelope | undefined {
  if (typeof text !== 'string' || text.length > ENVELOPE_BYTES) return undefined
  const [version, ...fields] = text.trim().split(';')
  if (version !== '1') return undefined
  const run = idOf(fields, 'r')
  const handoff = idOf(fields, 'h')
  const attempt = numberOf(fieldText(fields, 'a'), 10)
  const clock = timeOf(fieldText(fields, 'c'))
  if (run === undefined || handoff === undefined || clock === undefined) return undefined
  if (attempt === undefined || !inRange(attempt, 1, MAX_ATTEMPT)) return undefined
  return { run, handoff, attempt, clock }
}

/** The value of a field; undefined if it is missing or stands there twice. */
function fieldText(fields: string[], name: string): string | undefined {
  const found = fields.filter((field) => field.startsWith(`${name}=`))
  return found.length === 1 ? found[0]!.slice(name.length + 1) : undefined
}

function idOf(fields: string[], name: string): string | undefined {
  const value = fieldText(fields, name)
  if (value === undefined || value === '') return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

function timeOf(text: string | undefined): LogicalTime | undefined {
  const parts = text?.split('.')
  if (parts?.length !== 2) return undefined
  const ms = numberOf(parts[0], 36)
  const count = numberOf(parts[1], 36)
  if (ms === undefined || count === undefined) return undefined
  return isTime({ ms, count }) ? { ms, count } : undefined
}

function isTime(time: LogicalTime): boolean {
  return inRange(time.ms, 0, MAX_MS) && inRange(time.count, 0, MAX_COUNT)
}

function numberOf(text: string | undefined, radix: 10 | 36): number | undefined {
  const digits = radix === 10 ? /^\d{1,7}$/ : /^[0-9a-z]{1,10}$/
  return text !== undefined && digits.test(text) ? Number.parseInt(text, radix) : undefined
}

function inRange(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most
}
