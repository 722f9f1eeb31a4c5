import { readItems } from '../../model/items.ts'
import { isObject, listOf, textOf } from '../../model/json.ts'
import { json, unpacked } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import { agentOfPath, commandTargets, steps } from '../langgraph.ts'
import { kindOf, readOpenInference } from '../readers/openinference.ts'
import type { HandoffReading, Reading, ToolReading } from '../reading.ts'
import { nearest, type SpanNode } from '../span-tree.ts'

/**
 * LangChain and LangGraph through OpenInference. Nodes of a graph are chains; which agent is at work stands in the
 * namespace of the checkpoint. A handoff is a tool that gives back a command. The sender's spans end as errors
 * (`ParentCommand`) when it succeeds.
 */
export const openInferenceLangChain: Dialect = {
  id: 'openinference-langchain',
  framework: 'langgraph',
  coverage: [
    {
      source: 'LangGraph (swarm, supervisor) through OpenInference',
      version: '@arizeai/openinference-instrumentation-langchain 4.1.1',
      seen: 'RUN',
      evidence: 'tool_argument',
      from: 'the first step of the checkpoint namespace in `metadata`',
      to: '`goto` of the command that the tool gave back; `__handoff_destination` in its `metadata`',
      payload: "`input.value` of the receiver's first LLM span, LangChain messages with ids",
      ids: '`tool_call_id` of the tool message',
      hidden: 'the return to a supervisor has no span: it is read from the messages `transfer_back_to_…`',
    },
  ],
  recognises: ({ span }) => /openinference.*langchain/i.test(span.scope.name),
  read(node) {
    const kind = kindOf(node)
    const metadata = metadataOf(node)
    const { conversation } = readOpenInference(node)
    const said = conversation === undefined ? {} : { conversation }
    if (kind === 'TOOL') return { ...tool(node, metadata), ...said }
    if (kind === 'LLM') return { ...model(node, metadata), ...said }
    const inTool = node.parent !== undefined && kindOf(node.parent) === 'TOOL'
    if (inTool && isGraph(node)) return { agent: { name: graphName(node) }, ...said }
    return said
  },
}

function metadataOf({ span }: SpanNode): Record<string, unknown> {
  const value = json(span, 'metadata')
  return isObject(value) ? value : {}
}

/** Who is at work. Below a tool it is the graph that the tool called, which the skeleton knows by nesting. */
function agentAt(node: SpanNode, metadata: Record<string, unknown>): string | undefined {
  const tool = nearest(node.parent, (above) => kindOf(above) === 'TOOL')
  if (tool !== undefined) return undefined
  return agentOfPath(steps(metadata)) ?? textOf(metadata.lc_agent_name)
}

function isGraph({ children }: SpanNode): boolean {
  return children.some((child) => metadataOf(child).langgraph_node !== undefined)
}

function graphName({ span, parent }: SpanNode): string {
  return span.name === 'LangGraph' ? parent!.span.name : span.name
}

function tool(node: SpanNode, metadata: Record<string, unknown>): Reading {
  const { tool: read } = readOpenInference(node)
  const output =
    isObject(read?.result) && 'output' in read.result ? unpacked(read.result.output) : read?.result
  const agent = agentAt(node, metadata)
  const destination = textOf(metadata.__handoff_destination)
  const targets = commandTargets(output)
  if (targets.length === 0 && destination !== undefined && read?.error === undefined)
    targets.push(destination)
  const call = read?.call ?? callIn(output, read?.name)
  const own: ToolReading = {
    name: read?.name ?? node.span.name,
    ...(agent === undefined ? {} : { agent }),
    ...(call === undefined ? {} : { call }),
    ...(read?.args === undefined ? {} : { args: read.args }),
    ...(output === undefined ? {} : { result: contentOf(output) }),
    ...(read?.error === undefined ? {} : { error: read.error }),
    ...(read?.inDoubt === undefined ? {} : { inDoubt: read.inDoubt }),
  }
  const handoffs = targets
    .filter((to) => to !== agent)
    .map(
      (to): HandoffReading => ({
        evidence: 'tool_argument',
        mode: 'transfer',
        to,
        tool: own.name,
        ...(agent === undefined ? {} : { from: agent }),
        ...(call === undefined ? {} : { call }),
      }),
    )
  return handoffs.length === 0 ? { tool: own } : { tool: own, handoffs }
}

/** The call that the output answers: its own tool message, or that of the tool among the messages of a command. */
function callIn(output: unknown, name: string | undefined): string | undefined {
  const update = isObject(output) && isObject(output.update) ? listOf(output.update.messages) : [output]
  const results = readItems(update).filter(({ type }) => type === 'tool_result')
  return (results.findLast(({ tool }) => tool === name) ?? results.at(-1))?.call
}

/** A tool message is the result and its envelope. */
function contentOf(output: unknown): unknown {
  const kwargs = isObject(output) && isObject(output.kwargs) ? output.kwargs : undefined
  return kwargs !== undefined && 'content' in kwargs ? kwargs.content : output
}

function model(node: SpanNode, metadata: Record<string, unknown>): Reading {
  const { model: read } = readOpenInference(node)
  const agent = agentAt(node, metadata)
  const named = { ...read, ...(agent === undefined ? {} : { agent }) }
  const returns = agent === undefined ? [] : returnsIn(read?.items, agent)
  return returns.length === 0 ? { model: named } : { model: named, handoffs: returns }
}

/** The messages that the supervisor package writes in the name of a worker whose turn is over. */
function returnsIn(items: readonly unknown[] | undefined, agent: string): HandoffReading[] {
  return readItems(items ?? []).flatMap(({ type, tool, call, author }) =>
    type === 'tool_call' && call !== undefined && author !== undefined && tool === `transfer_back_to_${agent}`
      ? [{ evidence: 'tool_argument' as const, mode: 'return', from: author, to: agent, call, tool }]
      : [],
  )
}
