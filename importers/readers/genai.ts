import { textOfContent } from '../../model/items.ts'
import { isObject, listOf } from '../../model/json.ts'
import { defined, eventAttributes, json, jsonList, outcomeOf, spread, text, unpacked } from '../attributes.ts'
import { requestOfItems, toolsOf } from '../messages.ts'
import type { AgentReading, HandoffReading, ModelReading, Reading, ToolReading } from '../reading.ts'
import type { SpanNode } from '../span-tree.ts'

/*
 * The GenAI conventions of OpenTelemetry. `gen_ai.operation.name` says what a span is; content stands in attributes as
 * JSON, in the event of the inference, in one event a message (the older form), or spread over keys (older OpenLLMetry).
 * The conventions have no word for a handoff; what is proposed is read where it is set.
 */

/** The event that holds the content of a request where the span does not. */
const DETAILS = 'gen_ai.client.inference.operation.details'

export function operationOf({ span }: SpanNode): string | undefined {
  return text(span, 'gen_ai.operation.name')
}

/** Reads a span that keeps to the conventions. */
export function readGenAI(node: SpanNode): Reading {
  const { span } = node
  const conversation = text(span, 'gen_ai.conversation.id')
  const reading = readByOperation(node)
  return { ...reading, ...(conversation === undefined ? {} : { conversation }) }
}

function readByOperation(node: SpanNode): Reading {
  const stated = statedHandoff(node)
  switch (operationOf(node)) {
    case 'invoke_agent': {
      const agent = genAIAgent(node)
      return agent === undefined ? {} : { agent }
    }
    case 'chat':
    case 'generate_content':
    case 'text_completion':
    case 'response':
      return { model: genAIModel(node) }
    case 'execute_tool':
      return { tool: genAITool(node), ...(stated === undefined ? {} : { handoffs: [stated] }) }
    default:
      return stated === undefined ? {} : { handoffs: [stated] }
  }
}

export function genAIAgent({ span }: SpanNode): AgentReading | undefined {
  const name =
    text(span, 'gen_ai.agent.name', 'gen_ai.agent.id') ?? /^invoke_agent (.+)$/.exec(span.name)?.[1]
  if (name === undefined) return undefined
  // On the client of a remote agent the proposal names who asks.
  const from = text(span, 'gen_ai.caller.type') === 'workflow' ? undefined : text(span, 'gen_ai.caller.name')
  return { name, ...(from === undefined ? {} : { handedBy: { from, evidence: 'explicit' } }) }
}

/** Ids that an SDK writes where the provider gave none. */
export function callIdOf(id: string | undefined): string | undefined {
  return id === undefined || /^<.*>$/.test(id) ? undefined : id
}

export function genAITool({ span }: SpanNode): ToolReading {
  return {
    name: text(span, 'gen_ai.tool.name') ?? /^execute_tool (\S+)/.exec(span.name)?.[1] ?? span.name,
    ...defined({
      call: callIdOf(text(span, 'gen_ai.tool.call.id')),
      args: json(span, 'gen_ai.tool.call.arguments', 'gen_ai.tool.arguments'),
      result: json(span, 'gen_ai.tool.call.result', 'gen_ai.tool.result'),
    }),
    ...outcomeOf(span),
  }
}

