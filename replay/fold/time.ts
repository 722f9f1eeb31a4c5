/** A time to the nanosecond: whole milliseconds since the epoch, and 0 to 999,999 nanoseconds on top. */
export type Time = { ms: number; nanos: number }

/** Reads an RFC 3339 time; undefined if it is none. Digits below the nanosecond are left out. */
export function timeOf(at: unknown): Time | undefined {
  if (typeof at !== 'string') return undefined
  const dot = at.indexOf('.')
  if (dot < 0) return finite(Date.parse(at), 0)
  let end = dot + 1
  while (end < at.length && at.charCodeAt(end) >= 48 && at.charCodeAt(end) <= 57) end++
  // Date.parse keeps three digits; the other six are read apart so that they still order.
  const digits = at.slice(dot + 1, Math.min(end, dot + 10)).padEnd(9, '0')
  return finite(
    Date.parse(at.slice(0, dot) + at.slice(end)) + Number(digits.slice(0, 3)),
    Number(digits.slice(3)),
  )
}

/** Milliseconds since the epoch, fractions included, of an RFC 3339 time; undefined if it is none. */
export function instantOf(at: unknown): number | undefined {
  const time = timeOf(at)
  return time === undefined ? undefined : time.ms + time.nanos / 1e6
}

function finite(ms: number, nanos: number): Time | undefined {
  return Number.isFinite(ms) ? { ms, nanos } : undefined
}
