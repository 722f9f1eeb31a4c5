import { isObject, textOf } from '../../model/json.ts'
import type { Dialect } from '../dialect.ts'
import { kindOf, readOpenInference } from '../readers/openinference.ts'
import type { Reading } from '../reading.ts'

/** The Claude Agent SDK through OpenInference. A sub-agent is a call of the tool Task (or Agent) that names it. */
export const openInferenceClaude: Dialect = {
  id: 'openinference-claude',
  framework: 'claude-agent-sdk',
  coverage: [
    {
      source: 'Claude Agent SDK (Python) through OpenInference',
      version: 'openinference-instrumentation-claude-agent-sdk',
      seen: 'SRC',
      evidence: 'tool_argument',
      from: 'the enclosing AGENT span (`ClaudeAgentSDK.query`)',
      to: '`subagent_type` in the input of the tool; not `agent.name`, which is the name of the tool',
      payload: "the prompt in the tool's input; the sub-agent's first request where there is one",
      ids: '`tool.id` = id of the tool use',
      hidden:
        'with the JavaScript package: the run of the sub-agent (its call is seen, and what it gave back)',
    },
  ],
  recognises: ({ span }) => /openinference.*claude[-_.]agent/i.test(span.scope.name),
  read(node) {
    const reading = readOpenInference(node)
    if (kindOf(node) === 'TOOL') return delegation(reading)
    const above = node.parent
    if (kindOf(node) !== 'AGENT' || above === undefined || kindOf(above) !== 'TOOL') return reading
    return { ...reading, agent: { name: subAgentOf(readOpenInference(above)) ?? reading.agent!.name } }
  },
}

function subAgentOf({ tool }: Reading): string | undefined {
  return isObject(tool?.args) ? textOf(tool.args.subagent_type) : undefined
}

function delegation(reading: Reading): Reading {
  const { tool } = reading
  const to = subAgentOf(reading)
  if (tool === undefined || to === undefined) return reading
  const prompt = isObject(tool.args) ? tool.args.prompt : undefined
  return {
    ...reading,
    handoffs: [
      {
        evidence: 'tool_argument',
        mode: 'delegate',
        to,
        tool: tool.name,
        ...(tool.call === undefined ? {} : { call: tool.call }),
        ...(prompt === undefined ? {} : { brief: prompt }),
        ...(tool.result === undefined ? {} : { result: tool.result }),
      },
    ],
  }
}