/** The two open proposals (source and target of a transfer), and the attributes that instrumentations set already. */
function statedHandoff({ span }: SpanNode): HandoffReading | undefined {
  const operation = text(span, 'gen_ai.operation.name')
  const to = text(
    span,
    'gen_ai.transfer.target.name',
    'gen_ai.agent.handoff.target.name',
    'gen_ai.handoff.to_agent',
    'microsoft.a365.transfer.target.name',
  )
  if (to === undefined && operation !== 'agent_handoff' && operation !== 'handoff') return undefined
  const from = text(
    span,
    'gen_ai.agent.handoff.source.name',
    'gen_ai.handoff.from_agent',
    'gen_ai.agent.name',
  )
  const mode = text(span, 'gen_ai.transfer.mode', 'microsoft.a365.transfer.mode')
  const args = json(span, 'gen_ai.tool.call.arguments')
  const result = json(span, 'gen_ai.tool.call.result')
  const failed = outcomeOf(span).error
  return {
    evidence: to === undefined ? 'next_span' : 'explicit',
    mode: mode === 'return_to_caller' ? 'delegate' : 'transfer',
    ...defined({
      from,
      to,
      call: callIdOf(text(span, 'gen_ai.tool.call.id')),
      tool: text(span, 'gen_ai.tool.name'),
    }),
    ...(args === undefined || mode !== 'return_to_caller' ? {} : { brief: args }),
    ...(result === undefined || mode !== 'return_to_caller' ? {} : { result }),
    ...(failed === undefined ? {} : { failed }),
  }
}

export function genAIModel({ span }: SpanNode): ModelReading {
  const details = eventAttributes(span, DETAILS) ?? {}
  const from = (name: string) => json(span, name) ?? unpacked(details[name])
  const input = listFrom(from('gen_ai.input.messages')) ?? olderInput(span)
  const output = listFrom(from('gen_ai.output.messages')) ?? olderOutput(span)
  const told = from('gen_ai.system_instructions')
  const instructions = told === undefined ? undefined : textOfContent(told)
  const tools = toolsOf(from('gen_ai.tool.definitions'))
  const request =
    input === undefined
      ? undefined
      : requestOfItems(input, instructions === undefined ? {} : { instructions })
  return defined({
    items: request?.items,
    instructions: request?.instructions ?? instructions,
    tools,
    answer: output,
    agent: text(span, 'gen_ai.agent.name'),
    model: text(span, 'gen_ai.response.model', 'gen_ai.request.model'),
    response: text(span, 'gen_ai.response.id'),
  })
}

function listFrom(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value.map(unpacked) : undefined
}

const MESSAGE_EVENTS: Record<string, string> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
}

/** One span event a message, or keys with an index. */
function olderInput(span: SpanNode['span']): unknown[] | undefined {
  const events = span.events.flatMap(({ name, attributes }) => {
    const role = MESSAGE_EVENTS[name]
    return role === undefined ? [] : [messageOfEvent(role, attributes)]
  })
  if (events.length > 0) return events
  const prompts = jsonList(span, 'gen_ai.prompt') ?? spread(span, 'gen_ai.prompt')
  return prompts?.map(flattened)
}

function olderOutput(span: SpanNode['span']): unknown[] | undefined {
  const choices = span.events.filter(({ name }) => name === 'gen_ai.choice')
  if (choices.length > 0) return choices.map(({ attributes }) => messageOfEvent('assistant', attributes))
  const completions = jsonList(span, 'gen_ai.completion') ?? spread(span, 'gen_ai.completion')
  return completions?.map((each) => ({
    role: 'assistant',
    ...(isObject(each) ? (flattened(each) as object) : { content: each }),
  }))
}

/** The content of a message event: text, parts, or a whole message of its own. */
export function messageOfEvent(role: string, attributes: Record<string, unknown>): unknown {
  const content = unpacked(attributes.content ?? attributes.message)
  if (isObject(content) && typeof content.role === 'string') return content
  const id = attributes.id
  const calls = unpacked(attributes.tool_calls)
  return defined({
    role: typeof attributes.role === 'string' ? attributes.role : role,
    content,
    tool_call_id: role === 'tool' && typeof id === 'string' ? id : undefined,
    tool_calls: Array.isArray(calls) ? calls : undefined,
  })
}

/** OpenLLMetry before 0.50 spreads `tool_calls.0.name` and leaves the rest of the chat form as it is. */
function flattened(message: unknown): unknown {
  if (!isObject(message)) return message
  const calls = listOf(message.tool_calls).flatMap((call) =>
    isObject(call)
      ? [{ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }]
      : [],
  )
  return calls.length === 0 ? message : { ...message, tool_calls: calls }
}
