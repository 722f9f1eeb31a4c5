import type { AgentAct, HandoffAct, ModelAct, ToolAct } from './acts.ts'
import { type Acts, byTime } from './acts.ts'
import { errorOf } from './attributes.ts'
import type { Dialect } from './dialect.ts'
import { dialects } from './dialects/index.ts'
import type { Notes } from './notes.ts'
import type { Reading } from './reading.ts'
import { byStart, parentsFirst, type SpanNode } from './span-tree.ts'

/** What a trace tells, and what labels its run. */
export type Gathered = Acts & {
  frameworks: Set<string>
  dialects: Set<string>
  conversations: Set<string>
  /** Runs that spans of handspan name. */
  runs: Set<string>
}

/** Where a span stands: the agent at work, and the call of a tool below that agent. */
type Place = { agent: AgentAct | undefined; tool: ToolAct | undefined; handoff: HandoffAct | undefined }

const NOWHERE: Place = { agent: undefined, tool: undefined, handoff: undefined }

/** Reads the spans of one trace by their dialects and puts each reading in its place in the tree. */
export function gather(nodes: readonly SpanNode[], notes: Notes): Gathered {
  const out: Gathered = {
    agents: [],
    models: [],
    tools: [],
    handoffs: [],
    frameworks: new Set(),
    dialects: new Set(),
    conversations: new Set(),
    runs: new Set(),
  }
  const places = new Map<SpanNode, Place>()
  for (const node of parentsFirst(nodes)) {
    const place = (node.parent && places.get(node.parent)) ?? NOWHERE
    const rank = dialects.findIndex((dialect) => dialect.recognises(node))
    const dialect = dialects[rank]
    if (dialect === undefined) {
      notes.add(
        `spans of ${node.span.scope.name || 'an unnamed scope'} are in no dialect that is read`,
        node.span,
      )
      places.set(node, place)
      continue
    }
    const reading = dialect.read(node)
    label(out, dialect, reading)
    for (const note of reading.notes ?? []) notes.add(note, node.span)
    places.set(node, putInPlace(out, node, rank, reading, place))
  }
  for (const list of [out.agents, out.models, out.tools, out.handoffs]) list.sort(byTime)
  noteGaps(nodes, notes)
  return out
}

function label(out: Gathered, dialect: Dialect, reading: Reading): void {
  const says = reading.agent ?? reading.model ?? reading.tool ?? reading.handoffs?.[0]
  if (says !== undefined) {
    out.dialects.add(dialect.id)
    if (dialect.framework !== undefined) out.frameworks.add(dialect.framework)
  }
  if (reading.conversation !== undefined) out.conversations.add(reading.conversation)
}

function putInPlace(out: Gathered, node: SpanNode, rank: number, reading: Reading, place: Place): Place {
  const { start, end } = node
  const told = { node, voice: node.span.scope.name, rank, start, end }
  let here = place
  if (reading.agent !== undefined) {
    const agent = agentAct({ ...told, ...reading.agent, caller: place.agent, via: place.tool }, place)
    if (agent !== place.agent) {
      out.agents.push(agent)
      if (place.handoff !== undefined) place.handoff.inside ??= agent
    }
    here = { agent, tool: undefined, handoff: undefined }
  }
  const run = here.agent
  if (reading.model !== undefined) {
    const error = errorOf(node.span)
    const model: ModelAct = { ...told, ...reading.model, run, ...(error === undefined ? {} : { error }) }
    model.agent ??= run?.name
    out.models.push(model)
  }
  if (reading.tool !== undefined) {
    const tool: ToolAct = { ...told, ...reading.tool, run, handsOver: (reading.handoffs ?? []).length > 0 }
    tool.agent ??= run?.name
    out.tools.push(tool)
    here = { ...here, tool }
  }
  for (const [index, handoff] of (reading.handoffs ?? []).entries()) {
    const act: HandoffAct = {
      ...told,
      // A request whose items show a return is where it arrived, and not something that lasts until the answer.
      ...(reading.model === undefined ? {} : { end: start }),
      ...handoff,
      id: handoff.own?.handoff ?? `${node.span.spanId}${index === 0 ? '' : `-${index + 1}`}`,
      attempt: handoff.own?.attempt ?? 1,
      run,
      inside: undefined,
    }
    act.from ??= run?.name
    out.handoffs.push(act)
    if (handoff.own?.run !== undefined) out.runs.add(handoff.own.run)
    here = { ...here, handoff: act }
  }
  return here
}

/** Frameworks wrap the run of an agent in spans that all name it: with no tool in between they are one run. */
function agentAct(agent: AgentAct, place: Place): AgentAct {
  const above = place.agent
  const same = above !== undefined && above.name === agent.name && place.tool === undefined
  if (!same) return agent
  if (agent.tools !== undefined) above.tools ??= agent.tools
  if (agent.handedBy !== undefined) above.handedBy ??= agent.handedBy
  return above
}

function noteGaps(nodes: readonly SpanNode[], notes: Notes): void {
  for (const { span, orphan } of [...nodes].sort(byStart)) {
    if (orphan) notes.add('a span names a parent that is not here: what stands above it is not known', span)
    if ((span.dropped ?? 0) > 0)
      notes.add('the exporter dropped attributes, events or links: what it says may be cut', span)
  }
}
