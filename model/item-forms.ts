import { isObject, listOf, textOf } from './json.ts'

/*
 * The forms in which runtimes keep conversation items: handspan's plain form, OpenAI input items, chat messages,
 * LangChain messages (live and serialised), Anthropic blocks, Gemini parts and AI SDK parts. They are told apart by
 * their fields, one item at a time, so that a mixed list is read as well.
 */

type Fields = Record<string, unknown>

/** What one verbatim item holds: a message, a call, a result … `from` is where its other fields are read. */
export type Form = {
  type: string
  role?: string | undefined
  text: string
  call?: string | undefined
  tool?: string | undefined
  args?: unknown
  from: Fields
  /** Path of a part below its item. */
  at?: string | undefined
}

const ROLES: Record<string, string> = {
  human: 'user',
  ai: 'assistant',
  model: 'assistant',
  function: 'tool',
  HumanMessage: 'user',
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  SystemMessage: 'system',
  ToolMessage: 'tool',
}

const CALL_TYPES = new Set([
  'tool_call',
  'function_call',
  'tool_use',
  'tool-call',
  'server_tool_call',
  'mcp_call',
  'custom_tool_call',
])
const RESULT_TYPES = new Set([
  'tool_result',
  'function_call_result',
  'function_call_output',
  'tool-result',
  'tool_call_output',
  'tool_call_response',
  'server_tool_call_response',
  'custom_tool_call_output',
])

/** Reads one verbatim item into one or more forms, in the order in which a model meets them. */
export function itemForms(raw: Fields): Form[] {
  const item = unwrapSerialised(raw)
  const type = textOf(item.type)
  const role = roleOf(item)
  if (type !== undefined && CALL_TYPES.has(type)) return [callForm(item, role)]
  if (type !== undefined && RESULT_TYPES.has(type)) return [resultForm(item, role)]
  // A chat tool message: the role is tool and the call it answers is named beside the content.
  const answered = textOf(item.tool_call_id) ?? textOf(item.toolCallId)
  if (role === 'tool' && answered !== undefined) {
    return [
      {
        type: 'tool_result',
        role,
        text: resultText(item),
        call: answered,
        tool: textOf(item.name),
        from: item,
      },
    ]
  }
  if (type !== undefined && type !== 'message' && ROLES[type] === undefined && !Array.isArray(item.parts)) {
    return [otherForm(item, type, role)]
  }
  return messageForms(item, role)
}

/** LangChain's serialised forms: `{lc, id: [..., 'HumanMessage'], kwargs}` and `{type, data}`. */
function unwrapSerialised(raw: Fields): Fields {
  if (isObject(raw.kwargs) && Array.isArray(raw.id)) {
    return { ...raw.kwargs, type: String(raw.id.at(-1)) }
  }
  if (isObject(raw.data) && textOf(raw.type) !== undefined && ROLES[raw.type as string] !== undefined) {
    return { ...raw.data, type: raw.type }
  }
  return raw
}

function roleOf(item: Fields): string | undefined {
  const word =
    textOf(item.role) ?? (ROLES[textOf(item.type) ?? ''] === undefined ? undefined : textOf(item.type))
  return word === undefined ? undefined : (ROLES[word] ?? word)
}

/** A message with its text, and the calls and results among its parts as forms of their own. */
function messageForms(item: Fields, role: string | undefined): Form[] {
  const body = Array.isArray(item.parts) ? item.parts : item.content
  const parts = contentParts(body)
  const listName = Array.isArray(item.parts) ? 'parts' : 'content'
  const inner = parts.filter((part) => part.form !== undefined)
  const text = parts
    .filter((part) => part.form === undefined && part.text !== '')
    .map((part) => part.text)
    .join('\n')
  const calls = listOf(item.tool_calls).flatMap((call, index) =>
    isObject(call) ? { ...callForm(flattenFunction(call), role), at: `tool_calls[${index}]` } : [],
  )
  const forms: Form[] = inner.map((part) => ({ ...part.form!, role, at: `${listName}[${part.index}]` }))
  const bare = text === '' && forms.length + calls.length > 0
  const message: Form = { type: 'message', role, text, from: item }
  return bare ? promote([...forms, ...calls], item) : [message, ...forms, ...calls]
}

