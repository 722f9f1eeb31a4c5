import { readItems } from '../../model/items.ts'
import { isObject, listOf } from '../../model/json.ts'
import type { Dialect } from '../dialect.ts'
import { readGenAI } from '../readers/genai.ts'

/**
 * OpenAI Agents through OpenLLMetry. The span of a handoff begins before the target is known and never learns it; spans of
 * models and tools hang under the workflow and not under the agent.
 */
export const openLLMetryOpenAIAgents: Dialect = {
  id: 'openllmetry-openai-agents',
  framework: 'openai-agents',
  coverage: [
    {
      source: 'OpenAI Agents (Python) through OpenLLMetry',
      version: 'opentelemetry-instrumentation-openai-agents 0.62.1',
      seen: 'RUN',
      evidence: 'next_span',
      from: '`gen_ai.handoff.from_agent`',
      to: 'inferred: the next agent span. `gen_ai.handoff.to_agent` was never set',
      payload: '`gen_ai.input.messages` of the next `openai.response` while that agent runs',
      ids: 'a call in a request has the id of its item (`fc_…`); it gets that of its result (`call_…`)',
      hidden:
        'item ids; which agent a model or tool span is of (taken from the times); a tool that returns a Pydantic object loses its span',
    },
  ],
  recognises: ({ span }) =>
    /^opentelemetry\.instrumentation\.openai_agents$/i.test(span.scope.name) && !isContrib(span.name),
  read(node) {
    const reading = readGenAI(node)
    if (reading.model?.items !== undefined) reading.model.items = withCallIds(reading.model.items)
    return reading
  },
}

/** The package of the OpenTelemetry project has the same scope. It names its spans by the operation. */
function isContrib(name: string): boolean {
  return /^(agent_handoff|handoff to|invoke_agent|execute_tool|chat)\b/.test(name)
}

/**
 * In the requests a call stands under the id of its item, and its result under the id of the call. In the order in which
 * they stand, each such call is the one of the next result that answers no other; the item's id is kept beside it.
 */
export function withCallIds(items: readonly unknown[]): unknown[] {
  const read = readItems(items)
  const calls = new Set(read.flatMap(({ type, call }) => (type === 'tool_call' ? (call ?? []) : [])))
  const orphans = read.flatMap(({ type, call }) =>
    type === 'tool_result' && call !== undefined && !calls.has(call) ? [call] : [],
  )
  if (orphans.length === 0) return [...items]
  const answered = new Set(read.flatMap(({ type, call }) => (type === 'tool_result' ? (call ?? []) : [])))
  return items.map((item) => {
    if (!isObject(item) || !Array.isArray(item.parts)) return item
    return {
      ...item,
      parts: listOf(item.parts).map((part) => {
        if (!isObject(part) || part.type !== 'tool_call' || answered.has(String(part.id))) return part
        const call = orphans.shift()
        return call === undefined ? part : { ...part, id: call, item_id: part.id }
      }),
    }
  })
}
