import { canonicalJson } from '../../model/hash.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { causeNamed, causesOf } from './causes.ts'
import { Heap } from './heap.ts'
import { type Time, timeOf } from './time.ts'

/**
 * The events of one run in the order in which they must be shown: by time, writer and sequence, but within a writer
 * always by sequence (a clock may step back), and never an effect before its cause (a handoff received before it was
 * sent, an attempt before its predecessor, an answer before it was asked for), unless the writers' own sequences contradict
 * it. An event that was delivered twice stands once. The order of the input decides only between events of one writer that
 * have no sequence number.
 */
export function orderEvents(events: readonly RunEvent[]): RunEvent[] {
  if (isWritersOwn(events)) return [...events]
  return mergeQueues(writerQueues(withoutDuplicates(events)))
}

/** True if one writer numbered all of it and it stands in that order, as in a spool: then nothing is left to decide. */
function isWritersOwn(events: readonly RunEvent[]): boolean {
  const writer = events[0]?.writer ?? ''
  let last = Number.NEGATIVE_INFINITY
  for (const event of events) {
    if (event.seq === undefined || !(event.seq > last) || (event.writer ?? '') !== writer) return false
    last = event.seq
  }
  return true
}

type Seen = { first: RunEvent; bodies?: Set<string> }

function withoutDuplicates(events: readonly RunEvent[]): RunEvent[] {
  const byWriter = new Map<string, Map<number, Seen>>()
  return events.filter((event) => {
    // Without a sequence number two equal lines are two events: nothing says that they are one.
    if (event.seq === undefined) return true
    const writer = event.writer ?? ''
    const seen = byWriter.get(writer) ?? new Map<number, Seen>()
    if (seen.size === 0) byWriter.set(writer, seen)
    const known = seen.get(event.seq)
    if (known === undefined) {
      seen.set(event.seq, { first: event })
      return true
    }
    // Rare path: only when writer and number agree is the content compared.
    known.bodies ??= new Set([canonicalJson(known.first)])
    const body = canonicalJson(event)
    if (known.bodies.has(body)) return false
    known.bodies.add(body)
    return true
  })
}

/** `instant`: nanoseconds from the first event of the run, exact over a hundred days. */
type Queued = { event: RunEvent; instant: number; arrival: number }
type Queue = { writer: string; sequenced: boolean; entries: Queued[]; head: number }

/** One queue for what a writer numbered, and one for what it did not: the two say nothing about each other. */
function writerQueues(events: readonly RunEvent[]): Queue[] {
  const queues = new Map<string, Queue>()
  const instants = instantsOf(events)
  // A line without number and time stands where it stands in the file: right after the line before it.
  const latestLine = new Map<string, number>()
  events.forEach((event, arrival) => {
    const writer = event.writer ?? ''
    const sequenced = event.seq !== undefined
    let instant = instants[arrival]!
    if (Number.isNaN(instant) && !sequenced) instant = latestLine.get(writer) ?? Number.NaN
    else if (!Number.isNaN(instant)) latestLine.set(writer, instant)
    const name = `${sequenced}${writer}`
    const queue = queues.get(name)
    if (queue === undefined)
      queues.set(name, { writer, sequenced, entries: [{ event, instant, arrival }], head: 0 })
    else queue.entries.push({ event, instant, arrival })
  })
  for (const queue of queues.values()) arrange(queue)
  return [...queues.values()]
}

function instantsOf(events: readonly RunEvent[]): number[] {
  const times = events.map(({ at }) => timeOf(at))
  const first = times.reduce<number>(
    (least, time) => Math.min(least, time?.ms ?? least),
    Number.POSITIVE_INFINITY,
  )
  return times.map((time: Time | undefined) =>
    time === undefined ? Number.NaN : (time.ms - first) * 1e6 + time.nanos,
  )
}

function arrange({ entries, sequenced }: Queue): void {
  if (sequenced) entries.sort((a, b) => a.event.seq! - b.event.seq! || a.arrival - b.arrival)
  // What has no time at the beginning happened no later than the first that has one.
  let latest = entries.find(({ instant }) => !Number.isNaN(instant))?.instant ?? Number.NEGATIVE_INFINITY
  for (const entry of entries) {
    if (Number.isNaN(entry.instant)) entry.instant = latest
    // A clock that stepped back: the event happened no earlier than the one that its writer numbered before it.
    else if (sequenced) entry.instant = Math.max(latest, entry.instant)
    latest = entry.instant
  }
  if (!sequenced) entries.sort((a, b) => a.instant - b.instant || a.arrival - b.arrival)
}

/** Takes the earliest head whose causes have been taken already; if every head waits (a cycle), simply the earliest. */
function mergeQueues(queues: Queue[]): RunEvent[] {
  if (queues.length === 1) return queues[0]!.entries.map(({ event }) => event)
  const holders = holdersOf(queues)
  const ready = new Heap<Queue>(earlier)
  const waiting = new Map<string, Queue[]>()
  const blocked = new Set<Queue>()
  /** Puts a queue among the ready ones, or to the first cause that its head waits for. */
  const place = (queue: Queue) => {
    blocked.delete(queue)
    const entry = queue.entries[queue.head]
    if (entry === undefined) return
    const cause = causesOf(entry.event).find((name) => isAwaited(holders.get(name), queue))
    if (cause === undefined) {
      ready.push(queue)
      return
    }
    blocked.add(queue)
    const others = waiting.get(cause)
    if (others === undefined) waiting.set(cause, [queue])
    else others.push(queue)
  }
  const out: RunEvent[] = []
  for (const queue of queues) place(queue)
  for (;;) {
    const next = ready.pop() ?? earliestOf(blocked)
    if (next === undefined) return out
    const { event } = next.entries[next.head++]!
    out.push(event)
    const name = causeNamed(event)
    const released = name === undefined ? undefined : waiting.get(name)
    if (name !== undefined) {
      holders.delete(name)
      waiting.delete(name)
    }
    place(next)
    for (const queue of released ?? []) if (queue !== next && blocked.has(queue)) place(queue)
  }
}

function earlier(a: Queue, b: Queue): boolean {
  const x = a.entries[a.head]!
  const y = b.entries[b.head]!
  if (x.instant !== y.instant) return x.instant < y.instant
  if (a.sequenced !== b.sequenced) return a.sequenced
  return a.sequenced && a.writer !== b.writer ? a.writer < b.writer : x.arrival < y.arrival
}

function earliestOf(queues: ReadonlySet<Queue>): Queue | undefined {
  let least: Queue | undefined
  for (const queue of queues) if (least === undefined || earlier(queue, least)) least = queue
  return least
}

/** The queues in which a cause stands. */
function holdersOf(queues: readonly Queue[]): Map<string, Set<Queue>> {
  const holders = new Map<string, Set<Queue>>()
  for (const queue of queues) {
    for (const { event } of queue.entries) {
      const name = causeNamed(event)
      const known = name === undefined ? undefined : holders.get(name)
      if (known !== undefined) known.add(queue)
      else if (name !== undefined) holders.set(name, new Set([queue]))
    }
  }
  return holders
}

/** True if a cause is still to come from another writer. What a writer itself numbers later cannot come first. */
function isAwaited(holders: ReadonlySet<Queue> | undefined, queue: Queue): boolean {
  return holders !== undefined && (holders.size > 1 || !holders.has(queue))
}
