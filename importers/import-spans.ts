import type { RunEvent } from '../model/run-log.ts'
import type { Span } from '../otlp/span.ts'
import type { Acts } from './acts.ts'
import { gather } from './gather.ts'
import { groupBy } from './group-by.ts'
import { findHandoffs, withReturns } from './handoffs.ts'
import { mergeAccounts } from './merge.ts'
import { type Note, Notes } from './notes.ts'
import { joinSides } from './own-sides.ts'
import { groupTraces, type ReadTrace } from './same-run.ts'
import { growTrees, type SpanNode } from './span-tree.ts'
import { later } from './time.ts'
import { writeEvents } from './write-events.ts'

/** One run out of spans: its id, the traces it was told in, its events, and what could not be judged or was passed over. */
export type ImportedRun = { run: string; traces: string[]; events: RunEvent[]; notes: Note[] }

/**
 * Reads spans of other people's instrumentation as runs. The spans may be of several traces, in any order, twice, and
 * with holes; the same spans give the same events. A run has the id of its trace (of the earliest, if several
 * instrumentations told it), or the run id that spans of handspan name. Traces in which no agent, model, tool or handoff
 * is recognised make no run. Pure; never throws.
 */
export function importRuns(spans: readonly Span[]): ImportedRun[] {
  const nodes = growTrees(spans)
  const notes = new Map<string, Notes>()
  const traces = [...groupBy(nodes, ({ span }) => span.traceId)].map(([id, own]): ReadTrace => {
    const noted = new Notes()
    notes.set(id, noted)
    const acts = gather(own, noted)
    findHandoffs(acts, noted)
    const end = own.reduce((latest, node) => later(latest, node.end ?? node.start), own[0]!.start)
    return { id, start: own[0]!.start, end, acts }
  })
  return groupTraces(traces).flatMap((group) => importGroup(group, nodes, notes) ?? [])
}

/** The same for whoever wants only the events, of one trace as a rule, and the notes. */
export function importSpans(spans: readonly Span[]): { events: RunEvent[]; notes: Note[] } {
  const runs = importRuns(spans)
  return { events: runs.flatMap(({ events }) => events), notes: runs.flatMap(({ notes }) => notes) }
}

function importGroup(
  group: readonly ReadTrace[],
  nodes: readonly SpanNode[],
  notes: ReadonlyMap<string, Notes>,
): ImportedRun | undefined {
  const told: Acts = {
    agents: group.flatMap(({ acts }) => acts.agents),
    models: group.flatMap(({ acts }) => acts.models),
    tools: group.flatMap(({ acts }) => acts.tools),
    handoffs: joinSides(group.flatMap(({ acts }) => acts.handoffs)),
  }
  if (Object.values(told).every((list) => list.length === 0)) return undefined
  const merged = mergeAccounts(told)
  const acts = { ...merged, handoffs: withReturns(merged.handoffs) }
  const traces = group.map(({ id }) => id)
  const named = [...new Set(group.flatMap((trace) => [...trace.acts.runs]))].sort()
  const run = named[0] ?? traces[0]!
  const own = nodes.filter(({ span }) => traces.includes(span.traceId))
  const noted = Notes.joined(traces.map((id) => notes.get(id)!))
  const { events, notes: list } = writeEvents(run, group, acts, own, noted)
  return { run, traces, events, notes: list }
}
