/*
 * RFC 3339 times as OTLP has them: decimal strings of nanoseconds since 1970, which are beyond what a JavaScript number
 * holds.
 */

const FORM = /^(.+T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/i

/** Nanoseconds since 1970 of a time; undefined if it is none, or before 1970. Digits below the nanosecond are left out. */
export function nanosOf(at: unknown): string | undefined {
  const parts = typeof at === 'string' ? FORM.exec(at) : null
  if (parts === null) return undefined
  const [, second, fraction = '', zone] = parts
  const ms = Date.parse(`${second}${zone}`)
  if (!Number.isFinite(ms) || ms < 0) return undefined
  return String(BigInt(ms) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')))
}
