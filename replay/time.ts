/** Milliseconds since the epoch, fractions included, of an RFC 3339 time; undefined if it is none. */
export function instantOf(at: unknown): number | undefined {
  if (typeof at !== 'string') return undefined
  const dot = at.indexOf('.')
  if (dot < 0) return finite(Date.parse(at))
  let end = dot + 1
  while (end < at.length && at.charCodeAt(end) >= 48 && at.charCodeAt(end) <= 57) end++
  // Date.parse keeps three digits; the rest is added so that microseconds still order.
  const whole = finite(Date.parse(at.slice(0, dot) + at.slice(end)))
  return whole === undefined ? undefined : whole + Number(`0.${at.slice(dot + 1, end) || 0}`) * 1000
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}
