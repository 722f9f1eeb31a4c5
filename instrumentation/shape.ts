import { constraintHash, type HashOptions, hashJson, hashText } from '../model/hash.ts'
import { readItems } from '../model/items.ts'
import { isObject, type Json, type JsonObject, listOf } from '../model/json.ts'
import { shapeOfText } from '../model/shape.ts'
import { bytesOf } from '../model/sizes.ts'
import { toolNames } from '../model/tool-names.ts'

/*
 * `content: shape`: an event without any text of the conversation. What identifies stays (ids, keys, names of tools and
 * agents, types, roles, states), what says something becomes its size and its hash (model/shape.ts): a text stays a text,
 * so that readers of the run log find the types they expect.
 */

/** Fields that identify or count, in an event and in the entries of a record. */
const KEPT = new Set(
  `op tool effect state key call attempt approval action by id role channel handoff mode from to requested_action ack_due tokens
  process verdict outcome limit delivered_to for replay_of agent principal origin permissions allow deny ask closed agents
  name trace parent span task context checkpoint last_status kind verified correlation_id service service_version
  commitment type policy filter history allows redact hash link`.split(/\s+/),
)

/** What an item says of itself beside its words: what it stands on or stands for, and how far that has come. */
const KEPT_OF_ITEMS =
  `claims needs evidence source refs sources state status verdict decision outcome constraint commitment
  approval approval_id for action intent key ends replaces refuses refused denies denied`.split(/\s+/)

/** What a file is known by that says nothing of it. */
const KEPT_OF_FILES = new Set('type kind sha sha256 hash digest file_id fileId id'.split(' '))

const ITEM_LISTS = new Set(['items', 'items_before'])

