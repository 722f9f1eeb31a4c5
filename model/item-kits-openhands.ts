import type { Rewritten } from './item-rewritten.ts'
import { joinTexts, textOfValue } from './item-text.ts'
import { idOf, isObject, listOf, textOf } from './json.ts'

/** OpenHands keeps events: what somebody said, what the agent did, what came of it. */

type Fields = Record<string, unknown>

/** The events of its SDK are told apart by `kind`, the older ones by `action` or `observation`. */
export function ofOpenHands(raw: Fields): Rewritten[] | undefined {
  if (typeof raw.source !== 'string' || raw.role !== undefined) return undefined
  if (typeof raw.kind === 'string') return ofEvent(raw, raw.kind)
  if (typeof raw.action === 'string' && isObject(raw.args)) return ofAction(raw, raw.action, raw.args)
  if (typeof raw.observation === 'string') return ofObservation(raw, raw.observation)
  return undefined
}

// Events that its kit keeps for itself.
const SILENT = new Set([
  ...['Condensation', 'CondensationRequest', 'PauseEvent', 'InterruptEvent', 'ConversationStateUpdateEvent'],
  ...['LLMCompletionLogEvent', 'TokenEvent', 'HookExecutionEvent', 'ConversationErrorEvent'],
])

function ofEvent(raw: Fields, kind: string): Rewritten[] | undefined {
  const answer = { type: 'tool_result', tool: raw.tool_name, call: raw.tool_call_id }
  switch (kind) {
    case 'MessageEvent': {
      const { content, ...message } = isObject(raw.llm_message) ? raw.llm_message : {}
      const parts = [...partsOf(content), ...partsOf(raw.extended_content)]
      const said = { ...message, id: raw.id, author: raw.sender, content: parts }
      return [...thoughtsOf(message), { item: said, at: 'llm_message' }]
    }
    case 'SystemPromptEvent': {
      const content = [raw.system_prompt, raw.dynamic_context].filter(isObject)
      return [{ item: { role: 'system', content } }]
    }
    case 'ActionEvent':
      return [...thoughtsOf(raw), { item: sdkCall(raw), at: 'tool_call' }]
    case 'ObservationEvent':
      return [{ item: { ...answer, content: sdkAnswer(raw) } }]
    case 'UserRejectObservation':
      return [{ item: { ...answer, content: `Action rejected: ${raw.rejection_reason}` } }]
    case 'AgentErrorEvent':
      return [{ item: { ...answer, content: raw.error } }]
    case 'CondensationSummaryEvent':
      return [{ item: { type: 'summary', role: 'user', content: raw.summary } }]
    default:
      return SILENT.has(kind) ? [{ item: { type: kind } }] : undefined
  }
}

/** An image is a list of addresses there. */
function partsOf(content: unknown): unknown[] {
  const parts = typeof content === 'string' ? [content] : listOf(content)
  return parts.flatMap((part) =>
    isObject(part) && Array.isArray(part.image_urls) ? part.image_urls.map(image) : [part],
  )
}

function image(url: unknown): Fields {
  return { type: 'image_url', image_url: { url } }
}

/** What the model thought, and what it said before it called. */
function thoughtsOf(raw: Fields): Rewritten[] {
  const blocks = listOf(raw.thinking_blocks).filter(isObject)
  const thinking =
    textOf(raw.reasoning_content) ?? joinTexts(blocks.map((block) => textOf(block.thinking) ?? ''))
  const said = listOf(raw.thought)
  return [
    ...(thinking === '' ? [] : [{ item: thought(thinking), at: 'reasoning_content' }]),
    ...(textOfValue(said) === '' ? [] : [{ item: { role: 'assistant', content: said }, at: 'thought' }]),
  ]
}

function thought(thinking: string): Fields {
  return { role: 'assistant', content: [{ type: 'thinking', thinking }] }
}

function sdkCall({ tool_name: tool, tool_call_id: call, tool_call, action }: Fields): Fields {
  const asked = isObject(tool_call) ? tool_call.arguments : undefined
  const { kind: _, ...done } = isObject(action) ? action : {}
  return { type: 'tool_call', tool, call, args: asked ?? done }
}

/** What a tool of its own observed may have no content: then all of it is the answer. */
function sdkAnswer({ observation, extended_content }: Fields): unknown {
  const { content, kind: _, is_error: _failed, ...rest } = isObject(observation) ? observation : {}
  const told = partsOf(content)
  return told.length === 0 && Object.keys(rest).length > 0 ? rest : [...told, ...partsOf(extended_content)]
}

// Steps of the program that no model gets.
const STEPS = new Set([
  ...['null', 'start', 'stop', 'pause', 'resume', 'change_agent_state', 'agent_state_changed', 'recall'],
  ...['condensation', 'condensation_request', 'loop_recovery', 'loop_detection', 'success'],
])

function ofAction(raw: Fields, action: string, args: Fields): Rewritten[] {
  const role = raw.source === 'user' ? 'user' : 'assistant'
  const { thought: before, ...given } = args
  const words = isObject(before) ? (textOf(before.text) ?? '') : (textOf(before) ?? '')
  if (action === 'message') {
    const images = listOf(args.image_urls).map(image)
    return [{ item: { role, content: images.length === 0 ? args.content : [args.content, ...images] } }]
  }
  if (action === 'system') return [{ item: { role: 'system', content: args.content } }]
  // What the agent says last is no call, though the model made it as one.
  if (action === 'finish') {
    return [{ item: { role, content: joinTexts([words, textOf(args.final_thought) ?? '']) } }]
  }
  if (STEPS.has(action)) return [{ item: { type: action } }]
  const { tool = action, call, asked } = calledAs(raw)
  const said = words === '' ? [] : [{ item: { role, content: words }, at: 'args.thought' }]
  return [...said, { item: { type: 'tool_call', tool, call: call ?? stepId(raw.id), args: asked ?? given } }]
}

function ofObservation(raw: Fields, observation: string): Rewritten[] {
  const { content, extras, cause } = raw
  if (observation === 'recall') return [{ item: { type: 'note', content: [content, extras] } }]
  if (observation === 'condense') return [{ item: { type: 'summary', role: 'user', content } }]
  if (STEPS.has(observation)) return [{ item: { type: observation } }]
  const { tool, call } = calledAs(raw)
  return [{ item: { type: 'tool_result', tool, call: call ?? stepId(cause), content } }]
}

/** The model's call behind a step; what the program did by itself has none. */
function calledAs({ tool_call_metadata: known }: Fields): {
  tool?: string | undefined
  call?: string | undefined
  asked?: unknown
} {
  if (!isObject(known)) return {}
  const call = textOf(known.tool_call_id)
  const response = isObject(known.model_response) ? listOf(known.model_response.choices)[0] : undefined
  const message = isObject(response) && isObject(response.message) ? response.message : {}
  const made = listOf(message.tool_calls).find((one) => isObject(one) && one.id === call)
  const asked = isObject(made) && isObject(made.function) ? made.function.arguments : undefined
  return { tool: textOf(known.function_name), call, asked }
}

/** Without a call an answer names the step that caused it. */
function stepId(id: unknown): string | undefined {
  const text = idOf(id)
  return text === undefined ? undefined : `step ${text}`
}
