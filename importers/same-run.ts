import { callsOf } from './calls.ts'
import type { Gathered } from './gather.ts'

/** One trace, read. */
export type ReadTrace = { id: string; start: bigint; end: bigint; acts: Gathered }

/**
 * Which traces are of one run. Two instrumentations of one program write two traces with ids of their own; the answers
 * and calls that they saw carry the provider's ids and are the same in the same order, at the same time. Scripted models
 * give the same ids again and again: so the times must overlap, and one instrumentation never tells a run twice.
 * Processes of one run that handspan observes name that run.
 */
export function groupTraces(traces: readonly ReadTrace[]): ReadTrace[][] {
  const ordered = [...traces].sort(byStart)
  const groups: ReadTrace[][] = []
  const prints = new Map(ordered.map((trace) => [trace, fingerprint(trace)]))
  for (const trace of ordered) {
    const related = groups.filter((group) =>
      group.some((other) => namesSameRun(trace, other) || isSameRun(trace, other, prints)),
    )
    const joined = [...related.flat(), trace]
    for (const group of related) groups.splice(groups.indexOf(group), 1)
    groups.push(joined)
  }
  return groups.map((group) => group.sort(byStart))
}

/** The earliest first, so that the trace which names the run does not hang on the order of arrival. */
function byStart(a: ReadTrace, b: ReadTrace): number {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1
  return a.id < b.id ? -1 : 1
}

type Print = { voices: Set<string>; responses: Set<string>; calls: string[] }

function fingerprint({ acts }: ReadTrace): Print {
  return {
    voices: new Set(
      [...acts.agents, ...acts.models, ...acts.tools, ...acts.handoffs].map(({ voice }) => voice),
    ),
    responses: new Set(acts.models.flatMap(({ response }) => response ?? [])),
    calls: acts.models.flatMap(({ answer }) =>
      callsOf(answer).flatMap(({ id, tool }) => (id === undefined ? [] : [`${id} ${tool ?? ''}`])),
    ),
  }
}

function namesSameRun(a: ReadTrace, b: ReadTrace): boolean {
  return [...a.acts.runs].some((run) => b.acts.runs.has(run))
}

function isSameRun(a: ReadTrace, b: ReadTrace, prints: ReadonlyMap<ReadTrace, Print>): boolean {
  const [one, other] = [prints.get(a)!, prints.get(b)!]
  if (a.start > b.end || b.start > a.end) return false
  if ([...one.voices].some((voice) => other.voices.has(voice))) return false
  if ([...one.responses].some((id) => other.responses.has(id))) return true
  const [short, long] =
    one.calls.length < other.calls.length ? [one.calls, other.calls] : [other.calls, one.calls]
  return short.length > 0 && inOrder(short, long)
}

/** True if the first list stands in the second, in its order: one of the traces may be cut. */
function inOrder(short: readonly string[], long: readonly string[]): boolean {
  let at = 0
  for (const entry of long) if (entry === short[at]) at++
  return at === short.length
}
