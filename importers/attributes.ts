import { isDeeperThan, isObject, textOf } from '../model/json.ts'
import type { Span } from '../otlp/span.ts'

/*
 * Attribute values as exporters really write them: plain values, JSON in a string, JSON strings in a list, and lists
 * spread over keys with an index (`llm.input_messages.0.message.role`).
 */

// Deeper than any message nests; what is deeper could not be stored.
const LEVELS_AT_MOST = 200

/** The first of these attributes that is a non-empty string. */
export function text(span: Span, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = own(span, name)
    const found = textOf(typeof value === 'number' ? String(value) : value)
    if (found !== undefined) return found
  }
  return undefined
}

/** The value of the first of these attributes that is there, read if it is JSON in a string. */
export function json(span: Span, ...names: string[]): unknown {
  for (const name of names) {
    const value = own(span, name)
    if (value !== undefined && value !== null && value !== '') return unpacked(value)
  }
  return undefined
}

/** The same as a list; undefined if it is none. */
export function jsonList(span: Span, ...names: string[]): unknown[] | undefined {
  const value = json(span, ...names)
  return Array.isArray(value) ? value.map(unpacked) : undefined
}

/** True if the span has any attribute whose name begins so. */
export function hasPrefix(span: Span, prefix: string): boolean {
  for (const name in span.attributes) if (name.startsWith(prefix)) return true
  return false
}

/** JSON in a string is read; a string that is no JSON, or nests too deep, stays a string. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const first = value.trimStart()[0]
  if (first !== '{' && first !== '[' && first !== '"') return value
  try {
    const read = JSON.parse(value)
    return isDeeperThan(read, LEVELS_AT_MOST) ? value : read
  } catch {
    return value
  }
}

/**
 * The list that stands spread over the keys `prefix.0.…`, `prefix.1.…`, in the order of the numbers, whatever numbers
 * are missing. Undefined if no key begins so.
 */
export function spread(span: Span, prefix: string): unknown[] | undefined {
  const root: Branch = new Map()
  for (const [name, value] of Object.entries(span.attributes)) {
    if (name.startsWith(`${prefix}.`)) put(root, name.slice(prefix.length + 1).split('.'), value)
  }
  if (root.size === 0) return undefined
  const list = grown(root)
  return Array.isArray(list) ? list : undefined
}

type Branch = Map<string, unknown>

function put(root: Branch, path: string[], value: unknown): void {
  let at = root
  if (path.length > LEVELS_AT_MOST) return
  for (const step of path.slice(0, -1)) {
    const next = at.get(step)
    const branch: Branch = next instanceof Map ? next : new Map()
    if (branch !== next) at.set(step, branch)
    at = branch
  }
  const last = path.at(-1)!
  if (!(at.get(last) instanceof Map)) at.set(last, value)
}

function grown(branch: Branch): unknown {
  const entries = [...branch].map(
    ([name, value]) => [name, value instanceof Map ? grown(value) : value] as const,
  )
  if (entries.every(([name]) => /^\d{1,9}$/.test(name))) {
    return entries.sort((a, b) => Number(a[0]) - Number(b[0])).map(([, value]) => value)
  }
  return Object.fromEntries(entries)
}

/** The attributes of the first span event of one of these names. */
export function eventAttributes(span: Span, ...names: string[]): Record<string, unknown> | undefined {
  const found = span.events.find(({ name }) => names.includes(name))?.attributes
  return isObject(found) ? found : undefined
}

function own(span: Span, name: string): unknown {
  return Object.hasOwn(span.attributes, name) ? span.attributes[name] : undefined
}

/**
 * Whether an error leaves open that the call took effect: a time-out, an abort, a connection that broke. In doubt, in
 * doubt: looking up once too often costs a request, taking for failed costs a second effect.
 */
export function leavesInDoubt(words: string): boolean {
  return /\btimed?[ -]?out\b|TimeoutError|AbortError|APIConnectionTimeout|ECONNRESET|ETIMEDOUT|EPIPE|socket hang up|CancelledError/i.test(
    words.slice(0, 2000),
  )
}

/** The error of a span: its status, else the exception it recorded. `ParentCommand` and interrupts are no errors. */
export function errorOf(span: Span): string | undefined {
  if (span.status.code !== 'error') return undefined
  const exception = eventAttributes(span, 'exception')
  const words =
    textOf(span.status.message) ??
    textOf(exception?.['exception.message']) ??
    textOf(exception?.['exception.type']) ??
    text(span, 'error.type') ??
    'error'
  return /\b(ParentCommand|GraphInterrupt|NodeInterrupt|GraphBubbleUp)\b/.test(words) ? undefined : words
}

/** What a tool span says of how the call went. */
export function outcomeOf(span: Span): { error?: string; inDoubt?: boolean } {
  const error = errorOf(span)
  if (error === undefined) return {}
  const type = text(span, 'error.type') ?? ''
  return { error, ...(leavesInDoubt(`${type} ${error}`) ? { inDoubt: true } : {}) }
}

/** Leaves out what is undefined. */
export function defined<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
