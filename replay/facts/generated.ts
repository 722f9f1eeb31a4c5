import { isObject } from '../../model/json.ts'

// A hash of a content is none of these: the same content has the same.
const GENERATED =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<!\bsha256:)\b[0-9a-f]{16,}\b|\b[0-9A-HJKMNP-TV-Z]{26}\b|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?|\b1[6-9]\d{8}(?:\d{3})?\b/giu
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
  if (typeof value === 'string') return mayHoldGenerated(value) ? value.replace(GENERATED, '*') : value
  if (Array.isArray(value)) return value.map(withoutGenerated)
  if (!isObject(value)) return value
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    if (NAMES.has(name)) continue
    const entry = withoutGenerated(value[name])
    // Set like any other, this one would be no member.
    if (name === '__proto__') Object.defineProperty(kept, name, { value: entry, enumerable: true })
    else kept[name] = entry
  }
  return kept
}

const LONG_RUN = 16
const DIGITS = 10
const HEX_GROUP = 4
const HYPHEN = 45

/**
 * True if a text holds what every one of those holds: four hexadecimal digits before a hyphen, ten digits, or sixteen
 * letters and digits in a row. Most texts hold none; character by character they are told so several times as fast as by
 * an expression.
 */
export function mayHoldGenerated(text: string): boolean {
  let run = 0
  let digits = 0
  let hex = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === HYPHEN && hex >= HEX_GROUP) return true
    const lower = code | 32
    const isDigit = code >= 48 && code <= 57
    // The two others are what a case-blind expression takes for k and s.
    const isLetter = (code < 128 && lower >= 97 && lower <= 122) || code === 0x212a || code === 0x17f
    digits = isDigit ? digits + 1 : 0
    run = isDigit || isLetter ? run + 1 : 0
    hex = isDigit || (isLetter && lower <= 102 && code < 128) ? hex + 1 : 0
    if (run >= LONG_RUN || digits >= DIGITS) return true
  }
  return false
}
