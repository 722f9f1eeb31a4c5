import { isObject, textOf } from '../../model/json.ts'
import { defined, hasPrefix, json, jsonList, outcomeOf, text, unpacked } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { requestOfItems, toolsOf } from '../messages.ts'
import type { ModelReading, Reading } from '../reading.ts'
import { nearest, type SpanNode } from '../span-tree.ts'

/** The AI SDK up to 6. It knows no agents: a call of the SDK inside of a tool is one that works for the caller. */
export const aiSDK6: Dialect = {
  id: 'ai-sdk-6',
  framework: 'ai-sdk',
  coverage: [
    {
      source: 'Vercel AI SDK 6',
      version: 'ai 6.0.326',
      seen: 'RUN',
      evidence: 'nesting',
      from: '`ai.telemetry.functionId` of the outer call, else its model',
      to: '`ai.telemetry.functionId` of the inner call, else `ai.toolCall.name`',
      payload: "`ai.prompt.messages` of the inner call's first `doGenerate` or `doStream`",
      ids: '`ai.toolCall.id`',
      hidden: 'agents that hand over without a tool: two calls of the SDK one after the other are no handoff',
    },
  ],
  recognises: ({ span }) => text(span, 'ai.operationId') !== undefined || hasPrefix(span, 'ai.toolCall.'),
  read(node) {
    const operation = text(node.span, 'ai.operationId') ?? node.span.name
    const session = text(node.span, 'ai.telemetry.metadata.sessionId', 'ai.telemetry.metadata.session_id')
    return { ...readOperation(node, operation), ...(session === undefined ? {} : { conversation: session }) }
  },
}

function readOperation(node: SpanNode, operation: string): Reading {
  if (/\.do(Generate|Stream)$/.test(operation)) return { model: model(node.span) }
  if (operation === 'ai.toolCall') return { tool: tool(node.span) }
  if (/^ai\.(generate|stream)(Text|Object)$/.test(operation)) return { agent: { name: agentName(node) } }
  return {}
}

function agentName(node: SpanNode): string {
  const own = text(node.span, 'ai.telemetry.functionId', 'ai.telemetry.metadata.agent')
  if (own !== undefined) return own
  const tool = nearest(node.parent, ({ span }) => text(span, 'ai.toolCall.name') !== undefined)
  return (tool && text(tool.span, 'ai.toolCall.name')) ?? text(node.span, 'ai.model.id') ?? node.span.name
}

function model(span: SpanNode['span']): ModelReading {
  const messages = jsonList(span, 'ai.prompt.messages')
  const request = messages === undefined ? undefined : requestOfItems(messages)
  return defined({
    items: request?.items,
    instructions: request?.instructions,
    tools: toolsOf(span.attributes['ai.prompt.tools']),
    answer: answer(span),
    model: text(span, 'ai.response.model', 'gen_ai.response.model', 'ai.model.id'),
    response: text(span, 'ai.response.id', 'gen_ai.response.id'),
  })
}

/** The answer as the message that the SDK puts before the model next. */
function answer(span: SpanNode['span']): unknown[] | undefined {
  const words = text(span, 'ai.response.text', 'ai.response.object')
  const calls = (jsonList(span, 'ai.response.toolCalls') ?? []).flatMap((call) =>
    isObject(call)
      ? [
          {
            type: 'tool-call',
            toolCallId: textOf(call.toolCallId),
            toolName: textOf(call.toolName),
            input: unpacked(call.input ?? call.args),
          },
        ]
      : [],
  )
  if (words === undefined && calls.length === 0) return undefined
  return [
    {
      role: 'assistant',
      content: [...(words === undefined ? [] : [{ type: 'text', text: words }]), ...calls],
    },
  ]
}

function tool(span: SpanNode['span']) {
  return {
    name: text(span, 'ai.toolCall.name') ?? span.name,
    ...defined({
      call: text(span, 'ai.toolCall.id'),
      args: json(span, 'ai.toolCall.args', 'ai.toolCall.input'),
      result: json(span, 'ai.toolCall.result', 'ai.toolCall.output'),
    }),
    ...outcomeOf(span),
  }
}
