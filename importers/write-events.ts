import type { RunEvent } from '../model/run-log.ts'
import type { Acts } from './acts.ts'
import { errorOf } from './attributes.ts'
import { groupBy } from './group-by.ts'
import type { Note, Notes } from './notes.ts'
import { findReceipts } from './receipts.ts'
import type { ReadTrace } from './same-run.ts'
import type { SpanNode } from './span-tree.ts'
import { later } from './time.ts'
import { ORDER, Timeline } from './timeline.ts'
import { writeCalls } from './write-calls.ts'
import { writeHandoffs } from './write-handoffs.ts'
import { answerTimes, writeModel } from './write-models.ts'

/** Tells the acts of one run as events of a run log. `labels` go onto the start of the run. */
export function writeEvents(
  run: string,
  group: readonly ReadTrace[],
  acts: Acts,
  nodes: readonly SpanNode[],
  noted: Notes,
): { events: RunEvent[]; notes: Note[] } {
  const line = new Timeline(run)
  const receipts = findReceipts(acts)
  const start = group[0]!.start
  line.add(start, ORDER.start, 'run.start', undefined, {
    agents: agentsOf(acts),
    labels: labelsOf(group, nodes),
  })
  const received = groupBy(
    receipts.filter(({ model }) => model !== undefined),
    ({ model }) => model!,
  )
  const answers = answerTimes(acts)
  for (const model of acts.models) {
    writeModel(line, model, answers.get(model)!, received.get(model) ?? [], noted)
  }
  writeCalls(line, acts, noted)
  writeHandoffs(line, acts, receipts)
  for (const agent of acts.agents) {
    const { configuredAfter, node } = agent
    if (configuredAfter === undefined || configuredAfter === agent.name) continue
    line.add(agent.start, ORDER.begun, 'topology', node, {
      from: configuredAfter,
      to: agent.name,
      evidence: 'topology',
    })
    noted.add('the order of agents in the configuration is no handoff: kept as topology only', node.span)
  }
  writeEnd(line, nodes)
  const last = group.reduce((latest, { end }) => later(latest, end), start)
  const notes = noted.list()
  for (const { text, trace, span } of notes) {
    line.add(last, ORDER.note, 'import.note', undefined, { text, at_span: span, at_trace: trace })
  }
  const { events, refused } = line.finish()
  return { events, notes: [...notes, ...refused.map((text) => ({ text }))] }
}

function agentsOf(acts: Acts): { name: string; tools?: string[] }[] {
  const agents = new Map<string, string[] | undefined>()
  for (const { name, tools } of acts.agents) agents.set(name, agents.get(name) ?? tools)
  for (const { from, to } of acts.handoffs) {
    for (const name of [from, to]) if (name !== undefined && !agents.has(name)) agents.set(name, undefined)
  }
  for (const { agent } of acts.models)
    if (agent !== undefined && !agents.has(agent)) agents.set(agent, undefined)
  return [...agents].map(([name, tools]) => ({ name, ...(tools === undefined ? {} : { tools }) }))
}

function labelsOf(group: readonly ReadTrace[], nodes: readonly SpanNode[]): Record<string, unknown> {
  const of = (list: Iterable<string>) => [...new Set(list)].sort()
  const frameworks = of(group.flatMap(({ acts }) => [...acts.frameworks]))
  const conversations = of(group.flatMap(({ acts }) => [...acts.conversations]))
  const services = of(
    nodes.flatMap(({ span }) => {
      const name = span.resource['service.name']
      return typeof name === 'string' ? [name] : []
    }),
  )
  return {
    imported: of(group.flatMap(({ acts }) => [...acts.dialects])).join(', '),
    ...(frameworks.length === 0 ? {} : { framework: frameworks.join(', ') }),
    ...(services.length === 0 ? {} : { service: services.join(', ') }),
    ...(conversations.length === 0 ? {} : { conversation: conversations.join(', ') }),
    ...(group.length === 1 ? {} : { traces: group.map(({ id }) => id) }),
  }
}

/** The end is known if every root is here: then its spans are too, since a span is exported when it ends. */
function writeEnd(line: Timeline, nodes: readonly SpanNode[]): void {
  const roots = nodes.filter(({ parent }) => parent === undefined)
  if (roots.some(({ orphan, end }) => orphan || end === undefined)) return
  const last = roots.reduce((a, b) => (b.end! > a.end! ? b : a))
  const at = nodes.reduce((latest, { start, end }) => later(latest, later(start, end ?? start)), last.end!)
  const error = roots.map(({ span }) => errorOf(span)).find((words) => words !== undefined)
  if (error === undefined) line.add(at, ORDER.end, 'run.end', last, {})
  else line.add(at, ORDER.end, 'run.failed', last, { error })
}
