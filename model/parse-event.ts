import { isObject } from './json.ts'
import { anyEventSchema, eventSchemas, type KnownKind, type RunEvent } from './run-log.ts'

/** An event, or the reason why a line is none: names the field and what to do. */
export type ParsedEvent = { event: RunEvent; reason?: undefined } | { event?: undefined; reason: string }

/** Reads one line of a run log. Never throws. */
export function parseEventLine(line: string): ParsedEvent {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return { reason: `not valid JSON: ${(error as Error).message}` }
  }
  return parseEvent(value)
}

/** Checks one decoded event against the schema of its kind. The event is returned as it came, nothing is dropped. */
export function parseEvent(value: unknown): ParsedEvent {
  if (!isObject(value)) return { reason: 'not an object: a run log holds one JSON object a line' }
  for (const field of ['run', 'kind']) {
    const got = value[field]
    if (typeof got !== 'string' || got === '') {
      return {
        reason: `field "${field}" is ${got === undefined ? 'missing' : 'not a non-empty string'}: every event names its ${field}`,
      }
    }
  }
  const schema = Object.hasOwn(eventSchemas, value.kind as string)
    ? eventSchemas[value.kind as KnownKind]
    : anyEventSchema
  const parsed = schema.safeParse(value)
  if (parsed.success) return { event: value as RunEvent }
  const issue = parsed.error.issues[0]!
  return { reason: `field "${issue.path.map(String).join('.')}" of ${value.kind}: ${issue.message}` }
}
