import { answersList, listedCalls, listedFileForms } from './item-beside.ts'
import { callForm, type Form, parsed, resultForm, withOwnResult } from './item-calls.ts'
import { unwrap } from './item-envelopes.ts'
import { rewritten } from './item-kits.ts'
import { approvalItem, contentForms } from './item-parts.ts'
import { formsOfAll } from './item-rewritten.ts'
import { joinTexts, mediaName, textOfValue } from './item-text.ts'
import { orUnread } from './item-unread.ts'
import { isCallType, isResultType, roleWord } from './item-words.ts'
import { isObject, textOf } from './json.ts'

/*
 * The forms in which runtimes keep conversation items are told apart by their fields, one item at a time, so that a
 * mixed list is read as well.
 */

type Fields = Record<string, unknown>

/** Reads one verbatim item into one or more forms: the item itself first, then what its parts hold. */
export function itemForms(raw: Fields): Form[] {
  const item = unwrap(raw)
  const type = textOf(item.type)
  const stated = textOf(item.role) ?? statedRole(item, type)
  const role = roleWord(stated) ?? stated ?? roleWord(type)
  if (isCallType(type)) return withOwnResult(callForm(item, role), item.output ?? item.error)
  if (isResultType(type)) return [resultForm(item, role)]
  const isMessage = type === undefined || type === 'message' || roleWord(type) !== undefined
  const asked = isMessage ? undefined : approvalItem(item, type, role)
  if (asked !== undefined) return [asked]
  if (isMessage && isToolMessage(item, role)) return [answerForm(item, role)]
  if (type === undefined ? item.content === undefined || isOfKit(item) : !isMessage) {
    const forms = kitForms(item)
    if (forms !== undefined) return forms
  }
  const isOther = !isMessage && !Array.isArray(item.parts) && !Array.isArray(item.contents)
  return orUnread(item, isOther ? [otherForm(item, type, role)] : messageForms(item, role))
}

/** Microsoft Agent Framework wraps the role; Spring AI and Letta have it in a field of their own: `ASSISTANT`, `user_message`. */
function statedRole(
  { role, messageType, message_type }: Fields,
  type: string | undefined,
): string | undefined {
  if (isObject(role)) return textOf(role.value)
  const word = type === undefined ? (textOf(messageType) ?? textOf(message_type)) : undefined
  return word?.toLowerCase().replace(/_message$/u, '')
}

/** True for what only an entry of a kit has beside its content. */
function isOfKit(item: Fields): boolean {
  return (
    Array.isArray(item.responses) ||
    item.observation !== undefined ||
    item.__typename !== undefined ||
    answersList(item) !== undefined
  )
}

/** What an entry of a kit with messages of its own holds; where it holds nothing to read, the entry itself. */
function kitForms(item: Fields): Form[] | undefined {
  const all = rewritten(item)
  if (all === undefined) return undefined
  const forms = formsOfAll(item, all, itemForms)
  return forms.length > 0 ? forms : [otherForm(item, textOf(item.kind) ?? 'task', undefined)]
}

/**
 * True if it is nothing but a call or a result, by its own type and without an envelope. Tells without reading it that
 * no message stands in it.
 */
export function isBareCall(raw: unknown): boolean {
  if (!isObject(raw)) return false
  const type = textOf(raw.type)
  if (!isCallType(type) && !isResultType(type)) return false
  return ![raw.kwargs, raw.rawItem, raw.raw_item, raw.content, raw.message].some(isObject)
}

/** True if it is a message with the role of an agent and plain text, without an envelope: nobody else's words are in it. */
export function isAgentsWord(raw: unknown): boolean {
  if (!isObject(raw) || raw.type !== 'message' || raw.role !== 'assistant') return false
  return (
    typeof raw.content === 'string' &&
    ![raw.kwargs, raw.rawItem, raw.raw_item, raw.data, raw.message].some(isObject)
  )
}

/** A chat message that answers a call: its role is tool, and the call, or in the old form the function, is named beside. */
function isToolMessage(item: Fields, role: string | undefined): boolean {
  if (role !== 'tool') return false
  const answers = textOf(item.tool_call_id) ?? textOf(item.toolCallId) ?? callBeside(item)
  return answers !== undefined || item.role === 'function' || item.type === 'function'
}

/** LlamaIndex, before blocks, names the call beside the message. */
function callBeside({ content, additional_kwargs: beside }: Fields): string | undefined {
  return isObject(beside) && content !== undefined ? textOf(beside.tool_call_id) : undefined
}

function answerForm(item: Fields, role: string | undefined): Form {
  const named = callBeside(item) === undefined ? item : { ...(item.additional_kwargs as Fields), ...item }
  return { ...resultForm(named, role), type: 'tool_result', from: item }
}

/** Where the parts of a message stand if not in its content: Gemini and A2A, Microsoft Agent Framework. */
const PART_LISTS = ['parts', 'contents']

/** A message with its text, and what its parts hold as forms of their own. */
function messageForms(item: Fields, role: string | undefined): Form[] {
  const author =
    textOf(item.author) ?? textOf(item.name) ?? textOf(item.author_name) ?? textOf(item.authorName)
  const list = PART_LISTS.find((field) => Array.isArray(item[field]))
  const content = contentForms(
    list === undefined ? (item.content ?? item.text) : item[list],
    list ?? 'content',
    role,
  )
  const text = typeof item.refusal === 'string' ? joinTexts([content.text, item.refusal]) : content.text
  // AG-UI: the thoughts of a model are a message of their own.
  if (role === 'reasoning') return [{ type: 'reasoning', role: 'assistant', text, author, from: item }]
  const beside = [...listedCalls(item, role, content.forms), ...listedFileForms(item, role)]
  const parts = [...content.forms, ...beside]
  for (const part of parts) part.author = author
  const bare = text === '' && parts.length > 0 && parts.every(({ type }) => type !== 'file')
  return bare ? promote(parts, item) : [{ type: 'message', role, text, author, from: item }, ...parts]
}

// What is said of the whole message goes to the first of its parts if the message says nothing itself.
const OF_THE_MESSAGE = ['id', 'op', 'origin', 'claims', 'covers']

function promote(forms: Form[], item: Fields): Form[] {
  const whole = Object.fromEntries(OF_THE_MESSAGE.map((field) => [field, item[field]]))
  return forms.map((form, index) => (index === 0 ? { ...form, from: { ...form.from, ...whole } } : form))
}

const SHOWN = ['content', 'text', 'summary', 'code', 'action', 'queries', 'output', 'outputs', 'results']

/** Anything that is neither message, call nor result keeps its own type and shows all its text. */
function otherForm(item: Fields, type: string, role: string | undefined): Form {
  return {
    type,
    role,
    text: joinTexts(SHOWN.map((field) => textOfValue(item[field]))) || (mediaName(item) ?? ''),
    call: textOf(item.call) ?? textOf(item.call_id) ?? textOf(item.callId),
    tool: textOf(item.tool) ?? (type.endsWith('_call') ? textOf(item.name) : undefined),
    args: parsed(item.args ?? item.arguments),
    from: item,
  }
}
