import { isObject, textOf } from '../../model/json.ts'
import { defined, hasPrefix, json, jsonList, text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { requestOfBody } from '../messages.ts'
import { genAIModel, genAITool, operationOf, readGenAI } from '../readers/genai.ts'
import type { Reading } from '../reading.ts'
import { nearest, type SpanNode } from '../span-tree.ts'

/** Mastra's exporter. What it records as the input of an agent is not what its model got: the input of the model step is. */
export const mastra: Dialect = {
  id: 'mastra',
  framework: 'mastra',
  coverage: [
    {
      source: 'Mastra',
      version: '@mastra/core 1.71.0, otel-exporter 1.4.0',
      seen: 'RUN',
      evidence: 'nesting',
      from: '`gen_ai.agent.name` of the outer `invoke_agent`',
      to: '`gen_ai.agent.name` of the `invoke_agent` under `execute_tool agent-…`',
      payload:
        "`mastra.model_generation.input` (else `mastra.model_step.input`) of the receiver's first step; not `mastra.agent_run.input`",
      ids: '`gen_ai.tool.call.id`',
      hidden: 'the requests after the first: calls and results stand there as their names only',
    },
  ],
  recognises: ({ span }) => /mastra/i.test(span.scope.name) || hasPrefix(span, 'mastra.'),
  read(node) {
    const { span } = node
    const input = json(span, 'mastra.model_step.input')
    if (input !== undefined) return step(node, input)
    switch (operationOf(node)) {
      case 'chat':
        // The same request once more, without what went into it.
        return nearest(node.parent, isStep, 3) === undefined ? { model: genAIModel(node) } : {}
      case 'execute_tool':
        return { tool: tool(node) }
      default:
        return readGenAI(node)
    }
  },
}

function isStep(node: SpanNode): boolean {
  return json(node.span, 'mastra.model_step.input') !== undefined
}

function step(node: SpanNode, input: unknown): Reading {
  const whole = node.parent && json(node.parent.span, 'mastra.model_generation.input')
  const first = Number(node.span.attributes['mastra.model_step.step_index'] ?? 0) === 0
  const request = requestOfBody(first ? (whole ?? input) : input)
  const shortened = request?.items?.some(isShortened) === true
  const agent = nearest(node.parent, (above) => operationOf(above) === 'invoke_agent')
  const answer = answerOfStep(json(node.span, 'mastra.model_step.output'))
  const metadata = json(node.span, 'mastra.metadata.modelMetadata')
  return {
    model: defined({
      agent: text(node.span, 'gen_ai.agent.name'),
      items: shortened ? undefined : request?.items,
      instructions: request?.instructions,
      tools: request?.tools ?? (agent && jsonList(agent.span, 'gen_ai.tool.definitions')),
      answer,
      model: isObject(metadata) ? textOf(metadata.modelId) : undefined,
    }),
    ...(shortened
      ? { notes: ['calls and results stand in the request as names only: its items are not taken'] }
      : {}),
  }
}

/** `[tool: look_up]` in the place of a call, `[tool-result: look_up]` in that of its result. */
function isShortened(item: unknown): boolean {
  return (
    isObject(item) && typeof item.content === 'string' && /^\[tool(-result)?: [^\]]+\]/.test(item.content)
  )
}

/** The output of a step: its words and its calls. */
function answerOfStep(output: unknown): unknown[] | undefined {
  if (!isObject(output)) return undefined
  const calls = (Array.isArray(output.toolCalls) ? output.toolCalls : []).flatMap((each) => {
    const call = isObject(each) && isObject(each.payload) ? each.payload : each
    return isObject(call)
      ? [
          {
            type: 'tool-call',
            toolCallId: textOf(call.toolCallId),
            toolName: textOf(call.toolName),
            input: call.args ?? call.input,
          },
        ]
      : []
  })
  const words = textOf(output.text)
  if (words === undefined && calls.length === 0) return undefined
  return [
    {
      role: 'assistant',
      content: [...(words === undefined ? [] : [{ type: 'text', text: words }]), ...calls],
    },
  ]
}

function tool(node: SpanNode): NonNullable<Reading['tool']> {
  const { result, ...read } = genAITool(node)
  // Of a sub-agent the model gets the words; the rest is for Mastra.
  const words = isObject(result) && 'subAgentThreadId' in result ? textOf(result.text) : undefined
  return { ...read, ...(result === undefined ? {} : { result: words ?? result }) }
}
