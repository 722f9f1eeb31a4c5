import type { AgentInputItem, ModelRequest, SerializedHandoff } from '@openai/agents'
import { isObject, type Json, listOf, textOf } from '../../model/json.ts'
import { fieldOf, storable } from '../storable.ts'
import type { ToolCall } from './shared-options.ts'

/** The items of a model request as they are at this moment; a plain text is the user's message. */
export function inputItems(input: string | AgentInputItem[] | undefined): Json[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return listOf(storable(input)) as Json[]
}

/** Tools as the model sees them: a handoff is one of them. */
export function toolsOf(request: ModelRequest): unknown[] {
  return [...listOf(request.tools), ...listOf(request.handoffs)]
}

/** True if the provider holds the conversation: then a request carries only what is new. */
export function isServerManaged(request: ModelRequest): boolean {
  return request.conversationId !== undefined || request.previousResponseId !== undefined
}

/** A tool call of the framework, arguments read where they are JSON. */
export function toolCallOf(tool: unknown, toolCall: unknown, agent: string | undefined): ToolCall {
  const args = fieldOf(toolCall, 'arguments') ?? fieldOf(toolCall, 'action')
  return {
    name: textOf(fieldOf(tool, 'name')) ?? textOf(fieldOf(toolCall, 'name')) ?? 'unnamed',
    args: typeof args === 'string' ? parsed(args) : args,
    call: textOf(fieldOf(toolCall, 'callId')),
    agent,
    definition: tool,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The result of a call in the form in which the framework puts it before the model. */
export function resultItem(toolCall: unknown, text: string): Json {
  const call = textOf(fieldOf(toolCall, 'callId')) ?? ''
  const name = textOf(fieldOf(toolCall, 'name')) ?? ''
  return {
    type: 'function_call_result',
    name,
    callId: call,
    status: 'completed',
    output: { type: 'text', text },
  }
}

/** A call by which the model hands over. */
export type HandoffCall = { call: string; tool: string; reason?: string }

/** What the program declared of a handoff. */
export type DeclaredHandoff = { to: string; filter?: string }

/** The handoffs that the model asked for in one answer, in order. */
export function handoffCalls(output: readonly Json[], handoffs: readonly SerializedHandoff[]): HandoffCall[] {
  return output.flatMap((item) => {
    if (!isObject(item) || item.type !== 'function_call') return []
    const tool = textOf(item.name)
    if (tool === undefined || !handoffs.some(({ toolName }) => toolName === tool)) return []
    const reason = reasonIn(textOf(item.arguments))
    return { call: textOf(item.callId) ?? '', tool, ...(reason === undefined ? {} : { reason }) }
  })
}

/** What the model gave as arguments of the handoff: its reason, or all of them. */
function reasonIn(text: string | undefined): string | undefined {
  const args = text === undefined ? undefined : parsed(text)
  if (!isObject(args) || Object.keys(args).length === 0) return undefined
  return textOf(args.reason) ?? text
}

/** Words of assistant messages in an answer of the model. */
export function spokenIn(output: readonly Json[]): Json[] {
  return output.flatMap((item) =>
    isObject(item) && item.type === 'message' && item.role === 'assistant'
      ? [(item.content ?? '') as Json]
      : [],
  )
}

/** What the user said last in the input of a run. */
export function lastUserMessage(input: unknown): Json | undefined {
  if (typeof input === 'string') return input
  const last = listOf(input).findLast((item) => fieldOf(item, 'role') === 'user')
  return last === undefined ? undefined : storable(fieldOf(last, 'content'))
}
