import { createHash } from 'node:crypto'
import { handoffAttributes } from './attributes.ts'
import { isObject, type Json, type JsonObject, textOf } from './json.ts'
import { nanosOf } from './nanos.ts'
import type { RunEvent } from './run-log.ts'

/*
 * A run-log event as an OpenTelemetry log record, and back. The body is the line of the run log, verbatim, as a text: so
 * it comes out of any Collector byte for byte, and is the same event in every store. Everything beside it is for other
 * tools to filter by and is never read back.
 */

/** Name of the event of a record: this, then the kind (`handspan.handoff.sent`). */
export const EVENT_NAME_PREFIX = 'handspan.'

/** The attribute that OpenTelemetry keeps for this: records with the same one are duplicates of each other. */
export const EVENT_ID_ATTRIBUTE = 'log.record.uid'

// SeverityNumber of INFO.
const INFO = 9

/**
 * Id of an event: the first 64 bits of the sha256 of its line, 16 hex digits; the same as the store gives it. Two equal
 * lines that neither `seq` nor `event_id` tells apart are two events: then `place` goes in as well, whatever names that one line for good
 * (`<segment>:<offset>`).
 */
export function eventId(line: string, event: RunEvent, place: string): string {
  const text = typeof event.seq === 'number' ? line : `${line}\n${place}`
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** One line of a run log, without its line feed, as a log record in OTLP's JSON encoding. */
export function eventLogRecord(line: string, event: RunEvent, id: string): JsonObject {
  const time = nanosOf(event.at)
  const traceId = hexOf(event.trace?.id, 32)
  const spanId = hexOf(event.trace?.span, 16)
  return {
    ...(time === undefined ? {} : { timeUnixNano: time }),
    severityNumber: INFO,
    eventName: `${EVENT_NAME_PREFIX}${event.kind}`,
    body: { stringValue: line },
    attributes: [
      attribute(EVENT_ID_ATTRIBUTE, id),
      attribute(handoffAttributes.run.name, event.run),
      attribute(handoffAttributes.handoff.name, event.handoff),
      attribute(handoffAttributes.agent.name, event.agent),
    ].flat(),
    ...(traceId === undefined ? {} : { traceId }),
    ...(spanId === undefined ? {} : { spanId }),
  }
}

/** What of a decoded log record matters here: its event name, its attributes as JSON, its body as JSON. */
export type NamedRecord = { eventName?: string; attributes: JsonObject; body?: Json }

/** True if the record says that it is a run-log event. Older senders have the name as the attribute `event.name`. */
export function isEventRecord(record: NamedRecord): boolean {
  const name = record.eventName || textOf(record.attributes['event.name']) || ''
  return name.startsWith(EVENT_NAME_PREFIX)
}

/**
 * The line of a run log that a record holds, without its line feed. Whether it is an event is for the reader to judge.
 * The body may also be the event as a map, as an OpenTelemetry SDK writes it.
 */
export function lineOfRecord(record: NamedRecord): string {
  const line =
    typeof record.body === 'string'
      ? // Within JSON these can only be white space between tokens.
        record.body.replace(/[\r\n]+/g, ' ').trim()
      : JSON.stringify(record.body ?? null)
  const id = textOf(record.attributes[EVENT_ID_ATTRIBUTE])
  return id === undefined ? line : withId(line, id)
}

/** An event that no `seq` tells from its equals keeps the id under which it was sent, so that it is stored once. */
function withId(line: string, id: string): string {
  let event: unknown
  try {
    event = JSON.parse(line)
  } catch {
    return line
  }
  if (!isObject(event) || typeof event.seq === 'number' || textOf(event.event_id)) return line
  const rest = line.slice(0, -1).trimEnd()
  return `${rest}${rest === '{' ? '' : ','}"event_id":${JSON.stringify(id)}}`
}

function attribute(key: string, value: unknown): JsonObject[] {
  const text = textOf(value)
  return text === undefined ? [] : [{ key, value: { stringValue: text } }]
}

/** A W3C id of that many digits, in lower case; all zeros stand for none. */
function hexOf(value: unknown, digits: number): string | undefined {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return text.length === digits && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text) ? text : undefined
}
