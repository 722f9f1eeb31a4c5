import type { Rewritten } from './item-rewritten.ts'
import { textOfValue } from './item-text.ts'
import { isObject, listOf, textOf } from './json.ts'

/** Kits that keep what an agent did as a memory of steps. */

type Fields = Record<string, unknown>

/**
 * Letta: `message_type` says what an entry is. Words have their role from it; calls, answers, thoughts and questions for a
 * yes are read here. Its client for TypeScript writes the fields in camel case.
 */
export function ofLetta(raw: Fields, word: string): Rewritten[] | undefined {
  switch (word) {
    case 'reasoning_message':
    case 'hidden_reasoning_message':
      return [{ item: { role: 'assistant', content: [lettaThought(raw)] } }]
    case 'tool_call_message':
      return lettaCalls(raw)
    case 'approval_request_message':
      // The call stands nowhere else.
      return lettaCalls(raw).flatMap((call, index) => [
        ...(index === 0 ? [{ item: { ...call.item, type: 'approval', approval: raw.id } }] : []),
        call,
      ])
    case 'approval_response_message':
      return lettaDecisions(raw)
    case 'tool_return_message':
      return lettaReturns(raw)
    default:
      return undefined
  }
}

function lettaThought({ reasoning, hidden_reasoning, hiddenReasoning }: Fields): Fields {
  return { type: 'thinking', thinking: reasoning ?? hidden_reasoning ?? hiddenReasoning ?? '' }
}

/** Several calls are listed; the first of them stands beside as well, for older clients. */
function lettaCalls(raw: Fields): Rewritten[] {
  const field = Array.isArray(raw.toolCalls) ? 'toolCalls' : 'tool_calls'
  const all = listOf(raw[field])
  const single = isObject(raw.tool_call) ? 'tool_call' : 'toolCall'
  if (all.length === 0) return isObject(raw[single]) ? [{ item: lettaCall(raw[single]), at: single }] : []
  return all.flatMap((call, index) =>
    isObject(call) ? { item: lettaCall(call), at: `${field}[${index}]` } : [],
  )
}

function lettaCall(call: Fields): Fields {
  const id = call.tool_call_id ?? call.toolCallId
  return { type: 'tool_call', call: id, tool: call.name, args: call.arguments }
}

/** The yes or no to each call; what a client did itself is an answer. */
function lettaDecisions(raw: Fields): Rewritten[] {
  const all = listOf(raw.approvals).filter(isObject)
  if (all.length === 0) return [{ item: lettaDecision(raw) }]
  return all.map((one, index) => ({
    item: one.type === 'tool' ? lettaReturn(one) : lettaDecision({ ...raw, ...one }),
    at: `approvals[${index}]`,
  }))
}

function lettaDecision(raw: Fields): Fields {
  const { id: _, ...decision } = raw
  return { ...decision, type: 'tool-approval-response', toolCallId: raw.tool_call_id ?? raw.toolCallId }
}

function lettaReturns(raw: Fields): Rewritten[] {
  const field = Array.isArray(raw.toolReturns) ? 'toolReturns' : 'tool_returns'
  const all = listOf(raw[field]).filter(isObject)
  if (all.length === 0) return [{ item: lettaReturn(raw) }]
  return all.map((one, index) => ({
    item: lettaReturn({ name: raw.name, ...one }),
    at: `${field}[${index}]`,
  }))
}

function lettaReturn(raw: Fields): Fields {
  const call = raw.tool_call_id ?? raw.toolCallId
  return { type: 'tool_result', call, tool: raw.name, content: raw.tool_return ?? raw.toolReturn }
}

/** smolagents: the steps of its memory, as `step.dict()` writes them. */
export function ofSmolagents(raw: Fields): Rewritten[] | undefined {
  if (typeof raw.task === 'string' && 'task_images' in raw) return [said('user', raw.task, 'task')]
  if (typeof raw.system_prompt === 'string') return [said('system', raw.system_prompt, 'system_prompt')]
  if (typeof raw.plan === 'string' && 'model_output_message' in raw)
    return [said('assistant', raw.plan, 'plan')]
  return 'model_output' in raw && 'observations' in raw ? ofStep(raw) : undefined
}

function ofStep(raw: Fields): Rewritten[] {
  const words = textOfValue(raw.model_output)
  const calls = listOf(raw.tool_calls).filter(isObject)
  const answer = stepAnswer(raw)
  return [
    ...(words === '' ? [] : [said('assistant', words, 'model_output')]),
    ...calls.map((call, index) => ({ item: stepCall(call), at: `tool_calls[${index}]` })),
    ...(answer === '' ? [] : answers(calls, answer)),
  ]
}

/** What a step came to is one text for all its calls, so that each of them has this answer. */
function answers(calls: readonly Fields[], content: string): Rewritten[] {
  if (calls.length === 0) return [said('tool', content, 'observations')]
  return calls.map(({ id }, index) => ({
    item: { type: 'tool_result', call: id, content },
    at: index === 0 ? 'observations' : `observations[${index}]`,
  }))
}

function stepCall({ id, function: called }: Fields): Fields {
  const { name, arguments: args } = isObject(called) ? called : {}
  return { type: 'tool_call', call: id, tool: name, args }
}

function stepAnswer({ observations, error, action_output }: Fields): string {
  const failure = isObject(error) ? textOf(error.message) : textOf(error)
  const told = [textOf(observations), failure].filter((text) => text !== undefined).join('\n')
  return told === '' ? textOfValue(action_output) : told
}

function said(role: string, content: string, at: string): Rewritten {
  return { item: { role, content }, at }
}
