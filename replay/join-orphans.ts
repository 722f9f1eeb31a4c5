import { isObject, textOf } from '../model/json.ts'
import type { RunEvent } from '../model/run-log.ts'

/*
 * A hop that lost the handspan field and kept `traceparent` is recorded under a run of its own, with a link to the span
 * of the sender. Where that span is the one of a handoff, the hop belongs to it. That is inferred, and marked as such: who
 * can write a header can name any span.
 */

/** The span of a handoff that was sent, as one word. Undefined for any other event. */
export function sentSpan(event: RunEvent): string | undefined {
  return event.kind === 'handoff.sent' ? spanWord(event.trace) : undefined
}

/** The span that a received handoff of unknown origin is linked to. */
export function linkedSpan(event: RunEvent): string | undefined {
  return event.kind === 'handoff.received' && event.orphan === true ? spanWord(event.link) : undefined
}

function spanWord(value: unknown): string | undefined {
  const context = isObject(value) ? value : {}
  const id = textOf(context.id)
  const span = textOf(context.span)
  return id === undefined || span === undefined ? undefined : `${id}:${span}`.toLowerCase()
}

type Place = { run: string; handoff: string }
type Home = { orphan: Place; sent: Place & { attempt: number | undefined } }

/**
 * The same events, one for one, those of orphans whose link leads to a handoff of another run moved into that run. The
 * received event then says so: `evidence: "link"`, and `joined` with the run and handoff it was recorded under.
 * `ambiguous`: spans in which several handoffs were sent, where not all of these are among the events.
 */
export function joinOrphans(
  events: readonly RunEvent[],
  ambiguous: ReadonlySet<string> = new Set(),
): readonly RunEvent[] {
  const homes = homesOf(events, ambiguous)
  if (homes.size === 0) return events
  return events.map((event) => {
    const home = homes.get(event.run)
    const run = home && lastRun(home, homes)
    return home === undefined || run === undefined ? event : moved(event, home, run)
  })
}

/** Who wrote it without a name numbered on its own: the run it stood in keeps its numbers apart from those of the new run. */
function moved(event: RunEvent, { orphan, sent }: Home, run: string): RunEvent {
  const placed = { ...event, run, writer: event.writer ?? event.run }
  if (event.handoff !== orphan.handoff) return placed
  const joined = { ...placed, handoff: sent.handoff }
  const numbered = sent.attempt === undefined ? joined : { ...joined, attempt: sent.attempt }
  if (event.kind !== 'handoff.received') return numbered
  return { ...numbered, evidence: event.evidence ?? 'link', joined: { by: 'link', ...orphan } }
}

/** Runs that hold nothing but what followed from one orphan, and the handoff that the orphan is linked to. */
function homesOf(events: readonly RunEvent[], ambiguous: ReadonlySet<string>): Map<string, Home> {
  const orphans = new Map<string, { handoff: string; span: string }[]>()
  const begun = new Set<string>()
  for (const event of events) {
    if (event.kind === 'run.start') begun.add(event.run)
    const span = linkedSpan(event)
    const handoff = textOf(event.handoff)
    if (span === undefined || handoff === undefined) continue
    orphans.set(event.run, [...(orphans.get(event.run) ?? []), { handoff, span }])
  }
  if (orphans.size === 0) return new Map()
  const sent = sentBySpan(events)
  const homes = new Map<string, Home>()
  for (const [run, [first, ...others]] of orphans) {
    const home = ambiguous.has(first!.span) ? undefined : sent.get(first!.span)
    // A run that somebody started, or that took in several tasks, is no stray piece of another one.
    if (home === undefined || home.run === run || begun.has(run) || others.length > 0) continue
    homes.set(run, { orphan: { run, handoff: first!.handoff }, sent: home })
  }
  return homes
}

function sentBySpan(events: readonly RunEvent[]): Map<string, Home['sent']> {
  const found = new Map<string, Home['sent'] | undefined>()
  for (const event of events) {
    const span = sentSpan(event)
    const handoff = textOf(event.handoff)
    if (span === undefined || handoff === undefined) continue
    const attempt = typeof event.attempt === 'number' ? event.attempt : undefined
    const known = found.get(span)
    // A span in which several handoffs were sent tells nothing about any of them.
    const same = !found.has(span) || (known?.run === event.run && known.handoff === handoff)
    found.set(span, same ? { run: event.run, handoff, attempt } : undefined)
  }
  return found as Map<string, Home['sent']>
}

/** A sender may itself be an orphan's run that has been moved; a circle of them stays where it is. */
function lastRun(home: Home, homes: ReadonlyMap<string, Home>): string | undefined {
  const seen = new Set<string>([home.orphan.run])
  let { run } = home.sent
  for (let next = homes.get(run); next !== undefined; next = homes.get(run)) {
    if (seen.has(run)) return undefined
    seen.add(run)
    run = next.sent.run
  }
  return run
}
