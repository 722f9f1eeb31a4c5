import { text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { readOpenInference } from '../readers/openinference.ts'

/** CrewAI through OpenInference. The parent of an agent is the one before it in the list of the crew, whoever handed over. */
export const openInferenceCrewAI: Dialect = {
  id: 'openinference-crewai',
  framework: 'crewai',
  coverage: [
    {
      source: 'CrewAI through OpenInference',
      version: 'openinference-instrumentation-crewai',
      seen: 'SRC',
      evidence: 'topology',
      from: '`graph.node.parent_id`: the agent before it in the list. Kept as `topology`, never as a handoff',
      to: '`graph.node.id` = role',
      payload: '`input.value`',
      ids: 'none',
      hidden: 'who really handed over. A delegation is seen where the delegate runs inside of the tool',
    },
  ],
  recognises: ({ span }) => /openinference.*crewai/i.test(span.scope.name),
  read(node) {
    const reading = readOpenInference(node)
    const before = text(node.span, 'graph.node.parent_id')
    if (reading.agent === undefined || before === undefined) return reading
    return { ...reading, agent: { ...reading.agent, configuredAfter: before } }
  },
}
