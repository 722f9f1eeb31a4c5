import { isObject, textOf } from '../../model/json.ts'
import { defined, hasPrefix, json, outcomeOf, text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { requestOfBody } from '../messages.ts'
import { callIdOf } from '../readers/genai.ts'
import { answerOfBody, kindOf } from '../readers/openinference.ts'
import type { ModelReading, Reading, ToolReading } from '../reading.ts'
import type { SpanNode } from '../span-tree.ts'

/** Google's Agent Development Kit, its own spans and OpenInference's around them, which keep the same attributes. */
export const googleADK: Dialect = {
  id: 'google-adk',
  framework: 'google-adk',
  coverage: [
    {
      source: 'Google ADK (JavaScript)',
      version: '@google/adk 2.0.0',
      seen: 'RUN',
      evidence: 'tool_argument',
      from: 'the enclosing `invoke_agent`',
      to: '`agentName` in `gcp.vertex.agent.tool_call_args` of `transfer_to_agent`',
      payload: "`gcp.vertex.agent.llm_request` of the receiver's first `call_llm`",
      ids: '`gen_ai.tool.call.id`, unless it is `<not specified>`',
      hidden: "earlier turns reach the receiver as the user's words (`For context: …`) without ids",
    },
    {
      source: 'Google ADK (Python)',
      version: 'source, 1.x',
      seen: 'SRC',
      evidence: 'tool_argument',
      from: 'the enclosing `invoke_agent` or `agent_run [name]`',
      to: '`agent_name` in the arguments',
      payload: 'as above',
      ids: 'as above',
      hidden: 'as above',
    },
    {
      source: 'Google ADK through OpenInference',
      version: 'openinference-instrumentation-google-adk',
      seen: 'SRC',
      evidence: 'tool_argument',
      from: '`agent.name` of the enclosing AGENT span',
      to: 'the arguments of the tool',
      payload: 'as above: the attributes `gcp.vertex.agent.*` are kept',
      ids: 'as above',
      hidden: 'as above',
    },
  ],
  recognises: ({ span }) =>
    span.scope.name === 'gcp.vertex.agent' ||
    hasPrefix(span, 'gcp.vertex.agent.') ||
    /openinference.*google[-_.]adk/i.test(span.scope.name),
  read(node) {
    const { span } = node
    const conversation = text(span, 'gen_ai.conversation.id', 'gcp.vertex.agent.session_id', 'session.id')
    const said = conversation === undefined ? {} : { conversation }
    const agent = agentName(node)
    if (agent !== undefined) return { agent: { name: agent }, ...said }
    if (/^call_llm\b/.test(span.name) || kindOf(node) === 'LLM') return { model: model(node), ...said }
    if (/^execute_tool\b/.test(span.name) || kindOf(node) === 'TOOL') return { ...tool(node), ...said }
    return said
  },
}

function agentName(node: SpanNode): string | undefined {
  const { span } = node
  const older = /^agent_run \[(.+)\]$/.exec(span.name)?.[1]
  if (older !== undefined) return older
  if (!/^invoke_agent\b/.test(span.name) && kindOf(node) !== 'AGENT') return undefined
  return text(span, 'gen_ai.agent.name', 'agent.name') ?? /^invoke_agent (.+)$/.exec(span.name)?.[1]
}

function model({ span }: SpanNode): ModelReading {
  const request = requestOfBody(json(span, 'gcp.vertex.agent.llm_request', 'input.value'))
  return defined({
    agent: text(span, 'gen_ai.agent.name'),
    items: request?.items,
    instructions: request?.instructions,
    tools: request?.tools,
    answer: answerOfBody(json(span, 'gcp.vertex.agent.llm_response', 'output.value')),
    model: text(span, 'gen_ai.request.model', 'llm.model_name'),
  })
}

function tool({ span }: SpanNode): Reading {
  const args = json(span, 'gcp.vertex.agent.tool_call_args', 'input.value', 'gen_ai.tool.call.arguments')
  const read: ToolReading = {
    name: text(span, 'gen_ai.tool.name', 'tool.name') ?? span.name.replace(/^execute_tool /, ''),
    ...defined({
      call: callIdOf(text(span, 'gen_ai.tool.call.id', 'tool_call.id', 'tool.id')),
      args,
      result: json(span, 'gcp.vertex.agent.tool_response', 'output.value', 'gen_ai.tool.call.result'),
    }),
    ...outcomeOf(span),
  }
  if (read.name !== 'transfer_to_agent') return { tool: read }
  const to = isObject(args) ? (textOf(args.agentName) ?? textOf(args.agent_name)) : undefined
  if (to === undefined) {
    return { tool: read, notes: ['a transfer names no target in its arguments: it is kept as a call'] }
  }
  return {
    tool: read,
    handoffs: [
      {
        evidence: 'tool_argument',
        mode: 'transfer',
        to,
        tool: read.name,
        ...(read.call === undefined ? {} : { call: read.call }),
        ...(read.error === undefined ? {} : { failed: read.error }),
      },
    ],
  }
}
