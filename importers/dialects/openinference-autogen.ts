import { isObject } from '../../model/json.ts'
import { json, text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { kindOf, readOpenInference } from '../readers/openinference.ts'
import type { Reading } from '../reading.ts'
import type { SpanNode } from '../span-tree.ts'

/** AutoGen AgentChat and AG2 through OpenInference: both state who spoke to whom. */
export const openInferenceAutoGen: Dialect = {
  id: 'openinference-autogen',
  framework: 'autogen',
  coverage: [
    {
      source: 'AutoGen AgentChat through OpenInference',
      version: 'openinference-instrumentation-autogen-agentchat',
      seen: 'SRC',
      evidence: 'explicit',
      from: '`graph.node.parent_id`: the source of the last message (`start` for the user)',
      to: '`graph.node.id` of `….on_messages_stream`',
      payload: "the receiver's first LLM span; `input.value` of the agent is not believed",
      ids: '`tool_call.id`',
      hidden: 'whether a turn in a group chat was asked for by the agent before or by the manager',
    },
    {
      source: 'AG2 through OpenInference',
      version: 'openinference-instrumentation-ag2',
      seen: 'SRC',
      evidence: 'explicit',
      from: '`agent.name` of `….initiate_chat`; `ag2.sender.name` of `….generate_reply`',
      to: '`ag2.recipient.name`; `agent.name` of `….generate_reply`',
      payload: "the receiver's first LLM span",
      ids: '`tool_call.id`',
      hidden: 'the end of a chat: who goes on after it',
    },
  ],
  recognises: ({ span }) => /openinference.*(autogen|ag2)/i.test(span.scope.name),
  read(node) {
    const reading = readOpenInference(node)
    if (kindOf(node) !== 'AGENT') return reading
    return /ag2/i.test(node.span.scope.name) ||
      text(node.span, 'ag2.recipient.name', 'ag2.sender.name') !== undefined
      ? { ...reading, ...chat(node) }
      : { ...reading, ...turn(node, reading) }
  },
}

function turn({ span }: SpanNode, reading: Reading): Reading {
  const from = text(span, 'graph.node.parent_id')
  const name =
    text(span, 'graph.node.id', 'agent.name') ?? reading.agent!.name.replace(/\.on_messages(_stream)?$/, '')
  const isAgent = from !== undefined && from !== 'start' && from !== 'user'
  return { agent: { name, ...(isAgent ? { handedBy: { from, evidence: 'explicit' } } : {}) } }
}

/** `a.initiate_chat` gives the task to another agent and waits; `b.generate_reply` is that agent at work. */
function chat({ span }: SpanNode): Reading {
  const name = text(span, 'agent.name') ?? span.name.split('.')[0]!
  const to = text(span, 'ag2.recipient.name')
  if (/\.initiate_chats?$/.test(span.name) && to !== undefined) {
    const input = json(span, 'input.value')
    const brief = isObject(input) ? input.message : input
    const result = json(span, 'output.value')
    return {
      agent: { name },
      handoffs: [
        {
          evidence: 'explicit',
          mode: 'delegate',
          from: name,
          to,
          ...(brief === undefined ? {} : { brief }),
          ...(result === undefined ? {} : { result }),
        },
      ],
    }
  }
  const from = text(span, 'ag2.sender.name')
  return { agent: { name, ...(from === undefined ? {} : { handedBy: { from, evidence: 'explicit' } }) } }
}
