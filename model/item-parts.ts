import { callForm, type Form, parsed, resultForm, withOwnResult } from './item-calls.ts'
import { joinTexts, mediaName, textOfValue } from './item-text.ts'
import { isCallType, isResultType } from './item-words.ts'
import { isObject, textOf } from './json.ts'

type Fields = Record<string, unknown>

/** The text of a message's content, and what stands in it besides: calls, results, thoughts, files, requests for a yes. */
export function contentForms(
  content: unknown,
  list: string,
  role: string | undefined,
): { text: string; forms: Form[] } {
  if (typeof content === 'string') return { text: content, forms: [] }
  if (!Array.isArray(content)) {
    const own = isObject(content) ? partForms(content, role) : undefined
    return own === undefined
      ? { text: textOfValue(content), forms: [] }
      : { text: '', forms: own.map((form) => ({ ...form, at: list })) }
  }
  const texts: string[] = []
  const forms: Form[] = []
  content.forEach((part, index) => {
    if (isObject(part) && part.type === STEP) return
    const own = isObject(part) ? partForms(part, role) : undefined
    if (own === undefined) texts.push(textOfValue(part))
    else for (const form of own) forms.push({ ...form, at: placeOf(list, index, form) })
  })
  return { text: joinTexts(texts), forms }
}

// AI SDK: where a new request to the model began. Nobody reads it.
const STEP = 'step-start'

function placeOf(list: string, index: number, { at }: Form): string {
  return at === undefined ? `${list}[${index}]` : `${list}[${index}].${at}`
}

/** The forms of one part; undefined if it is text. A result is the tool's word, whatever role its message has. */
function partForms(part: Fields, role: string | undefined): Form[] | undefined {
  const type = textOf(part.type) ?? textOf(part.$type)
  const caller = role === 'user' ? undefined : role
  if (isCallType(type)) return [callForm(part, caller, true)]
  if (isResultType(type)) return [resultForm(part)]
  if (type !== undefined && APPROVAL.test(type)) return [approvalForm(part, role)]
  const invocation = invocationOf(part, type)
  if (invocation !== undefined) return withOwnResult(callForm(invocation, caller), answerOf(invocation))
  const call = part.functionCall ?? part.function_call ?? part.toolUse ?? part.tool_call
  if (isObject(call)) return [callForm(call, caller, true)]
  const result = part.functionResponse ?? part.function_response ?? part.toolResult ?? part.tool_call_result
  if (isObject(result)) return [resultForm(ofItsCall(result), undefined, true)]
  const told = type === undefined ? toldAsData(part) : undefined
  if (told !== undefined) return partForms(told, role)
  if (isThought(part, type)) return [{ type: 'reasoning', role, text: thoughtText(part), from: part }]
  const media = mediaName(part)
  return media === undefined ? undefined : [{ type: 'file', role, text: media, from: part }]
}

/** Haystack keeps the call that a result answers beside it. */
function ofItsCall(result: Fields): Fields {
  const { origin } = result
  if (!isObject(origin) || origin.tool_name === undefined) return result
  return { content: result.result, tool: origin.tool_name, call: origin.id }
}

/** AI SDK user interface parts: `tool-<name>` and `dynamic-tool` hold a call and its answer, `tool-invocation` wraps both. */
function invocationOf(part: Fields, type: string | undefined): Fields | undefined {
  if (isObject(part.toolInvocation)) return part.toolInvocation
  if (type === 'dynamic-tool') return part
  if (type?.startsWith('tool-') && textOf(part.toolCallId) !== undefined) {
    return { ...part, toolName: type.slice('tool-'.length) }
  }
  return undefined
}

function answerOf(invocation: Fields): unknown {
  return invocation.output ?? invocation.result ?? invocation.errorText
}

// AI SDK, Microsoft Agent Framework in Python and in .NET.
const APPROVAL = /^tool-approval|_approval_(request|response)$|Approval(Request|Response)$/u

/** A question for a yes, or its answer, as an item of its own: hosted MCP tools. */
export function approvalItem(
  item: Fields,
  type: string | undefined,
  role: string | undefined,
): Form | undefined {
  return type !== undefined && APPROVAL.test(type) ? approvalForm(item, role) : undefined
}

function approvalForm(part: Fields, role: string | undefined): Form {
  const inner = part.function_call ?? part.functionCall ?? part.toolCall
  const call = isObject(inner) ? callForm(inner, undefined, true) : undefined
  return {
    type: 'approval',
    role,
    text: textOf(part.reason) ?? '',
    call: textOf(part.toolCallId) ?? call?.call,
    tool: call?.tool ?? textOf(part.name),
    args: call === undefined ? parsed(part.arguments) : call.args,
    // The id of the part is the approval's, and no item's.
    from: { ...part, approvalId: part.approvalId ?? part.requestId ?? part.approval_request_id ?? part.id },
  }
}

/**
 * A2A has no calls. Agents of Google's kit, and those built after it, send them as data and say so beside it:
 * `{data, metadata: {adk_type: 'function_call'}}`.
 */
function toldAsData({ data, content, metadata }: Fields): Fields | undefined {
  if (!isObject(metadata)) return undefined
  const held = isObject(content) && content.$case === 'data' ? content.value : data
  if (!isObject(held)) return undefined
  const word = Object.keys(metadata).find((key) => key === 'type' || key.endsWith('_type'))
  const kind = word === undefined ? undefined : metadata[word]
  return kind === 'function_call' || kind === 'function_response' ? { [kind]: held } : undefined
}

const THOUGHTS = new Set([
  ...['thinking', 'redacted_thinking', 'reasoning', 'text_reasoning'],
  ...['redacted_reasoning', 'omitted_reasoning'],
])

function isThought(part: Fields, type: string | undefined): boolean {
  if (type !== undefined) return THOUGHTS.has(type) || part.thought === true
  if (part.thought === true || isObject(part.reasoningContent) || isHaystackThought(part)) return true
  return isObject(part.metadata) && part.metadata.adk_thought === true
}

function isHaystackThought({ reasoning }: Fields): boolean {
  return isObject(reasoning) && typeof reasoning.reasoning_text === 'string'
}

function thoughtText(part: Fields): string {
  const { reasoning, reasoningContent } = part
  // Bedrock and Haystack wrap the words once more.
  if (isObject(reasoningContent)) return textOfValue(reasoningContent.reasoningText ?? '')
  if (isObject(reasoning)) return textOf(reasoning.reasoning_text) ?? ''
  const words = textOf(part.thinking) ?? textOf(reasoning) ?? textOf(part.text)
  return words ?? textOf(part.content) ?? textOfValue(part.summary)
}
