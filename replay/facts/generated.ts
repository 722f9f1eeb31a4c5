import { isObject } from '../../model/json.ts'

const GENERATED =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\b[0-9A-HJKMNP-TV-Z]{26}\b|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?|\b1[6-9]\d{8}(?:\d{3})?\b/giu
// What each of these holds: an id in groups, a time, a long run of letters and digits. Most texts hold none, and are told so
// several times as fast.
const PERHAPS = /[0-9a-f]{4}-|\d{10}|[0-9a-z]{16}/iu
const NAMES = new Set([
  'id',
  'call',
  'call_id',
  'callId',
  'tool_call_id',
  'toolCallId',
  'op',
  'run',
  'needs',
  'at',
  'timestamp',
  'created_at',
  'createdAt',
])

/** A value without what every run makes anew: ids, times, random strings. Two runs that did the same have the same. */
export function withoutGenerated(value: unknown): unknown {
  if (typeof value === 'string') return PERHAPS.test(value) ? value.replace(GENERATED, '*') : value
  if (Array.isArray(value)) return value.map(withoutGenerated)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !NAMES.has(name))
      .map(([name, entry]) => [name, withoutGenerated(entry)]),
  )
}
