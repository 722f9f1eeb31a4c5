import { isObject, listOf, textOf } from '../../model/json.ts'
import { defined, outcomeOf, text, unpacked } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { requestOfItems } from '../messages.ts'
import type { Reading } from '../reading.ts'
import { nearest, type SpanNode } from '../span-tree.ts'

/** The scope under which `formats/openai-native.ts` puts the spans of OpenAI's own trace export. */
export const OPENAI_NATIVE_SCOPE = 'openai.agents.tracing'

/** OpenAI's own trace export. It states both ends of a handoff and holds no content. */
export const openAINative: Dialect = {
  id: 'openai-native',
  framework: 'openai-agents',
  coverage: [
    {
      source: "OpenAI Agents' own trace export",
      version: 'openai-agents 0.22 (Python)',
      seen: 'RUN',
      evidence: 'explicit',
      from: '`from_agent` of the span of type `handoff`',
      to: '`to_agent`; null if it failed',
      payload: 'none; joined with another instrumentation of the same run by `response_id`',
      ids: 'trace and span ids kept as `native`',
      hidden: 'content, call ids, tools of a request',
    },
  ],
  recognises: ({ span }) => span.scope.name === OPENAI_NATIVE_SCOPE,
  read(node) {
    const data = dataOf(node)
    switch (textOf(data.type)) {
      case 'agent':
        return agent(data)
      case 'handoff':
        return handoff(node, data)
      case 'function':
        return tool(node, data)
      case 'response':
      case 'generation':
        return model(node, data)
      default:
        return {}
    }
  },
}

function dataOf({ span }: SpanNode): Record<string, unknown> {
  const data = unpacked(span.attributes.span_data)
  return isObject(data) ? data : {}
}

function agent(data: Record<string, unknown>): Reading {
  const name = textOf(data.name)
  if (name === undefined) return {}
  const tools = listOf(data.tools).filter((tool): tool is string => typeof tool === 'string')
  return { agent: { name, ...(Array.isArray(data.tools) ? { tools } : {}) } }
}

function handoff(node: SpanNode, data: Record<string, unknown>): Reading {
  const from = textOf(data.from_agent)
  const to = textOf(data.to_agent)
  const native = text(node.span, 'native.id')
  const error = outcomeOf(node.span).error
  const failed = error ?? (to === undefined ? 'the export names no target: the handoff failed' : undefined)
  return {
    handoffs: [
      {
        evidence: 'explicit',
        mode: 'transfer',
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(failed === undefined ? {} : { failed }),
        ...(native === undefined ? {} : { native }),
      },
    ],
  }
}

function tool(node: SpanNode, data: Record<string, unknown>): Reading {
  const name = textOf(data.name) ?? 'function'
  const read = defined({
    args: unpacked(data.input ?? undefined),
    result: unpacked(data.output ?? undefined),
  })
  const agentName = turnOf(node)
  return {
    tool: {
      name,
      ...read,
      ...(agentName === undefined ? {} : { agent: agentName }),
      ...outcomeOf(node.span),
    },
  }
}

function model(node: SpanNode, data: Record<string, unknown>): Reading {
  const input = Array.isArray(data.input) ? requestOfItems(data.input) : undefined
  const agentName = turnOf(node)
  return {
    model: defined({
      agent: agentName,
      items: input?.items,
      instructions: input?.instructions,
      answer: Array.isArray(data.output) ? data.output : undefined,
      model: textOf(data.model),
      response: textOf(data.response_id) ?? text(node.span, 'response_id'),
    }),
  }
}

/** Python SDK 0.22 puts spans of type `custom` between: a task named for the workflow, and a turn that names its agent. */
function turnOf(node: SpanNode): string | undefined {
  const turn = nearest(node.parent, (above) => {
    const data = dataOf(above)
    return data.type === 'agent' || (isObject(data.data) && data.data.sdk_span_type === 'turn')
  })
  if (turn === undefined) return undefined
  const data = dataOf(turn)
  return data.type === 'agent'
    ? textOf(data.name)
    : isObject(data.data)
      ? textOf(data.data.agent_name)
      : undefined
}
