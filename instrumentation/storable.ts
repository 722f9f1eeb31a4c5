import { createHash } from 'node:crypto'
import { types } from 'node:util'
import type { Json, JsonObject } from '../model/json.ts'

/*
 * What a runtime really has, as JSON. Plain data comes out exactly as JSON.stringify would write it; what JSON cannot
 * hold becomes a description of itself, an object whose field `not_json` names what it was. The result is a copy, so
 * that what is stored is the state at the moment of the call.
 */

// Bounds against endless or absurd structures (a proxy that always answers, a sparse array of four billion).
const MAX_DEPTH = 64
const MAX_NODES = 250_000
const MAX_TEXT = 4 * 1024 * 1024
const TEXT_KEPT = 1024

type Walk = { nodes: number; open: Set<object> }

/** A JSON copy of any value; undefined only for undefined itself. Never throws, never changes the value. */
export function storable(value: unknown): Json | undefined {
  return copy(value, { nodes: 0, open: new Set() }, 0)
}

/** The fields of an options object as JSON; an empty object for what is no object. */
export function storableFields(value: unknown): JsonObject {
  const stored = storable(value)
  const plain = typeof stored === 'object' && stored !== null && !Array.isArray(stored)
  return plain ? stored : {}
}

/** A field of a value that may be hostile: undefined if reading it throws. */
export function fieldOf(value: unknown, name: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[name]
  } catch {
    return undefined
  }
}

function copy(value: unknown, walk: Walk, depth: number): Json | undefined {
  walk.nodes++
  switch (typeof value) {
    case 'string':
      return storableText(value)
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : { not_json: 'number', value: String(value) }
    case 'bigint':
      return { not_json: 'bigint', value: bigintText(value) }
    case 'symbol':
      return { not_json: 'symbol', value: storableText(value.description ?? '') }
    case 'function':
      return { not_json: 'function', name: textOr(fieldOf(value, 'name'), '') }
    case 'undefined':
      return undefined
  }
  if (value === null) return null
  return copyObject(value as object, walk, depth)
}

function copyObject(value: object, walk: Walk, depth: number): Json | undefined {
  if (walk.open.has(value)) return { not_json: 'circular' }
  if (depth >= MAX_DEPTH) return { not_json: 'too deep' }
  if (walk.nodes > MAX_NODES) return { not_json: 'too large' }
  walk.open.add(value)
  try {
    return describe(value, walk, depth)
  } catch (error) {
    return { not_json: 'unreadable', error: textOr(fieldOf(error, 'name'), typeof error) }
  } finally {
    walk.open.delete(value)
  }
}

function describe(value: object, walk: Walk, depth: number): Json | undefined {
  if (Array.isArray(value)) return copyArray(value, walk, depth)
  if (ArrayBuffer.isView(value)) return binary(value, value.constructor?.name ?? 'ArrayBufferView')
  if (types.isAnyArrayBuffer(value)) return binary(new Uint8Array(value), 'ArrayBuffer')
  if (types.isNativeError(value) || value instanceof Error) return copyError(value, walk, depth)
  if (types.isMap(value)) {
    return { not_json: 'Map', entries: copyArray([...bounded(value.entries())], walk, depth) }
  }
  if (types.isSet(value)) {
    return { not_json: 'Set', values: copyArray([...bounded(value.values())], walk, depth) }
  }
  if (types.isPromise(value)) return { not_json: 'Promise' }
  const toJson = (value as { toJSON?: unknown }).toJSON
  if (typeof toJson === 'function') {
    const json: unknown = toJson.call(value, '')
    // A toJSON that gives the object itself would go round for ever.
    if (json !== value) return copy(json, walk, depth + 1)
  }
  return copyFields(value as Record<string, unknown>, walk, depth)
}

function copyArray(list: unknown[], walk: Walk, depth: number): Json[] {
  const out: Json[] = []
  for (let index = 0; index < list.length; index++) {
    if (walk.nodes > MAX_NODES) {
      out.push({ not_json: 'too large', left_out: list.length - index })
      break
    }
    out.push(element(list, index, walk, depth) ?? null)
  }
  return out
}

function copyFields(value: Record<string, unknown>, walk: Walk, depth: number): JsonObject {
  const out: JsonObject = {}
  for (const name of Object.keys(value)) {
    if (walk.nodes > MAX_NODES) {
      out.not_json = 'too large'
      break
    }
    const field = element(value, name, walk, depth)
    if (field !== undefined) put(out, storableText(name), field)
  }
  return out
}

function element(from: object, name: string | number, walk: Walk, depth: number): Json | undefined {
  let value: unknown
  try {
    value = (from as Record<string | number, unknown>)[name]
  } catch (error) {
    return { not_json: 'unreadable', error: textOr(fieldOf(error, 'name'), typeof error) }
  }
  return copy(value, walk, depth + 1)
}

/** `__proto__` must become a field like any other instead of the prototype. */
function put(out: JsonObject, name: string, value: Json): void {
  if (name === '__proto__') {
    Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true })
  } else {
    out[name] = value
  }
}

// An error's other fields are left out: HTTP clients hang the whole request on it, headers included.
const ERROR_FIELDS = ['name', 'message', 'code', 'status', 'statusCode', 'cause', 'errors']

function copyError(error: object, walk: Walk, depth: number): JsonObject {
  const out: JsonObject = {}
  for (const name of ERROR_FIELDS) {
    const field = name in error ? element(error, name, walk, depth) : undefined
    if (field !== undefined) out[name] = field
  }
  return out
}

function binary(view: ArrayBufferView, name: string): JsonObject {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  return {
    not_json: storableText(name),
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

function* bounded<T>(entries: Iterable<T>): Generator<T> {
  let count = 0
  for (const entry of entries) {
    if (count++ > MAX_NODES) return
    yield entry
  }
}

function bigintText(value: bigint): string {
  return storableText(value.toString())
}

function textOr(value: unknown, other: string): string {
  return typeof value === 'string' ? storableText(value) : other
}

/** Text without lone surrogates (UTF-8 has no form for them), cut with a remark when it is absurdly long. */
export function storableText(text: string): string {
  const kept =
    text.length > MAX_TEXT
      ? `${text.slice(0, TEXT_KEPT)} [${text.length - TEXT_KEPT} characters left out]`
      : text
  // Part of every supported Node, not yet of the ES2023 types.
  return (kept as string & { toWellFormed(): string }).toWellFormed()
}
