import { isObject, textOf } from '../../model/json.ts'
import { errorOf, text, unpacked } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { kindOf, readOpenInference } from '../readers/openinference.ts'
import type { HandoffReading, Reading } from '../reading.ts'
import type { SpanNode } from '../span-tree.ts'

/** OpenAI Agents through OpenInference. The handoff span holds both names: as plain text (Python) or as JSON (JavaScript). */
export const openInferenceOpenAIAgents: Dialect = {
  id: 'openinference-openai-agents',
  framework: 'openai-agents',
  coverage: [
    {
      source: 'OpenAI Agents (Python) through OpenInference',
      version: 'openinference-instrumentation-openai-agents 2.0.0',
      seen: 'RUN',
      evidence: 'explicit',
      from: '`input.value` of the span `handoff to …`',
      to: '`output.value` of it; `graph.node.parent_id` of the receiver says the same',
      payload:
        "`input.value` of the receiver's first LLM span, item ids included; instructions from message 0",
      ids: "call ids of the provider; the call is found in the sender's answer",
      hidden: 'which call a tool span is of (joined by name and order); input filters by name',
    },
    {
      source: 'OpenAI Agents (JavaScript) through OpenInference',
      version: 'openinference-instrumentation-openai-agents 0.2.15',
      seen: 'RUN',
      evidence: 'explicit',
      from: '`from_agent` in `input.value`',
      to: '`to_agent` in `output.value`',
      payload: "the receiver's first LLM span",
      ids: 'as above',
      hidden:
        '`tool.name` is invented (`handoff_to_…`): the tool that the model called is taken from its answer',
    },
  ],
  recognises: ({ span }) => /openinference.*openai[-_.]agents/i.test(span.scope.name),
  read(node) {
    const kind = kindOf(node)
    if (kind === 'TOOL' && /^handoff\b/i.test(node.span.name)) return { handoffs: [handoff(node)] }
    if (kind === 'AGENT') return agent(node)
    return readOpenInference(node)
  },
}

function handoff({ span }: SpanNode): HandoffReading {
  const from = nameIn(span.attributes['input.value'], 'from_agent')
  const to = nameIn(span.attributes['output.value'], 'to_agent')
  const failed = errorOf(span)
  return {
    evidence: 'explicit',
    mode: 'transfer',
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(failed === undefined ? {} : { failed }),
  }
}

function nameIn(value: unknown, field: string): string | undefined {
  const read = unpacked(value)
  return isObject(read) ? textOf(read[field]) : textOf(read)
}

/** The root is an AGENT too, named for the workflow: without the name of an agent it is none. */
function agent(node: SpanNode): Reading {
  const name = text(node.span, 'agent.name', 'graph.node.id')
  if (name === undefined) return {}
  const from = text(node.span, 'graph.node.parent_id')
  const { conversation } = readOpenInference(node)
  return {
    agent: { name, ...(from === undefined ? {} : { handedBy: { from, evidence: 'explicit' } }) },
    ...(conversation === undefined ? {} : { conversation }),
  }
}
