import { instantOf, statedInstant } from '../fold/time.ts'
import type { Handoff, Run, Step } from '../run.ts'

const UNITS: Record<string, number> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/**
 * When the acceptance of a handoff is due, in milliseconds since the epoch: `ack_due` of the event or of its record, as
 * a time (RFC 3339) or as a duration after sending (`PT5M`, `30s`, a number of seconds). Undefined if none is stated.
 */
export function acceptanceDue(run: Run, { sent }: Handoff): number | undefined {
  if (sent === undefined) return undefined
  const stated = sent.event.ack_due ?? sent.record?.raw.ack_due
  const instant = statedInstant(stated)
  if (instant !== undefined) return instant
  const from = instantAt(run, sent.step)
  const wait = durationOf(stated)
  return from === undefined || wait === undefined ? undefined : from + wait
}

/** Milliseconds since the epoch at a step; undefined if its event has no time. */
export function instantAt(run: Run, step: Step): number | undefined {
  return instantOf(run.events[step]?.at)
}

function durationOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value * 1000 : undefined
  if (typeof value !== 'string') return undefined
  const iso = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/iu.exec(value)
  if (iso !== null && value.length > 2) {
    const [days, hours, minutes, seconds] = iso.slice(1).map((part) => Number(part ?? 0))
    return ((days! * 24 + hours!) * 60 + minutes!) * 60_000 + seconds! * 1000
  }
  const plain = /^(\d+(?:\.\d+)?)\s*(ms|s|sec|m|min|h|d)$/iu.exec(value.trim())
  return plain === null ? undefined : Number(plain[1]) * UNITS[plain[2]!.toLowerCase()]!
}
