import { text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { genAIAgent, operationOf, readGenAI } from '../readers/genai.ts'
import { everyNode, nearest, type SpanNode } from '../span-tree.ts'

/**
 * Microsoft Agent Framework. Executors of a workflow stand side by side; what brought one to work are the links of its span
 * to the messages that it got. An edge that delivered nothing is no handoff.
 */
export const agentFramework: Dialect = {
  id: 'agent-framework',
  framework: 'agent-framework',
  coverage: [
    {
      source: 'Microsoft Agent Framework',
      version: 'source, 1.x (Python)',
      seen: 'SRC',
      evidence: 'explicit',
      from: '`message.source_id` of the message to which the span `executor.process` links: the agent of that executor',
      to: 'the agent whose `invoke_agent` stands under that `executor.process`',
      payload: "`gen_ai.input.messages` of the receiver's first request",
      ids: '`gen_ai.tool.call.id`',
      hidden: 'executors that are no agents; edge groups only list what could be taken; a name may be a UUID',
    },
  ],
  recognises: ({ span }) =>
    /^(agent_framework|Experimental\.Microsoft\.Agents|Microsoft\.Agents)/.test(span.scope.name) ||
    /^(executor\.process|edge_group\.process|message\.send|workflow\.run)\b/.test(span.name),
  read(node) {
    const reading = readGenAI(node)
    if (operationOf(node) !== 'invoke_agent') return reading
    const agent = genAIAgent(node)
    const from = sourceOf(node)
    if (agent === undefined || from === undefined || from === agent.name) return reading
    return { ...reading, agent: { ...agent, handedBy: { from, evidence: 'explicit' } } }
  },
}

/** The agent whose executor sent the message that the executor around this agent was given. */
function sourceOf(node: SpanNode): string | undefined {
  const executor = nearest(node.parent, ({ span }) => text(span, 'executor.id') !== undefined)
  if (executor === undefined || executor.span.links.length === 0) return undefined
  const linked = new Set(executor.span.links.map(({ spanId }) => spanId))
  const all = everyNode(node)
  const message = all.find(
    ({ span }) =>
      linked.has(span.spanId) &&
      text(span, 'message.source_id') !== undefined &&
      span.attributes['edge_group.delivered'] !== false,
  )
  const source = message && text(message.span, 'message.source_id')
  if (source === undefined) return undefined
  const sender = all.findLast((one) => text(one.span, 'executor.id') === source && one.start < executor.start)
  const run = sender && everyNode(sender, false).find((one) => operationOf(one) === 'invoke_agent')
  return run && genAIAgent(run)?.name
}
