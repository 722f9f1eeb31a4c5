import { parseEvent } from '../model/parse-event.ts'
import type { RunEvent } from '../model/run-log.ts'
import type { SpanNode } from './span-tree.ts'
import { timeOfNanos } from './time.ts'

/** What comes first of what happens at one moment: an answer before what it causes, a sending before its receipt. */
export const ORDER = { start: 0, ended: 1, sent: 2, received: 3, begun: 4, end: 5, note: 6 } as const

type Entry = { nanos: bigint; order: number; tie: string; event: Record<string, unknown> }

/** Collects the events of one run and numbers them in their order. The same acts give the same events, byte for byte. */
export class Timeline {
  readonly #run: string
  readonly #entries: Entry[] = []

  constructor(run: string) {
    this.#run = run
  }

  /** `node` is the span that says so. Fields that are undefined are left out. */
  add(
    nanos: bigint,
    order: number,
    kind: string,
    node: SpanNode | undefined,
    fields: Record<string, unknown>,
  ): void {
    const { traceId: id, spanId: span, parentSpanId: parent } = node?.span ?? {}
    const trace = id === undefined ? undefined : { id, span, ...(parent ? { parent } : {}) }
    const event: Record<string, unknown> = { kind, trace, ...fields }
    for (const [name, value] of Object.entries(event)) if (value === undefined) delete event[name]
    this.#entries.push({ nanos, order, tie: `${span ?? ''} ${kind}`, event })
  }

  /** The events, and why some cannot be told: what a run log cannot hold (nested beyond all measure) is left out. */
  finish(): { events: RunEvent[]; refused: string[] } {
    const events: RunEvent[] = []
    const refused: string[] = []
    for (const { nanos, event } of this.#entries.sort(inOrder)) {
      const at = timeOfNanos(nanos)
      const read = parseEvent({
        run: this.#run,
        seq: events.length + 1,
        ...(at === undefined ? {} : { at }),
        writer: WRITER,
        ...event,
      })
      if (read.event === undefined) refused.push(read.reason)
      else events.push(read.event)
    }
    return { events, refused }
  }
}

/** The writer of imported events. */
export const WRITER = 'spans'

function inOrder(a: Entry, b: Entry): number {
  if (a.nanos !== b.nanos) return a.nanos < b.nanos ? -1 : 1
  if (a.order !== b.order) return a.order - b.order
  return a.tie < b.tie ? -1 : a.tie > b.tie ? 1 : 0
}
