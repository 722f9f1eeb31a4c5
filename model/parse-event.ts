import type { z } from 'zod'
import { type Fits, fitsOf } from './fits.ts'
import { isDeeperThan, isObject } from './json.ts'
import { anyEventSchema, eventSchemas, type KnownKind, type RunEvent } from './run-log.ts'

/**
 * An event, or the reason why a line is none: names the field and what is wrong. `asWritten`: every field has the form that it
 * should, so that nothing of it was changed.
 */
export type ParsedEvent =
  | { event: RunEvent; asWritten: boolean; reason?: undefined }
  | { event?: undefined; reason: string }

/** Reads one line of a run log. Never throws. */
export function parseEventLine(line: string): ParsedEvent {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return { reason: `not valid JSON: ${(error as Error).message}` }
  }
  return check(value, line.length >= 2 * LEVELS_AT_MOST)
}

/**
 * Checks one decoded event against the schema of its kind. The event is returned as it came, but for fields that have not
 * the form that the schema knows: one that is null says nothing, and is left out; a number where a text is expected is read as
 * its digits; any other is left out and named in `not_read`. Only an event without the ids by which its kind is known is none.
 */
export function parseEvent(value: unknown): ParsedEvent {
  return check(value, true)
}

/** The event of a line that was found to hold one. */
export function readStoredEvent(line: string): RunEvent {
  const value = JSON.parse(line)
  return check(value, false).event ?? value
}

/** `mayBeDeep`: each level takes two characters of a line, so that a short line need not be searched for its depth. */
function check(value: unknown, mayBeDeep: boolean): ParsedEvent {
  if (!isObject(value)) return { reason: 'not an object: a run log holds one JSON object a line' }
  for (const field of ['run', 'kind']) {
    const got = value[field]
    if (typeof got !== 'string' || got === '') {
      return {
        reason: `field "${field}" is ${got === undefined ? 'missing' : 'not a non-empty string'}: every event names its ${field}`,
      }
    }
  }
  const deep = mayBeDeep ? tooDeep(value) : undefined
  if (deep !== undefined) return deep
  const kind = value.kind as string
  const schema = Object.hasOwn(eventSchemas, kind) ? eventSchemas[kind as KnownKind] : anyEventSchema
  return fitsInto(schema)(value) ? { event: value as RunEvent, asWritten: true } : fitted(value, schema)
}

const known = new Map<z.ZodType, Fits>()

function fitsInto(schema: z.ZodType): Fits {
  let fits = known.get(schema)
  if (fits === undefined) {
    fits = fitsOf(schema)
    known.set(schema, fits)
  }
  return fits
}

/** What of an event has the form of the schema. */
function fitted(value: Record<string, unknown>, schema: z.ZodType): ParsedEvent {
  const event = structuredClone(value)
  const notRead: string[] = []
  for (let issues = issuesOf(schema, event); issues.length > 0; issues = issuesOf(schema, event)) {
    // What stands in a field that was changed is looked at anew.
    const changed = new Set<PropertyKey>()
    for (const issue of issues) {
      const isText = isReadAsText(issue, event)
      const path = isText ? issue.path : fieldOf(event, issue.path)
      if (path.length === 0 && changed.has(issue.path[0]!)) continue
      const reason = reasonOf(issue, event)
      if (path.length === 0 || path[0] === 'v') return { reason }
      changed.add(path[0]!)
      const holder = valueAt(event, path.slice(0, -1)) as Record<PropertyKey, unknown>
      const name = path.at(-1)!
      if (isText) holder[name] = String(holder[name])
      else {
        if (holder[name] !== null) notRead.push(reason)
        delete holder[name]
      }
    }
  }
  const read = notRead.length === 0 ? event : { ...event, not_read: few(notRead) }
  return { event: read as RunEvent, asWritten: false }
}

const MOST_NAMED = 5

function few(reasons: readonly string[]): readonly string[] {
  if (reasons.length <= MOST_NAMED) return reasons
  return [
    ...reasons.slice(0, MOST_NAMED),
    `${reasons.length - MOST_NAMED} more fields have not the form that they should`,
  ]
}

/** Ids and names are texts, whatever they are made of. A time that is a number could be of any unit. */
function isReadAsText(issue: Issue, event: Record<string, unknown>): boolean {
  if (issue.code !== 'invalid_type' || issue.expected !== 'string') return false
  return Number.isFinite(valueAt(event, issue.path)) && issue.path[0] !== 'at'
}

/** The field that an issue is about: of a list the whole, and for what is missing that which lacks it. Empty for the event. */
function fieldOf(event: Record<string, unknown>, path: readonly PropertyKey[]): readonly PropertyKey[] {
  if (path.length === 0) return path
  const isMember = typeof path.at(-1) === 'string' && valueAt(event, path) !== undefined
  return isMember ? path : fieldOf(event, path.slice(0, -1))
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (holder, name) => (holder as Record<PropertyKey, unknown> | null)?.[name],
    value,
  )
}

function issuesOf(schema: z.ZodType, value: Record<string, unknown>): Issue[] {
  const parsed = schema.safeParse(value)
  return parsed.success ? [] : parsed.error.issues.map(deepest)
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
  const got = valueAt(event, issue.path)
  if (issue.path[0] === 'v')
    return `${field} is not 1: a newer version of the format, read it with a newer handspan`
  if (got === undefined) return `${field} is missing`
  if (issue.code !== 'invalid_union') return `${field}: ${issue.message.replace(/^Invalid input: /, '')}`
  const forms = issue.errors.flat().flatMap((form) => (form.code === 'invalid_type' ? form.expected : []))
  return `${field}: expected ${forms.join(' or ')}`
}
