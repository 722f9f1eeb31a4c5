import { isObject, listOf } from '../../model/json.ts'
import { defined, hasPrefix, json, outcomeOf, spread, text, unpacked } from '../attributes.ts'
import { requestOfBody, requestOfItems, toolsOf, unwrapMessages } from '../messages.ts'
import type { AgentReading, ModelReading, Reading, ToolReading } from '../reading.ts'
import type { SpanNode } from '../span-tree.ts'

/*
 * OpenInference: `openinference.span.kind` says what a span is. Content stands in `input.value` as the framework has it,
 * and once more as chat messages spread over keys; the first is verbatim, so it is preferred where it can be read.
 */

export function kindOf({ span }: SpanNode): string | undefined {
  return text(span, 'openinference.span.kind')?.toUpperCase()
}

/** Reads a span of any OpenInference instrumentation. Handoffs are what its own dialect adds. */
export function readOpenInference(node: SpanNode): Reading {
  const conversation = text(node.span, 'session.id')
  return { ...readByKind(node), ...(conversation === undefined ? {} : { conversation }) }
}

function readByKind(node: SpanNode): Reading {
  switch (kindOf(node)) {
    case 'AGENT':
      return { agent: openInferenceAgent(node) }
    case 'LLM':
      return { model: openInferenceModel(node) }
    case 'TOOL':
      return { tool: openInferenceTool(node) }
    default:
      return {}
  }
}

export function openInferenceAgent({ span }: SpanNode): AgentReading {
  return { name: text(span, 'agent.name', 'graph.node.name', 'graph.node.id') ?? span.name }
}

export function openInferenceTool({ span }: SpanNode): ToolReading {
  return {
    name: text(span, 'tool.name') ?? span.name,
    ...defined({
      call: text(span, 'tool_call.id', 'tool.id', 'tool_call_id'),
      args: json(span, 'input.value', 'tool.parameters', 'tool_call.function.arguments'),
      result: json(span, 'output.value'),
    }),
    ...outcomeOf(span),
  }
}

export function openInferenceModel({ span }: SpanNode): ModelReading {
  const messages = spread(span, 'llm.input_messages')
  const chat = messages === undefined ? undefined : requestOfItems(unwrapMessages(messages))
  const body = requestOfBody(span.attributes['input.value'])
  // Spread over keys, a list that lost attributes has holes that nobody sees; as one value it is whole or not there.
  const whole = (span.dropped ?? 0) === 0 ? chat : undefined
  const output = unpacked(span.attributes['output.value'])
  return defined({
    items: body?.items ?? whole?.items,
    instructions: body?.instructions ?? chat?.instructions,
    tools: toolDefinitions(span) ?? body?.tools,
    answer: answerOfBody(output) ?? answerOfMessages(span),
    model: text(span, 'llm.model_name'),
    response: isObject(output) && typeof output.id === 'string' ? output.id : undefined,
  })
}

function toolDefinitions(span: SpanNode['span']): unknown[] | undefined {
  const tools = spread(span, 'llm.tools')
  if (tools === undefined) return hasPrefix(span, 'llm.') ? toolsOf(span.attributes['llm.tools']) : undefined
  return tools.map((entry) => {
    const tool = isObject(entry) ? entry.tool : undefined
    return isObject(tool) ? unpacked(tool.json_schema ?? tool) : entry
  })
}

function answerOfMessages(span: SpanNode['span']): unknown[] | undefined {
  const messages = spread(span, 'llm.output_messages')
  return messages === undefined ? undefined : unwrapMessages(messages)
}

/** The answer in the provider's or framework's own form: Responses, chat completions, LangChain, Gemini, Anthropic. */
export function answerOfBody(body: unknown): unknown[] | undefined {
  if (!isObject(body)) return undefined
  if (Array.isArray(body.output)) return body.output
  const choices = listOf(body.choices).flatMap((choice) =>
    isObject(choice) && isObject(choice.message) ? [choice.message] : [],
  )
  if (choices.length > 0) return choices
  const generations = listOf(body.generations).flat()
  const messages = generations.flatMap((each) =>
    isObject(each) && isObject(each.message) ? [each.message] : [],
  )
  if (messages.length > 0) return messages
  if (isObject(body.content) && Array.isArray(body.content.parts)) return [body.content]
  return typeof body.role === 'string' && body.content !== undefined ? [body] : undefined
}
