import { textOfValue } from './item-text.ts'
import { namesCallById } from './item-words.ts'
import { isObject, textOf } from './json.ts'
import { jsonText } from './json-text.ts'

type Fields = Record<string, unknown>

/** What one verbatim item holds: a message, a call, a result … `from` is where its other fields are read. */
export type Form = {
  type: string
  role?: string | undefined
  text: string
  call?: string | undefined
  tool?: string | undefined
  args?: unknown
  /** Where its message says who wrote it, and the part itself does not. */
  author?: string | undefined
  from: Fields
  /** Path of a part below its item. */
  at?: string | undefined
  /** Nothing of the entry was read: its text is whatever words it holds. */
  unread?: true | undefined
}

/** A call in any of its forms. `idIsCall`: the place it stands in leaves no doubt that its `id` is the call's. */
export function callForm(item: Fields, role?: string, idIsCall = false): Form {
  const type = textOf(item.type)
  const named = textOf(item.tool) ?? textOf(item.name) ?? textOf(item.toolName) ?? textOf(item.tool_name)
  return {
    type: 'tool_call',
    role: role ?? 'assistant',
    text: textOfValue(item.content),
    call: callId(item, idIsCall || (namesCallById(type) && item.tool === undefined)),
    // OpenAI's own tools have no name: `computer_call`, `apply_patch_call`.
    tool: named ?? /^(computer|shell|local_shell|apply_patch)_call$/u.exec(type ?? '')?.[1],
    args: parsed(item.args ?? item.arguments ?? item.input ?? item.action ?? item.actions ?? item.operation),
    from: item,
  }
}

/** A result in any of its forms. */
export function resultForm(item: Fields, role?: string, idIsCall = false): Form {
  const type = textOf(item.type)
  return {
    type: 'tool_result',
    role: role ?? 'tool',
    text: resultText(item),
    call: callId(item, idIsCall || (type?.endsWith('_response') === true && namesCallById(type))),
    tool: textOf(item.tool) ?? textOf(item.name) ?? textOf(item.toolName) ?? textOf(item.tool_name),
    from: item,
  }
}

/** A call that holds its own answer, as hosted and MCP calls do, is both. */
export function withOwnResult(call: Form, answer: unknown): Form[] {
  if (answer === undefined || answer === null) return [call]
  const from = {}
  const result: Form = {
    type: 'tool_result',
    role: 'tool',
    text: textOfAnswer(answer),
    call: call.call,
    tool: call.tool,
    from,
  }
  return [call, { ...result, at: 'output' }]
}

/** Arguments may be a JSON string; what does not parse stays a string. */
export function parsed(args: unknown): unknown {
  if (typeof args !== 'string') return args
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}

function callId(item: Fields, idIsCall: boolean): string | undefined {
  for (const field of [
    'call',
    'tool_use_id',
    'call_id',
    'callId',
    'toolCallId',
    'tool_call_id',
    'toolUseId',
  ]) {
    const id = textOf(item[field])
    if (id !== undefined) return id
  }
  return idIsCall ? textOf(item.id) : undefined
}

function resultText(item: Fields): string {
  const text = textOfAnswer(
    item.content ?? item.output ?? item.result ?? item.response ?? item.tool_return ?? undefined,
  )
  return text === '' ? textOfAnswer(item.error ?? item.errorText) : text
}

/** A result is data first: what is no part made for text is written as JSON, never shortened to one of its fields. */
function textOfAnswer(answer: unknown): string {
  const isText = Array.isArray(answer) ? answer.every(isPart) : !isObject(answer) || isPart(answer)
  return isText ? textOfValue(answer) : (jsonText(answer) ?? '')
}

function isPart(part: unknown): boolean {
  if (!isObject(part)) return typeof part === 'string'
  return textOf(part.type) !== undefined || Object.keys(part).join() === 'text'
}
