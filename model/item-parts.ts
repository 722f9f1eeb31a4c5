import { callForm, type Form, resultForm, withOwnResult } from './item-calls.ts'
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
    const own = isObject(part) ? partForms(part, role) : undefined
    if (own === undefined) texts.push(textOfValue(part))
    else for (const form of own) forms.push({ ...form, at: placeOf(list, index, form) })
  })
  return { text: joinTexts(texts), forms }
}

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

function approvalForm(part: Fields, role: string | undefined): Form {
  const inner = part.function_call ?? part.functionCall ?? part.toolCall
  const call = isObject(inner) ? callForm(inner, undefined, true) : undefined
  return {
    type: 'approval',
    role,
    text: textOf(part.reason) ?? '',
    call: textOf(part.toolCallId) ?? call?.call,
    tool: call?.tool,
    args: call?.args,
    // The id of the part is the approval's, and no item's.
    from: { ...part, approvalId: part.approvalId ?? part.requestId ?? part.id },
  }
}

function isThought(part: Fields, type: string | undefined): boolean {
  return type === 'thinking' || type === 'redacted_thinking' || type === 'reasoning' || part.thought === true
}

function thoughtText(part: Fields): string {
  return textOf(part.thinking) ?? textOf(part.reasoning) ?? textOf(part.text) ?? textOfValue(part.summary)
}