// What can be an id, a key, a tool or an agent. Anything with a space in it may be a sentence.
const IDENTIFIER = /^[\p{L}\p{N}_.:@/+=#~-]{1,200}$/u

/** The event without its texts, and under `shape` the sizes of what was replaced. */
export function shapeFields(fields: JsonObject, options: HashOptions): JsonObject {
  const out: JsonObject = {}
  const sizes: JsonObject = {}
  for (const name of Object.keys(fields)) {
    const value = fields[name]!
    // Of the event, one of the run log's words for how it is known; of a record, what somebody says.
    out[name] =
      name === 'evidence' && typeof value === 'string'
        ? shapeKept(value, options)
        : shapeField(name, value, options)
    if (typeof value === 'object' && value !== null && !KEPT.has(name)) sizes[name] = sizeOf(value)
  }
  if (typeof fields.text === 'string') out.hash = constraintHash(fields, options)
  out.shape = sizes
  return out
}

function sizeOf(value: Json): JsonObject {
  return Array.isArray(value) ? { bytes: bytesOf(value), count: value.length } : { bytes: bytesOf(value) }
}

function shapeField(name: string, value: Json, options: HashOptions): Json {
  if (ITEM_LISTS.has(name)) return listOf(value).flatMap((item) => shapeItem(item, options))
  if (name === 'record' && isObject(value)) return shapeRecord(value as JsonObject, options)
  if (name === 'check') return shapeCheck(value, options)
  if (name === 'tools') return shapeTools(value, options)
  // Of a rule the name of what it binds; of an approval the arguments that it is given for.
  if (name === 'scope')
    return typeof value === 'string' ? shapeKept(value, options) : shapeContent(value, options)
  if (name === 'evidence' && Array.isArray(value)) return value.map((one) => shapeEvidence(one, options))
  return KEPT.has(name) ? shapeKept(value, options) : shapeContent(value, options)
}

/** Identifiers, lists of them and objects of them; any text in between that is none becomes its shape. */
function shapeKept(value: Json, options: HashOptions): Json {
  if (typeof value === 'string') return IDENTIFIER.test(value) ? value : shapeText(value, options)
  if (Array.isArray(value)) return value.map((element) => shapeKept(element, options))
  if (!isObject(value)) return value
  const out: JsonObject = {}
  for (const name of Object.keys(value)) {
    if (IDENTIFIER.test(name) && name !== '__proto__')
      out[name] = shapeField(name, value[name] as Json, options)
  }
  return out
}

function shapeContent(value: Json, options: HashOptions): Json {
  if (typeof value === 'string') return shapeText(value, options)
  // A list stays a list: the run log types some of them.
  if (Array.isArray(value)) return value.map((element) => shapeContent(element, options))
  return isObject(value) ? { bytes: bytesOf(value), hash: hashJson(value, options) } : value
}

function shapeText(text: string, options: HashOptions): string {
  return shapeOfText(Buffer.byteLength(text), hashText(text, options))
}

/** Tools by name only: descriptions and schemas are text. A definition of several becomes as many. */
function shapeTools(value: Json, options: HashOptions): Json {
  if (!Array.isArray(value)) return shapeKept(value, options)
  return value.flatMap((tool) => {
    const names = toolNames(tool).map((name) => shapeKept(name, options))
    if (!isObject(tool)) return names
    const whole = { bytes: bytesOf(tool), hash: hashJson(tool, options) }
    return names.length === 0 ? [{ name: null, ...whole }] : names.map((name) => ({ name, ...whole }))
  })
}

/** What a claim rests on stays, what is said of it does not. */
function shapeEvidence(value: Json, options: HashOptions): Json {
  if (!isObject(value)) return shapeContent(value, options)
  const out: JsonObject = {}
  for (const name of ['ref', 'op', 'call', 'id']) {
    if (value[name] !== undefined) out[name] = shapeKept(value[name] as Json, options)
  }
  return { ...out, bytes: bytesOf(value), hash: hashJson(value, options) }
}

/** An item by its type, role, ids and size, in the plain form; a kit's entry of several messages becomes several items. */
function shapeItem(item: unknown, options: HashOptions): JsonObject[] {
  const read = readItems([item])
  const [first, ...parts] = read
  const whole = { bytes: bytesOf(item), hash: hashJson(item, options) }
  if (first === undefined) return [{ type: 'unknown', ...whole }]
  if (parts.length === 0 && first.type === 'file') return [shapePart(first, options)]
  if (parts.length === 0) return [{ ...shapePart(first, options), ...whole }]
  if (parts.some(({ type }) => type === 'message')) {
    return read.map((part, index) => ({ ...shapePart(part, options), ...(index === 0 ? whole : {}) }))
  }
  return [{ ...shapeMessage(first, parts, options), ...whole }]
}

type Part = ReturnType<typeof readItems>[number]

/** Calls and results inside a message stay its parts. */
function shapeMessage(first: Part, parts: readonly Part[], options: HashOptions): JsonObject {
  const shaped = shapePart(first, options)
  const content: JsonObject[] = parts.map((part) => shapePart(part, options))
  // Calls are parts of a message, never of another call: then the message is an empty one.
  if (first.type === 'message') {
    const text = first.text === '' ? [] : [{ type: 'text', text: shapeText(first.text, options) }]
    return { ...shaped, content: [...text, ...content] }
  }
  const { id, ...call } = shaped
  const head: JsonObject = { type: 'message', role: first.role ?? 'assistant', content: [call, ...content] }
  return id === undefined ? head : { id, ...head }
}

function shapePart(part: Part, options: HashOptions): JsonObject {
  const { id, type, role, author, call, tool, op, raw } = part
  const entry = part.part ?? raw
  // Some kits say by the field in which it stands that it is a file.
  if (type === 'file' && isObject(entry)) return { type, ...shapeFile(entry as JsonObject, options) }
  const out: JsonObject = {}
  for (const [name, value] of Object.entries({ id, type, role, author, call, tool, op })) {
    if (value !== undefined) out[name] = shapeKept(value, options)
  }
  for (const name of isObject(entry) ? KEPT_OF_ITEMS : []) {
    const value = (entry as JsonObject)[name]
    if (value !== undefined && out[name] === undefined) out[name] = shapeKept(value, options)
  }
  if (part.args !== undefined) out.args = shapeContent(part.args as Json, options)
  if (part.text !== '') out.content = shapeText(part.text, options)
  if (part.covers.length > 0) out.covers = shapeKept(part.covers, options)
  if (part.origin !== undefined) out.origin = shapeKept(part.origin as JsonObject, options)
  // Its form is gone now as well.
  if (part.unread === true) out.not_read = true
  return out
}

/** A file keeps its form, by which it is known again at the other side; names, addresses and bytes become shapes. */
function shapeFile(file: JsonObject, options: HashOptions): JsonObject {
  const out: JsonObject = {}
  for (const [name, value] of Object.entries(file)) {
    if (IDENTIFIER.test(name) && name !== '__proto__') out[name] = shapeOfFile(name, value, options)
  }
  return out
}

function shapeOfFile(name: string, value: Json, options: HashOptions): Json {
  if (isObject(value)) return shapeFile(value as JsonObject, options)
  return KEPT_OF_FILES.has(name) || name === 'role' ? shapeKept(value, options) : shapeContent(value, options)
}

const OPERATION_LISTS = new Set(['open_operations', 'completed_effects', 'pending_actions'])

function shapeRecord(record: JsonObject, options: HashOptions): JsonObject {
  const out: JsonObject = {}
  for (const name of Object.keys(record)) {
    const value = record[name]!
    if (name === '__proto__' || !IDENTIFIER.test(name)) continue
    if (name === 'constraints')
      out[name] = listOf(value).map((entry) => shapeConstraint(entry as Json, options))
    else if (OPERATION_LISTS.has(name)) out[name] = shapeKept(value, options)
    else if (name === 'commitments') out[name] = shapeKept(value, options)
    else out[name] = shapeField(name, value, options)
  }
  return out
}

function shapeConstraint(value: Json, options: HashOptions): Json {
  const constraint: JsonObject = isObject(value) ? (value as JsonObject) : { text: String(value) }
  const hash = constraintHash(constraint as { text?: string }, options)
  return { ...(shapeKept(constraint, options) as JsonObject), hash }
}

/** The tools a check names and its limits stay; arguments in it are content. */
function shapeCheck(check: Json, options: HashOptions): Json {
  if (!isObject(check)) return shapeContent(check, options)
  const out: JsonObject = {}
  for (const [form, body] of Object.entries(check) as [string, Json][]) {
    if (!['order', 'forbid', 'limit', 'require_approval'].includes(form)) continue
    out[form] = Array.isArray(body) ? shapeKept(body, options) : shapeCheckBody(body, options)
  }
  return out
}

function shapeCheckBody(body: Json, options: HashOptions): Json {
  if (!isObject(body)) return shapeContent(body, options)
  const out: JsonObject = {}
  for (const name of ['tool', 'arg', 'max'] as const) {
    if (body[name] !== undefined) out[name] = shapeKept(body[name] as Json, options)
  }
  if (body.args !== undefined) out.args = shapeContent(body.args as Json, options)
  return out
}
