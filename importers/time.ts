/** RFC 3339 with nanoseconds. Undefined for 0, which exporters write where they do not know. */
export function timeOfNanos(nanos: bigint): string | undefined {
  if (nanos <= 0n) return undefined
  const seconds = nanos / 1_000_000_000n
  const fraction = String(nanos % 1_000_000_000n).padStart(9, '0')
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}.${fraction}Z`
}

/** Nanoseconds since 1970 of an RFC 3339 time with any number of fractional digits; undefined if it is none. */
export function nanosOfTime(text: string): bigint | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:?\d\d)?$/i.exec(text)
  if (match === null) return undefined
  const [, day, clock, fraction = '', zone = 'Z'] = match
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  const milliseconds = Date.parse(`${day}T${clock}${offset}`)
  if (Number.isNaN(milliseconds)) return undefined
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

/** The later of two times. */
export function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The earlier of two times. */
export function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
