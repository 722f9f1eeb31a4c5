import { text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { operationOf, readGenAI } from '../readers/genai.ts'

/** Spans by the GenAI conventions of OpenTelemetry, of any instrumentation that has no dialect of its own here. */
export const genAI: Dialect = {
  id: 'genai',
  coverage: [
    {
      source: 'OpenTelemetry GenAI conventions, merged text',
      version: 'development, November 2026',
      seen: 'SRC',
      evidence: 'nesting',
      from: '`gen_ai.agent.name` of the outer `invoke_agent`',
      to: '`gen_ai.agent.name` of the `invoke_agent` under the `execute_tool`',
      payload: '`gen_ai.input.messages` on the span or in its event; off by default',
      ids: '`gen_ai.tool.call.id`',
      hidden: 'transfers of control: the conventions have no word for them',
    },
    {
      source: 'OpenTelemetry GenAI, open proposal #447',
      version: 'head of September 2026',
      seen: 'SRC',
      evidence: 'explicit',
      from: '`gen_ai.agent.name` of the `execute_tool`',
      to: '`gen_ai.transfer.target.name`; `gen_ai.transfer.mode` tells transfer from delegation',
      payload: 'as above',
      ids: 'as above',
      hidden: 'the names may change until it is merged',
    },
    {
      source: 'OpenTelemetry GenAI, open proposal #98',
      version: 'head of September 2026',
      seen: 'SRC',
      evidence: 'explicit',
      from: '`gen_ai.agent.handoff.source.name`',
      to: '`gen_ai.agent.handoff.target.name`',
      payload: 'as above',
      ids: 'as above',
      hidden: 'whether control returns',
    },
    {
      source: 'OpenTelemetry contrib, openai-agents-v2',
      version: 'opentelemetry-instrumentation-openai-agents-v2',
      seen: 'PART',
      evidence: 'explicit',
      from: '`gen_ai.handoff.from_agent` of `agent_handoff`',
      to: '`gen_ai.handoff.to_agent`; older versions name the span `handoff to …`',
      payload: 'as above',
      ids: "the call is found in the sender's answer",
      hidden: 'vendor copies differ',
    },
    {
      source: 'AutoGen core',
      version: 'source, 0.7',
      seen: 'SRC',
      evidence: 'none',
      from: 'none',
      to: 'none',
      payload: 'none',
      ids: '`gen_ai.tool.call.id`',
      hidden:
        'handoffs: agents and tools are read, but a tool named `transfer_to_…` is no evidence by itself',
    },
  ],
  recognises: (node) => operationOf(node) !== undefined || /^handoff to /.test(node.span.name),
  read(node) {
    const reading = readGenAI(node)
    // The older name of the span in contrib, before it had an operation of its own.
    const to = /^handoff to (.+)$/.exec(node.span.name)?.[1]
    if (to === undefined || reading.handoffs !== undefined || operationOf(node) !== undefined) return reading
    const from = text(node.span, 'gen_ai.handoff.from_agent', 'gen_ai.agent.name')
    return {
      ...reading,
      handoffs: [{ evidence: 'explicit', mode: 'transfer', to, ...(from === undefined ? {} : { from }) }],
    }
  },
}
