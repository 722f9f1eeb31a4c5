/** A window of time: from `since` on, before `until`; ISO 8601 in UTC. */
export type TimeWindow = { since?: string | undefined; until?: string | undefined }

const UNITS: Record<string, number> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/**
 * Reads an end of a window: so long ago (`30m`, `24h`, `7d`, `2w`), a day (`2031-03-04`, its beginning in UTC), or a time
 * as RFC 3339. Undefined if it is none of them.
 */
export function readTime(text: string, now: Date): string | undefined {
  const ago = /^(\d{1,9})\s*([smhdw])$/.exec(text.trim())
  if (ago !== null) return iso(now.getTime() - Number(ago[1]) * UNITS[ago[2]!]!)
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text.trim())
  // Date.parse takes the 30th of February for the 2nd of March.
  const named = text.trim().slice(0, 10)
  if (iso(Date.parse(named))?.slice(0, 10) !== named) return undefined
  const time = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i.test(text.trim())
  return day || time ? exactly(text.trim()) : undefined
}

/** A date of JavaScript's ends at milliseconds; the views, and the times that are copied from them, at microseconds. */
function exactly(text: string): string | undefined {
  const micros = /\.\d{3}(\d{1,3})/.exec(text)?.[1]?.padEnd(3, '0') ?? '000'
  const time = iso(Date.parse(text))
  return micros === '000' ? time : time?.replace('Z', `${micros}Z`)
}

function iso(milliseconds: number): string | undefined {
  // Before year 0 and after year 9999 ISO 8601 needs signs, which nothing else here expects.
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999
    ? undefined
    : date.toISOString()
}
