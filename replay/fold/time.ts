/** A time to the nanosecond: whole milliseconds since the epoch, and 0 to 999,999 nanoseconds on top. */
export type Time = { ms: number; nanos: number }

/** Reads an RFC 3339 time; undefined if it is none. Digits below the nanosecond are left out. */
export function timeOf(at: unknown): Time | undefined {
  if (typeof at !== 'string') return undefined
  const dot = at.indexOf('.')
  if (dot < 0) return finite(Date.parse(at), 0)
  // Date.parse keeps three digits; the other six are read apart so that they still order.
  let end = dot + 1
  let nanos = 0
  for (let unit = 1e8; isDigit(at.charCodeAt(end)); end++, unit = Math.floor(unit / 10)) {
    nanos += (at.charCodeAt(end) - ZERO) * unit
  }
  return finite(Date.parse(at.slice(0, dot) + at.slice(end)) + Math.floor(nanos / 1e6), nanos % 1e6)
}

const ZERO = '0'.charCodeAt(0)

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9
}

/** Milliseconds since the epoch, fractions included, of an RFC 3339 time; undefined if it is none. */
export function instantOf(at: unknown): number | undefined {
  const time = timeOf(at)
  return time === undefined ? undefined : time.ms + time.nanos / 1e6
}

// Date.parse takes any words before a number for a time: "move lot 9" is a day of September.
const BEGINS_WITH_A_DAY = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d(?:$|[Tt ]\d)/

/** The same for a value that may be a time or something else, such as a field of a record. */
export function statedInstant(value: unknown): number | undefined {
  return typeof value === 'string' && BEGINS_WITH_A_DAY.test(value) ? instantOf(value) : undefined
}

function finite(ms: number, nanos: number): Time | undefined {
  return Number.isFinite(ms) ? { ms, nanos } : undefined
}