/** A message that holds nothing but calls or results is those, so that the first of them keeps the item's id. */
function promote(forms: Form[], item: Fields): Form[] {
  return forms.map((form, index) =>
    index === 0 ? { ...form, from: { ...form.from, id: item.id ?? form.from.id } } : form,
  )
}

function flattenFunction(call: Fields): Fields {
  return isObject(call.function) ? { ...call.function, id: call.id } : call
}

function callForm(item: Fields, role: string | undefined): Form {
  const args = item.args ?? item.arguments ?? item.input
  return {
    type: 'tool_call',
    role: role ?? 'assistant',
    text: textOfUnknown(item.content),
    call: callId(item),
    tool: textOf(item.tool) ?? textOf(item.name) ?? textOf(item.toolName) ?? textOf(item.tool_name),
    args: parseArguments(args),
    from: item,
  }
}

function resultForm(item: Fields, role: string | undefined): Form {
  return {
    type: 'tool_result',
    role: role ?? 'tool',
    text: resultText(item),
    call: textOf(item.tool_use_id) ?? callId(item),
    tool: textOf(item.tool) ?? textOf(item.name) ?? textOf(item.toolName),
    from: item,
  }
}

function callId(item: Fields): string | undefined {
  return (
    textOf(item.call) ??
    textOf(item.call_id) ??
    textOf(item.callId) ??
    textOf(item.toolCallId) ??
    textOf(item.tool_call_id) ??
    textOf(item.id)
  )
}

function resultText(item: Fields): string {
  return textOfUnknown(item.content ?? item.output ?? item.result ?? item.response)
}

/** Arguments may be a JSON string; what does not parse stays a string. */
function parseArguments(args: unknown): unknown {
  if (typeof args !== 'string') return args
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}

/** Anything that is neither message, call nor result keeps its own type and shows all its text. */
function otherForm(item: Fields, type: string, role: string | undefined): Form {
  const shown = item.content ?? item.text ?? item.output ?? item.summary ?? item.code ?? item.action
  return {
    type,
    role,
    text: textOfUnknown(shown),
    call: textOf(item.call) ?? textOf(item.call_id) ?? textOf(item.callId),
    tool: textOf(item.tool),
    args: item.args ?? item.arguments,
    from: item,
  }
}

/** One part of a message's content: its text, and the form if it is a call or a result. */
export type ContentPart = { index: number; text: string; form?: Form }

/** Splits content into its parts. A string is one part. */
export function contentParts(content: unknown): ContentPart[] {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) return [{ index: 0, text: textOfUnknown(content) }]
  return content.map((part, index) => contentPart(part, index))
}

function contentPart(part: unknown, index: number): ContentPart {
  if (!isObject(part)) return { index, text: textOfUnknown(part) }
  const type = textOf(part.type)
  if (type !== undefined && CALL_TYPES.has(type)) return { index, text: '', form: callForm(part, undefined) }
  if (type !== undefined && RESULT_TYPES.has(type))
    return { index, text: '', form: resultForm(part, undefined) }
  if (isObject(part.functionCall)) return { index, text: '', form: callForm(part.functionCall, undefined) }
  if (isObject(part.functionResponse))
    return { index, text: '', form: resultForm(part.functionResponse, undefined) }
  return { index, text: textOfUnknown(part) }
}

/** The text in any value: strings as they are, parts by their text field, other JSON written compactly. */
function textOfUnknown(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) {
    return value
      .map(textOfUnknown)
      .filter((text) => text !== '')
      .join('\n')
  }
  if (isObject(value)) {
    for (const field of ['text', 'content', 'value', 'reasoning', 'refusal', 'transcript']) {
      if (typeof value[field] === 'string') return value[field]
    }
    if (Array.isArray(value.content)) return textOfUnknown(value.content)
  }
  return JSON.stringify(value) ?? ''
}
