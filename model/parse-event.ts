import type { z } from 'zod'
import { type Fits, fitsOf } from './fits.ts'
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
  return check(value, line.length >= 2 * LEVELS_AT_MOST)
}

/**
 * Checks one decoded event against the schema of its kind. The event is returned as it came, but for fields that are null
 * where the schema knows no null: those say nothing, and are left out.
 */
export function parseEvent(value: unknown): ParsedEvent {
  return check(value, true)
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
  const kind = value.kind as string
  const schema = Object.hasOwn(eventSchemas, kind) ? eventSchemas[kind as KnownKind] : anyEventSchema
  const issues = fitsInto(schema)(value) ? [] : issuesOf(schema, value)
  const deep = mayBeDeep ? tooDeep(value) : undefined
  if (issues.length === 0) return deep ?? { event: value as RunEvent }
  const stated = deep === undefined ? withoutNulls(value, issues) : undefined
  return stated === undefined ? { reason: reasonOf(issues[0]!, value) } : parseEvent(stated)
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

function issuesOf(schema: z.ZodType, value: Record<string, unknown>): Issue[] {
  const parsed = schema.safeParse(value)
  return parsed.success ? [] : parsed.error.issues.map(deepest)
}

/** The event without the fields in question that are null: many runtimes write null where there is nothing to say. */
function withoutNulls(
  event: Record<string, unknown>,
  issues: readonly Issue[],
): Record<string, unknown> | undefined {
  let stated: Record<string, unknown> | undefined
  for (const { path } of issues) {
    const [name, ...way] = path.toReversed()
    const holder = way.reduceRight<unknown>(memberOf, stated ?? event)
    if (name === undefined || !isObject(holder) || memberOf(holder, name) !== null) continue
    if (stated === undefined) stated = structuredClone(event)
    delete (way.reduceRight<unknown>(memberOf, stated) as Record<PropertyKey, unknown>)[name]
  }
  return stated
}

function memberOf(value: unknown, name: PropertyKey): unknown {
  return (value as Record<PropertyKey, unknown> | undefined)?.[name]
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
  if (issue.path[0] === 'v')
    return `${field} is not 1: a newer version of the format, read it with a newer handspan`
  if (got === undefined) return `${field} is missing`
  if (issue.code !== 'invalid_union') return `${field}: ${issue.message.replace(/^Invalid input: /, '')}`
  const forms = issue.errors.flat().flatMap((form) => (form.code === 'invalid_type' ? form.expected : []))
  return `${field}: expected ${forms.join(' or ')}`
}
