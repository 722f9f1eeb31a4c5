import { isObject, textOf } from '../../model/json.ts'
import { eventAttributes, text, unpacked } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { requestOfItems } from '../messages.ts'
import { callIdOf, genAITool, messageOfEvent, operationOf, readGenAI } from '../readers/genai.ts'
import type { Reading } from '../reading.ts'
import { everyNode, type SpanNode } from '../span-tree.ts'

/** Strands Agents. A node of a swarm hands over by a structured output that names an agent; without a name it is the answer. */
export const strands: Dialect = {
  id: 'strands',
  framework: 'strands',
  coverage: [
    {
      source: 'Strands Agents swarm (JavaScript)',
      version: '@strands-agents/sdk 1.19.0',
      seen: 'RUN',
      evidence: 'tool_argument',
      from: 'the enclosing `invoke_agent` or `node`',
      to: '`agentId` in the input of `strands_structured_output`',
      payload:
        "events of the receiver's first `chat`; else the event `gen_ai.user.message` of its `invoke_agent`",
      ids: '`gen_ai.tool.call.id`',
      hidden: 'what stands only in the words of the user: the receiver gets what the sender wrote',
    },
    {
      source: 'Strands Agents swarm (Python)',
      version: 'source',
      seen: 'SRC',
      evidence: 'tool_argument',
      from: 'as above',
      to: '`agent_name` in the input of the tool `handoff_to_agent`',
      payload: 'as above',
      ids: 'as above',
      hidden: 'as above',
    },
  ],
  recognises: ({ span }) =>
    /strands/i.test(span.scope.name) || text(span, 'gen_ai.system') === 'strands-agents',
  read(node) {
    const reading = readGenAI(node)
    if (reading.model?.answer !== undefined) reading.model.answer = reading.model.answer.map(asBlocks)
    if (operationOf(node) === 'execute_tool') return tool(node)
    if (reading.agent !== undefined) return agent(node, reading)
    return reading
  },
}

/** An answer has its calls as `{type: 'toolUse', …}`; in the requests, and before the model, they are `{toolUse: {…}}`. */
function asBlocks(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message
  const content = message.content.map((block) => {
    if (!isObject(block) || block.type !== 'toolUse') return block
    const { type: _, ...toolUse } = block
    return { toolUse }
  })
  return { ...message, content }
}

/** The swarm or graph as a whole is no agent. */
function agent(node: SpanNode, reading: Reading): Reading {
  if (/^invoke_(swarm|graph)\b/.test(node.span.name)) return {}
  if (hasRequests(node)) return reading
  // Without spans of requests the message that opened the run is what is known of the payload.
  const opened = eventAttributes(node.span, 'gen_ai.user.message')
  if (opened === undefined) return reading
  return { ...reading, model: requestOfItems([messageOfEvent('user', opened)]) }
}

function hasRequests(node: SpanNode): boolean {
  return everyNode(node, false).some((at) => operationOf(at) === 'chat')
}

const HANDS_OVER = new Set(['strands_structured_output', 'handoff_to_agent'])

function tool(node: SpanNode): Reading {
  const { span } = node
  const input = eventAttributes(span, 'gen_ai.tool.message')
  const output = eventAttributes(span, 'gen_ai.choice')
  const read = genAITool(node)
  const args = read.args ?? inputOf(input?.content)
  const result = read.result ?? unpacked(output?.message ?? output?.content)
  const call = read.call ?? callIdOf(textOf(input?.id))
  const own = {
    ...read,
    ...(args === undefined ? {} : { args }),
    ...(result === undefined ? {} : { result }),
    ...(call === undefined ? {} : { call }),
  }
  const to = HANDS_OVER.has(read.name) && isObject(args) ? targetOf(args) : undefined
  // Without a target it is the answer: a call of the framework, with no effect outside.
  if (to === undefined) return { tool: HANDS_OVER.has(read.name) ? { ...own, effect: 'read' } : own }
  const { message, context } = args as Record<string, unknown>
  const brief = {
    ...(message === undefined ? {} : { message }),
    ...(context === undefined ? {} : { context }),
  }
  return {
    tool: own,
    handoffs: [
      {
        evidence: 'tool_argument',
        mode: 'transfer',
        to,
        tool: read.name,
        ...(Object.keys(brief).length === 0 ? {} : { brief }),
        ...(call === undefined ? {} : { call }),
        ...(read.error === undefined ? {} : { failed: read.error }),
      },
    ],
  }
}

function inputOf(content: unknown): unknown {
  const value = unpacked(content)
  // Some forms wrap the input into a tool use block.
  const block = Array.isArray(value) ? value[0] : value
  return isObject(block) && isObject(block.toolUse) ? block.toolUse.input : value
}

function targetOf(args: Record<string, unknown>): string | undefined {
  return textOf(args.agentId) ?? textOf(args.agent_name) ?? textOf(args.agent_id)
}
