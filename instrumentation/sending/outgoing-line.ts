import type { HashOptions } from '../../model/hash.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { shapeFields } from '../shape.ts'

/** What leaves the machine: `shape` is metadata (sizes, hashes, ids, keys, names), `full` the line as it stands. */
export type SentContent = 'shape' | 'full'

/** A line as it is sent, and its event; or why it holds none. */
export type OutgoingLine = { line: string; event: RunEvent; problem?: undefined } | { problem: string }

/** The fields that say which event it is; they are never content. */
const ENVELOPE = ['v', 'run', 'seq', 'at', 'writer', 'kind', 'trace', 'event_id'] as const

/** The same line gives the same result, whenever it is sent: its id is computed from what is sent. */
export function outgoingLine(text: string, content: SentContent, options: HashOptions): OutgoingLine {
  const event = readEvent(text)
  if (event === undefined) return { problem: 'not valid JSON' }
  for (const field of ['run', 'kind']) {
    if (typeof event[field] !== 'string' || event[field] === '')
      return { problem: `field "${field}" is missing` }
  }
  if (content === 'full' || isShaped(event)) return { line: text.trim(), event: event as RunEvent }
  const shaped = shapeEvent(event, options)
  return { line: JSON.stringify(shaped), event: shaped as RunEvent }
}

function readEvent(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** True if an agent has written the event without its texts already; not if a program just has a field of that name. */
function isShaped(event: JsonObject): boolean {
  const { shape } = event
  return (
    isObject(shape) && Object.values(shape).every((size) => isObject(size) && typeof size.bytes === 'number')
  )
}

function shapeEvent(event: JsonObject, options: HashOptions): JsonObject {
  const envelope: JsonObject = {}
  const fields: JsonObject = { ...event }
  for (const name of ENVELOPE) {
    if (event[name] !== undefined) envelope[name] = event[name] as Json
    delete fields[name]
  }
  return { ...envelope, ...shapeFields(fields, options) }
}
