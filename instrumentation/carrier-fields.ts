import { fieldOf } from './storable.ts'

/*
 * Whatever the receiver has got: an object, fetch Headers, a Map, gRPC metadata, process.env, and the forms of queues,
 * whose values are bytes or stand in an object of their own.
 */

// Far more than a message has; a hostile one may have any number.
const MAX_FIELDS = 1_000
const MAX_BYTES = 1_024

/** The text of one field, whatever the case of its name. Undefined if it is not there; never throws. */
export function carrierField(carrier: unknown, name: string): string | undefined {
  try {
    return (
      textIn(ask(carrier, name)) ?? (Array.isArray(carrier) ? inList(carrier, name) : inFields(carrier, name))
    )
  } catch {
    return undefined
  }
}

/** Headers, Map, gRPC metadata and the like know their fields themselves. */
function ask(carrier: unknown, name: string): unknown {
  const get = fieldOf(carrier, 'get')
  return typeof get === 'function' ? get.call(carrier, name) : fieldOf(carrier, name)
}

function inFields(carrier: unknown, name: string): string | undefined {
  if (typeof carrier !== 'object' || carrier === null) return undefined
  const names: Iterable<unknown> = carrier instanceof Map ? carrier.keys() : Object.keys(carrier)
  let seen = 0
  for (const one of names) {
    if (seen++ > MAX_FIELDS) return undefined
    if (!isNamed(one, name)) continue
    return textIn(carrier instanceof Map ? carrier.get(one) : fieldOf(carrier, one as string))
  }
  return undefined
}

/** `[['traceparent', '00-…']]`, `[{key, value}]`, `[{traceparent: bytes}]`, or names and values in turns. */
function inList(list: unknown[], name: string): string | undefined {
  const entries = list.slice(0, MAX_FIELDS)
  if (entries.every((entry) => typeof entry === 'string')) {
    const at = entries.findIndex((entry, index) => index % 2 === 0 && isNamed(entry, name))
    return at < 0 ? undefined : textIn(entries[at + 1])
  }
  for (const entry of entries) {
    const found = Array.isArray(entry) ? pairIn(entry[0], entry[1], name) : entryIn(entry, name)
    if (found !== undefined) return found
  }
  return undefined
}

function entryIn(entry: unknown, name: string): string | undefined {
  return (
    pairIn(fieldOf(entry, 'key') ?? fieldOf(entry, 'name'), fieldOf(entry, 'value'), name) ??
    inFields(entry, name)
  )
}

function pairIn(key: unknown, value: unknown, name: string): string | undefined {
  return isNamed(textIn(key), name) ? textIn(value) : undefined
}

/** Names have no case; in an environment variable a hyphen is an underscore. */
function isNamed(given: unknown, name: string): boolean {
  return typeof given === 'string' && given.toLowerCase().replaceAll('_', '-') === name
}

/** A text, its bytes, the first of several, or the value inside of a queue's attribute. */
function textIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) {
    return value.byteLength <= MAX_BYTES ? Buffer.from(value).toString('latin1') : undefined
  }
  if (typeof value !== 'object' || value === null || depth > 1) return undefined
  if (Array.isArray(value)) return textIn(value[0], depth + 1)
  for (const name of ['StringValue', 'stringValue', 'Value', 'value']) {
    const found = textIn(fieldOf(value, name), depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
