import type { Dialect } from '../dialect.ts'
import { kindOf, readOpenInference } from '../readers/openinference.ts'

/** OpenInference of frameworks that have no dialect of their own here: agents, models, tools, and agents inside of tools. */
export const openInference: Dialect = {
  id: 'openinference',
  coverage: [
    {
      source: 'any other framework through OpenInference',
      version: 'specification of November 2026',
      seen: 'SRC',
      evidence: 'nesting',
      from: '`agent.name` or `graph.node.id` of the outer AGENT span',
      to: 'the same of the AGENT span inside of a TOOL span',
      payload: "`input.value` or `llm.input_messages` of the receiver's first LLM span",
      ids: '`tool_call.id`',
      hidden: 'transfers of control: there is no kind for them',
    },
  ],
  recognises: (node) => kindOf(node) !== undefined,
  read: readOpenInference,
}
