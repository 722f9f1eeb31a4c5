import { isObject, textOf } from '../../model/json.ts'
import { json, jsonList, text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { genAIAgent, operationOf, readGenAI } from '../readers/genai.ts'
import type { HandoffReading, Reading } from '../reading.ts'
import type { SpanNode } from '../span-tree.ts'

/** OpenLLMetry's other instrumentations: LangGraph, which states where a command goes, and CrewAI, which states no edge. */
export const openLLMetry: Dialect = {
  id: 'openllmetry',
  coverage: [
    {
      source: 'LangGraph through OpenLLMetry',
      version: 'opentelemetry-instrumentation-langchain',
      seen: 'SRC',
      evidence: 'explicit',
      from: '`langgraph.command.source_node` of the span `goto …`',
      to: '`langgraph.command.goto_node`, `.goto_nodes`',
      payload: "`gen_ai.input.messages` of the receiver's first request",
      ids: "the call is found in the sender's answer",
      hidden: '`gen_ai.workflow.nodes` and `.edges` are what could be taken: no handoff',
    },
    {
      source: 'CrewAI through OpenLLMetry',
      version: 'opentelemetry-instrumentation-crewai',
      seen: 'SRC',
      evidence: 'none',
      from: 'none',
      to: 'none',
      payload: '`traceloop.entity.output`',
      ids: '`gen_ai.agent.id`',
      hidden: 'handoffs: agents and tasks follow one another with no edge between them',
    },
  ],
  recognises: ({ span }) =>
    text(span, 'traceloop.span.kind') !== undefined ||
    /^opentelemetry\.instrumentation\.(langchain|crewai|llamaindex|openai|anthropic|bedrock)\b/i.test(
      span.scope.name,
    ),
  read(node) {
    const { span } = node
    if (operationOf(node) === 'goto') return { handoffs: commands(span) }
    if (/crewai/i.test(span.scope.name)) return crew(node)
    const reading = readGenAI(node)
    if (
      reading.agent === undefined &&
      text(span, 'traceloop.span.kind') === 'tool' &&
      reading.tool === undefined
    ) {
      return { ...reading, tool: entityTool(node) }
    }
    // The graph as a whole is no agent of its own.
    return json(span, 'gen_ai.workflow.nodes') === undefined ? reading : {}
  },
}

function commands(span: SpanNode['span']): HandoffReading[] {
  const from = text(span, 'langgraph.command.source_node')
  const nodes = (jsonList(span, 'langgraph.command.goto_nodes') ?? []).flatMap((node) => textOf(node) ?? [])
  const single = text(span, 'langgraph.command.goto_node') ?? /^goto (.+)$/.exec(span.name)?.[1]
  const targets = nodes.length > 0 ? nodes : single === undefined ? [] : [single]
  return targets
    .filter((to) => to !== '__end__' && to !== from)
    .map((to) => ({ evidence: 'explicit', mode: 'transfer', to, ...(from === undefined ? {} : { from }) }))
}

/** `{role}.agent` is the agent; workflow and tasks have the same operation and are none. */
function crew(node: SpanNode): Reading {
  if (operationOf(node) !== 'invoke_agent') return readGenAI(node)
  const agent = node.span.name.endsWith('.agent') ? genAIAgent(node) : undefined
  return agent === undefined ? {} : { agent }
}

function entityTool({ span }: SpanNode) {
  const input = json(span, 'traceloop.entity.input')
  const output = json(span, 'traceloop.entity.output')
  const args = isObject(input) && 'inputs' in input ? input.inputs : input
  return {
    name: text(span, 'gen_ai.tool.name', 'traceloop.entity.name') ?? span.name.replace(/\.tool$/, ''),
    ...(args === undefined ? {} : { args }),
    ...(output === undefined ? {} : { result: output }),
  }
}
