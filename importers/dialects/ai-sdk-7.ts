import { text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { operationOf, readGenAI } from '../readers/genai.ts'
import { nearest } from '../span-tree.ts'

/** The AI SDK from 7 on, with @ai-sdk/otel. It keeps to the GenAI conventions and knows no agents: a call inside of a tool is one. */
export const aiSDK7: Dialect = {
  id: 'ai-sdk-7',
  framework: 'ai-sdk',
  coverage: [
    {
      source: 'Vercel AI SDK 7',
      version: 'ai 7.0.173 with @ai-sdk/otel 1.0.173',
      seen: 'RUN',
      evidence: 'nesting',
      from: '`gen_ai.agent.name` of the outer call (its `functionId`), else its model',
      to: '`gen_ai.agent.name` of the call inside of the tool, else the name of the tool',
      payload: "`gen_ai.input.messages` of the inner call's first request",
      ids: '`gen_ai.tool.call.id`',
      hidden: 'the span name holds the model and not the agent; without @ai-sdk/otel there are no spans',
    },
  ],
  recognises: ({ span }) => span.scope.name === 'gen_ai',
  read(node) {
    const reading = readGenAI(node)
    if (reading.agent === undefined || text(node.span, 'gen_ai.agent.name') !== undefined) return reading
    const tool = nearest(node.parent, (above) => operationOf(above) === 'execute_tool')
    const name = tool && text(tool.span, 'gen_ai.tool.name')
    return name === undefined ? reading : { ...reading, agent: { ...reading.agent, name } }
  },
}
