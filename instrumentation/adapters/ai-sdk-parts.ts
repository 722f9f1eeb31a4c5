import { isObject, type Json, type JsonObject, listOf, textOf } from '../../model/json.ts'
import { fieldOf, storable } from '../storable.ts'
import type { ToolCall } from './shared-options.ts'

/** What a model is asked in one step. */
export type Request = {
  model: string
  instructions: unknown
  items: Json[]
  tools: unknown[] | undefined
}

/** The request of a step. Version 7 gives the prompt as the model gets it; version 6 gives the messages it is made of. */
export function requestOf(event: unknown): Request {
  const prompt = fieldOf(event, 'promptMessages')
  const instructions = storable(fieldOf(event, 'instructions') ?? fieldOf(event, 'system'))
  return {
    model: textOf(fieldOf(event, 'modelId')) ?? textOf(fieldOf(fieldOf(event, 'model'), 'modelId')) ?? '',
    instructions,
    items: listOf(storable(prompt ?? fieldOf(event, 'messages'))) as Json[],
    tools: toolsOf(event),
  }
}

/** Definitions where the event has them as the model gets them; else the names of those that are active. */
function toolsOf(event: unknown): unknown[] | undefined {
  const given = fieldOf(event, 'stepTools')
  if (Array.isArray(given)) return given
  const tools = fieldOf(event, 'tools')
  if (!isObject(tools)) return undefined
  const active = fieldOf(event, 'activeTools')
  return Object.keys(tools).filter((name) => !Array.isArray(active) || active.includes(name))
}

/** A call of the SDK. */
export function toolCallOf(toolCall: unknown, agent: string): ToolCall {
  return {
    name: textOf(fieldOf(toolCall, 'toolName')) ?? 'unnamed',
    args: fieldOf(toolCall, 'input'),
    call: textOf(fieldOf(toolCall, 'toolCallId')),
    agent,
  }
}

/** What a step left in the conversation: the answer of the model, and the results of its calls. */
export function stepItems(content: readonly unknown[]): Json[] {
  const parts = listOf(storable(content)) as Json[]
  const isResult = (part: Json) => isObject(part) && /^tool-(result|error)$/.test(String(part.type))
  const answer = parts.filter((part) => !isResult(part))
  const results = parts.filter(isResult)
  return [
    ...(answer.length === 0 ? [] : [{ role: 'assistant', content: answer } as JsonObject]),
    ...(results.length === 0 ? [] : [{ role: 'tool', content: results } as JsonObject]),
  ]
}

/** The words of an answer. */
export function wordsOf(content: readonly unknown[]): string {
  return content
    .map((part) => (fieldOf(part, 'type') === 'text' ? (textOf(fieldOf(part, 'text')) ?? '') : ''))
    .join('')
}

/** What the user said last: the prompt, or the last message of the user. */
export function userMessage(event: unknown): Json | undefined {
  const prompt = fieldOf(event, 'prompt')
  if (typeof prompt === 'string') return prompt
  const messages = Array.isArray(prompt) ? prompt : listOf(fieldOf(event, 'messages'))
  const last = messages.findLast((message) => fieldOf(message, 'role') === 'user')
  return last === undefined ? undefined : storable(fieldOf(last, 'content'))
}

/** The decisions of a person that a list of messages brings back. */
export function decisionsIn(event: unknown): { approval: string; approved: boolean }[] {
  const prompt = fieldOf(event, 'prompt')
  const messages = Array.isArray(prompt) ? prompt : listOf(fieldOf(event, 'messages'))
  return messages.flatMap((message) =>
    listOf(fieldOf(message, 'content')).flatMap((part) => {
      const approval = textOf(fieldOf(part, 'approvalId'))
      const approved = fieldOf(part, 'approved')
      return approval === undefined || typeof approved !== 'boolean' ? [] : [{ approval, approved }]
    }),
  )
}

/** Who is meant by a tool that hands over: `transfer_to_refunds`, or what its arguments say. */
export function targetOf({ name, args }: ToolCall): string {
  const said = textOf(fieldOf(args, 'agent')) ?? textOf(fieldOf(args, 'to'))
  const words = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2').replace(HANDING_OVER, '')
  return said ?? (words === '' ? name : words)
}

const HANDING_OVER = /^(transfer|hand_?off|hand_?over|delegate)(_?to)?_?/iu
