import { isObject, listOf, textOf } from '../../model/json.ts'
import { defined, hasPrefix, json, outcomeOf, text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { agentOfPath, commandTargets, steps } from '../langgraph.ts'
import { requestOfBody, toolsOf } from '../messages.ts'
import { callIdOf } from '../readers/genai.ts'
import { answerOfBody } from '../readers/openinference.ts'
import type { HandoffReading, ModelReading, Reading } from '../reading.ts'
import { everyNode, type SpanNode } from '../span-tree.ts'

/** LangSmith, through its OpenTelemetry exporter or from an export of runs (formats/langsmith-runs.ts). */
export const langSmith: Dialect = {
  id: 'langsmith',
  framework: 'langgraph',
  coverage: [
    {
      source: 'LangSmith, OpenTelemetry and run exports',
      version: 'langsmith 0.12 (JavaScript), Python',
      seen: 'SRC',
      evidence: 'tool_argument',
      from: '`langsmith.metadata.langgraph_node`, or the checkpoint namespace',
      to: '`goto` of the command in `gen_ai.completion`, `__handoff_destination`; else the name `transfer_to_…` if a node of that name runs after it',
      payload: "`gen_ai.prompt` of the receiver's first run of kind llm",
      ids: '`gen_ai.tool.call.id`, or the tool message in the output',
      hidden: 'with JavaScript 0.12 a LangGraph run writes no span at all',
    },
  ],
  recognises: ({ span }) => hasPrefix(span, 'langsmith.') || /^langsmith$/i.test(span.scope.name),
  read(node) {
    const kind = text(node.span, 'langsmith.span.kind')?.toLowerCase()
    const metadata = metadataOf(node)
    const conversation = textOf(metadata.thread_id) ?? textOf(metadata.session_id)
    const said = conversation === undefined ? {} : { conversation }
    if (kind === 'llm') return { model: model(node, metadata), ...said }
    if (kind === 'tool') return { ...tool(node, metadata), ...said }
    return said
  },
}

function metadataOf({ span }: SpanNode): Record<string, unknown> {
  const prefix = 'langsmith.metadata.'
  const own = Object.entries(span.attributes).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]))
}

function agentAt(metadata: Record<string, unknown>): string | undefined {
  return agentOfPath(steps(metadata)) ?? textOf(metadata.lc_agent_name)
}

function model(node: SpanNode, metadata: Record<string, unknown>): ModelReading {
  const { span } = node
  const request = requestOfBody(json(span, 'gen_ai.prompt'))
  return defined({
    agent: agentAt(metadata),
    items: request?.items,
    instructions: request?.instructions,
    tools: toolsOf(json(span, 'tools', 'langsmith.tools')) ?? request?.tools,
    answer: answerOfBody(json(span, 'gen_ai.completion')),
    model: text(span, 'gen_ai.response.model', 'gen_ai.request.model'),
  })
}

function tool(node: SpanNode, metadata: Record<string, unknown>): Reading {
  const { span } = node
  const agent = agentAt(metadata)
  const completion = json(span, 'gen_ai.completion')
  const output = isObject(completion) && 'output' in completion ? completion.output : completion
  const own = {
    name: text(span, 'gen_ai.tool.name') ?? span.name,
    ...defined({
      agent,
      call: callIdOf(text(span, 'gen_ai.tool.call.id')) ?? callIn(output),
      args: argumentsOf(json(span, 'gen_ai.prompt')),
      result: contentOf(output),
    }),
    ...outcomeOf(span),
  }
  const destination = textOf(metadata.__handoff_destination)
  const targets = commandTargets(output)
  if (targets.length === 0 && destination !== undefined && own.error === undefined) targets.push(destination)
  const named = /^transfer_to_(.+)$/.exec(own.name)?.[1]
  if (targets.length === 0 && named !== undefined && own.error === undefined && runsAfter(node, named))
    targets.push(named)
  const handoffs = targets
    .filter((to) => to !== agent)
    .map(
      (to): HandoffReading => ({
        evidence: 'tool_argument',
        mode: 'transfer',
        to,
        tool: own.name,
        ...(agent === undefined ? {} : { from: agent }),
        ...(own.call === undefined ? {} : { call: own.call }),
      }),
    )
  return handoffs.length === 0 ? { tool: own } : { tool: own, handoffs }
}

/** A name alone is no evidence: a node of that name has to run after the call. */
function runsAfter(node: SpanNode, name: string): boolean {
  return everyNode(node).some(
    (at) => at !== node && at.start >= node.start && metadataOf(at).langgraph_node === name,
  )
}

function callIn(output: unknown): string | undefined {
  const message = isObject(output) && isObject(output.kwargs) ? output.kwargs : output
  if (!isObject(message)) return undefined
  if (isObject(message.update))
    return listOf(message.update.messages)
      .map(callIn)
      .findLast((id) => id !== undefined)
  return textOf(message.tool_call_id)
}

function contentOf(output: unknown): unknown {
  const message = isObject(output) && isObject(output.kwargs) ? output.kwargs : output
  return isObject(message) && 'content' in message && 'tool_call_id' in message ? message.content : output
}

/** Inputs of a tool are `{input: "…"}` with the arguments as JSON, or the arguments themselves. */
function argumentsOf(prompt: unknown): unknown {
  if (!isObject(prompt) || typeof prompt.input !== 'string' || Object.keys(prompt).length > 1) return prompt
  try {
    return JSON.parse(prompt.input)
  } catch {
    return prompt
  }
}
