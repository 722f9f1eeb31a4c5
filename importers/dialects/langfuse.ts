import { isObject } from '../../model/json.ts'
import { defined, hasPrefix, json, outcomeOf, text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { requestOfBody } from '../messages.ts'
import { callIdOf } from '../readers/genai.ts'
import { answerOfBody } from '../readers/openinference.ts'
import type { ModelReading, Reading } from '../reading.ts'
import type { SpanNode } from '../span-tree.ts'

/** Langfuse: its own SDK's spans, and observations of an export whose attributes tell no other dialect. */
export const langfuse: Dialect = {
  id: 'langfuse',
  coverage: [
    {
      source: 'Langfuse, ingestion and exports',
      version: 'langfuse 3, SDK 5',
      seen: 'SRC',
      evidence: 'nesting',
      from: 'the outer observation of type AGENT',
      to: 'the observation of type AGENT under one of type TOOL',
      payload: 'input of the first GENERATION of the receiver',
      ids: 'none of its own',
      hidden:
        'transfers of control, unless `metadata.attributes` holds what another dialect wrote: then that one reads it',
    },
  ],
  recognises: ({ span }) => hasPrefix(span, 'langfuse.observation.'),
  read(node) {
    const { span } = node
    const conversation = text(span, 'session.id', 'langfuse.session.id')
    const said = conversation === undefined ? {} : { conversation }
    switch (text(span, 'langfuse.observation.type')?.toLowerCase()) {
      case 'agent':
        return { agent: { name: text(span, 'gen_ai.agent.name', 'agent.name') ?? span.name }, ...said }
      case 'tool':
        return { ...tool(node), ...said }
      case 'generation':
        return { model: model(node), ...said }
      default:
        return said
    }
  },
}

function model({ span }: SpanNode): ModelReading {
  const request = requestOfBody(json(span, 'langfuse.observation.input'))
  const output = json(span, 'langfuse.observation.output')
  return defined({
    items: request?.items,
    instructions: request?.instructions,
    tools: request?.tools,
    answer:
      answerOfBody(output) ??
      (typeof output === 'string' ? [{ role: 'assistant', content: output }] : listed(output)),
    model: text(span, 'langfuse.observation.model.name', 'gen_ai.response.model', 'gen_ai.request.model'),
  })
}

function listed(output: unknown): unknown[] | undefined {
  return Array.isArray(output) && output.every(isObject) ? output : undefined
}

function tool({ span }: SpanNode): Reading {
  return {
    tool: {
      name: text(span, 'gen_ai.tool.name', 'tool.name') ?? span.name,
      ...defined({
        call: callIdOf(text(span, 'gen_ai.tool.call.id', 'tool_call.id')),
        args: json(span, 'langfuse.observation.input'),
        result: json(span, 'langfuse.observation.output'),
      }),
      ...outcomeOf(span),
    },
  }
}
