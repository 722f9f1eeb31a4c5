import { isObject, textOf } from '../../model/json.ts'
import { hasPrefix, json, text } from '../attributes.ts'
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
      payload: "`mastra.model_step.input` of the receiver's first step; not `mastra.agent_run.input`",
      ids: 'none on the tool span: the call is found in the answer',
      hidden: '`gen_ai.output.messages` drops tool calls',
    },
  ],
  recognises: ({ span }) => /mastra/i.test(span.scope.name) || hasPrefix(span, 'mastra.'),
  read(node) {
    const { span } = node
    const input = json(span, 'mastra.model_step.input')
    if (input !== undefined) return { model: step(node, input) }
    switch (operationOf(node)) {
      case 'chat':
        // The generation around the steps; without steps under it, it is all there is.
        return node.children.some(isStep) ? {} : { model: genAIModel(node) }
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

function step(node: SpanNode, input: unknown): NonNullable<Reading['model']> {
  const around = nearest(node.parent, (above) => operationOf(above) === 'chat')
  const outer = around === undefined ? {} : genAIModel(around)
  const own = genAIModel(node)
  const request = requestOfBody(input)
  const output = json(node.span, 'mastra.model_step.output')
  const answer = answerOfStep(output) ?? own.answer
  const agent = text(node.span, 'gen_ai.agent.name')
  return {
    ...(own.model === undefined && outer.model === undefined ? {} : { model: own.model ?? outer.model! }),
    ...(own.tools === undefined && outer.tools === undefined ? {} : { tools: own.tools ?? outer.tools! }),
    ...(request ?? {}),
    ...(answer === undefined ? {} : { answer }),
    ...(agent === undefined ? {} : { agent }),
  }
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
  const read = genAITool(node)
  const args = read.args ?? json(node.span, 'mastra.tool_call.input')
  const result = read.result ?? json(node.span, 'mastra.tool_call.output')
  return { ...read, ...(args === undefined ? {} : { args }), ...(result === undefined ? {} : { result }) }
}
