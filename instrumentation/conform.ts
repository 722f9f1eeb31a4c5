import { isObject, type Json, type JsonObject } from '../model/json.ts'

/*
 * Programs without types hand over null for "nothing", a number as an id, one item instead of a list. The store would
 * refuse the whole event for it, so the fields that the run log types are brought into their type before they are
 * written. What a field said is kept; only its form changes.
 */

const TEXTS = new Set(
  `id agent role channel intent op tool effect state key call approval by action for delivered_to reason text mode from to
  requested_action ack_due handoff process verdict outcome replay_of`.split(/\s+/),
)
const NUMBERS = new Set(['attempt', 'tokens', 'limit'])
const LISTS = new Set(['items', 'items_before', 'tools', 'agents'])
const TEXT_LISTS = new Set(['sensitive', 'allow', 'deny', 'ask'])
const OBJECTS = new Set(['permissions', 'policy', 'record', 'trace'])

// Null is a value here: a result, an argument, a content can be null.
const ANY = new Set(['result', 'error', 'content', 'args', 'scope', 'check', 'comments'])

const CONTRACT_TEXTS = new Set([
  'task',
  'intent',
  'next_action',
  'stop_condition',
  'requested_action',
  'ack_due',
])
const CONTRACT_LISTS = new Set(['evidence', 'unresolved_questions', 'attempted', 'rejected'])

/** A field of the contract in the type that the record has for it. */
export function conformContract(name: string, value: Json): Json {
  if (CONTRACT_TEXTS.has(name)) return asText(value)
  return CONTRACT_LISTS.has(name) ? asList(value) : value
}

/** The fields of one event, each in the type that the run log has for it. */
export function conform(kind: string, fields: JsonObject): JsonObject {
  const out: JsonObject = {}
  for (const name of Object.keys(fields)) {
    const value = fields[name]!
    if (value === null && !ANY.has(name)) continue
    if (name === '__proto__') continue
    out[name] = conformField(kind, name, value)
  }
  return out
}

function conformField(kind: string, name: string, value: Json): Json {
  if (TEXTS.has(name)) return asText(value)
  if (NUMBERS.has(name)) return asNumber(name, value)
  if (TEXT_LISTS.has(name) || (name === 'tools' && kind === 'agent.config')) return asList(value).map(asText)
  if (LISTS.has(name)) return asList(value)
  if (OBJECTS.has(name)) return isObject(value) ? withoutNulls(value as JsonObject) : { given: value }
  if (name === 'principal')
    return isObject(value) ? textFields(value as JsonObject, 'id', 'kind') : asText(value)
  if (name === 'closed') return value === true
  // In an event it says how the event is known; at the sender it is part of the contract, a list.
  if (name === 'evidence' && kind !== 'handoff.sent') return asText(value)
  return value
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function asNumber(name: string, value: Json): number {
  const number = typeof value === 'number' ? value : Number.parseInt(asText(value), 10)
  if (name !== 'attempt') return Number.isFinite(number) ? number : 0
  return Number.isSafeInteger(number) && number > 0 ? number : 1
}

function asList(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}

function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function textFields(fields: JsonObject, ...names: string[]): JsonObject {
  const out = withoutNulls(fields)
  for (const name of names) if (out[name] !== undefined) out[name] = asText(out[name]!)
  return out
}
