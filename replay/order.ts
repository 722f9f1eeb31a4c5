import { canonicalJson } from '../model/hash.ts'
import { isKind, type RunEvent } from '../model/run-log.ts'
import { instantOf } from './time.ts'

/**
 * The events of one run in the order in which they must be shown: by time, writer and sequence, but within a writer
 * always by sequence (a clock may step back), and never an effect before its cause (a handoff received before it was
 * sent, an attempt before its predecessor). An event that was delivered twice stands once. Input order decides ties.
 */
export function orderEvents(events: readonly RunEvent[]): RunEvent[] {
  const queues = writerQueues(withoutDuplicates(events))
  return mergeQueues(queues)
}

function withoutDuplicates(events: readonly RunEvent[]): RunEvent[] {
  const seen = new Map<string, string[]>()
  return events.filter((event) => {
    // Without a sequence number two equal lines are two events: nothing says that they are one.
    if (event.seq === undefined) return true
    const id = `${event.writer ?? ''}\u0000${event.seq}\u0000${event.kind}`
    const earlier = seen.get(id)
    if (earlier === undefined) {
      seen.set(id, [])
      return true
    }
    // Rare path: only when writer, number and kind agree is the content compared.
    if (earlier.length === 0) earlier.push(...firstBodies(events, event))
    const body = canonicalJson(event)
    if (earlier.includes(body)) return false
    earlier.push(body)
    return true
  })
}

function firstBodies(events: readonly RunEvent[], like: RunEvent): string[] {
  const first = events.find(
    (event) => event.seq === like.seq && event.kind === like.kind && event.writer === like.writer,
  )
  return first === undefined ? [] : [canonicalJson(first)]
}

type Queued = { event: RunEvent; instant: number; arrival: number }
type Queue = { writer: string; head: number; entries: Queued[] }

function writerQueues(events: readonly RunEvent[]): Queue[] {
  const byWriter = new Map<string, Queued[]>()
  events.forEach((event, arrival) => {
    const writer = event.writer ?? ''
    const entry = { event, instant: instantOf(event.at) ?? Number.NaN, arrival }
    const entries = byWriter.get(writer)
    if (entries === undefined) byWriter.set(writer, [entry])
    else entries.push(entry)
  })
  return [...byWriter].map(([writer, entries]) => {
    entries.sort(bySequence)
    let latest = Number.NEGATIVE_INFINITY
    for (const entry of entries) {
      // An event without a time, or one whose clock stepped back, happened no earlier than the one before it.
      latest = Number.isNaN(entry.instant) ? latest : Math.max(latest, entry.instant)
      entry.instant = latest
    }
    return { writer, head: 0, entries }
  })
}

function bySequence(a: Queued, b: Queued): number {
  const { seq: x } = a.event
  const { seq: y } = b.event
  if (x !== undefined && y !== undefined && x !== y) return x - y
  if (x !== undefined && y !== undefined) return a.arrival - b.arrival
  if (!Number.isNaN(a.instant) && !Number.isNaN(b.instant) && a.instant !== b.instant)
    return a.instant - b.instant
  return a.arrival - b.arrival
}

/** Takes the earliest head whose cause has been taken already; if every head waits (a cycle), simply the earliest. */
function mergeQueues(queues: Queue[]): RunEvent[] {
  if (queues.length === 1) return queues[0]!.entries.map((entry) => entry.event)
  const awaited = countCauses(queues)
  const out: RunEvent[] = []
  for (;;) {
    const open = queues.filter((queue) => queue.head < queue.entries.length)
    if (open.length === 0) return out
    const ready = open.filter((queue) => !waits(queue.entries[queue.head]!.event, awaited))
    const next = (ready.length > 0 ? ready : open).reduce((a, b) => (earlier(a, b) ? a : b))
    const { event } = next.entries[next.head++]!
    const cause = causeName(event)
    if (cause !== undefined) awaited.set(cause, (awaited.get(cause) ?? 1) - 1)
    out.push(event)
  }
}

function earlier(a: Queue, b: Queue): boolean {
  const x = a.entries[a.head]!
  const y = b.entries[b.head]!
  if (x.instant !== y.instant) return x.instant < y.instant
  if (a.writer !== b.writer) return a.writer < b.writer
  return x.arrival < y.arrival
}

/** How many events of each cause are still to come. */
function countCauses(queues: Queue[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { entries } of queues) {
    for (const { event } of entries) {
      const cause = causeName(event)
      if (cause !== undefined) counts.set(cause, (counts.get(cause) ?? 0) + 1)
    }
  }
  return counts
}

function causeName(event: RunEvent): string | undefined {
  if (event.kind === 'run.start') return 'start'
  if (isKind(event, 'handoff.sent')) return `sent\u0000${event.handoff}\u0000${event.attempt ?? 1}`
  if (isKind(event, 'operation') && event.key !== undefined) {
    return `attempt\u0000${event.key}\u0000${event.attempt ?? 1}`
  }
  return undefined
}

function waits(event: RunEvent, awaited: Map<string, number>): boolean {
  if (event.kind !== 'run.start' && (awaited.get('start') ?? 0) > 0) return true
  if (
    event.kind.startsWith('handoff.') &&
    event.kind !== 'handoff.sent' &&
    typeof event.handoff === 'string'
  ) {
    const attempt = typeof event.attempt === 'number' ? event.attempt : 1
    return (awaited.get(`sent\u0000${event.handoff}\u0000${attempt}`) ?? 0) > 0
  }
  if (isKind(event, 'operation') && event.key !== undefined && (event.attempt ?? 1) > 1) {
    return (awaited.get(`attempt\u0000${event.key}\u0000${event.attempt! - 1}`) ?? 0) > 0
  }
  return false
}
