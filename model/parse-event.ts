import type { z } from 'zod'
import { isDeeperThan, isObject } from './json.ts'
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
  const kind = value.kind as string
  const schema = Object.hasOwn(eventSchemas, kind) ? eventSchemas[kind as KnownKind] : anyEventSchema
  const parsed = schema.safeParse(value)
  if (parsed.success) return tooDeep(value) ?? { event: value as RunEvent }
  return { reason: reasonOf(deepest(parsed.error.issues[0]!), value) }
}

// Far beyond what any runtime nests, and well below where recursion over it would end the process that reads it.
const LEVELS_AT_MOST = 1000

function tooDeep(event: Record<string, unknown>): ParsedEvent | undefined {
  const field = Object.keys(event).find((name) => isDeeperThan(event[name], LEVELS_AT_MOST))
  if (field === undefined) return undefined
  return {
    reason: `field "${field}" of ${event.kind} is nested more than ${LEVELS_AT_MOST} levels deep: write it as text, or a reference to it`,
  }
}

type Issue = z.core.$ZodIssue

/** Where a field may have several forms, the issue of the form that came nearest: the one that is about a field in it. */
function deepest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.flat().find((candidate) => candidate.path.length > 0)
  return inner === undefined ? issue : deepest({ ...inner, path: [...issue.path, ...inner.path] })
}

function reasonOf(issue: Issue, event: Record<string, unknown>): string {
  const field = `field "${issue.path.map(String).join('.')}" of ${event.kind}`
  const got = issue.path.reduce<unknown>(
    (value, name) => (value as Record<PropertyKey, unknown>)?.[name],
    event,
  )
  if (got === null) return `${field} is null: leave a field out where there is nothing to say`
  if (issue.path[0] === 'v')
    return `${field} is not 1: a newer version of the format, read it with a newer handspan`
  if (got === undefined) return `${field} is missing`
  if (issue.code !== 'invalid_union') return `${field}: ${issue.message}`
  const forms = issue.errors.flat().flatMap((form) => (form.code === 'invalid_type' ? form.expected : []))
  return `${field}: expected ${forms.join(' or ')}`
}
