import { isObject, textOf } from '../model/json.ts'
import { parseEventLine } from '../model/parse-event.ts'
import { isKind, type RunEvent } from '../model/run-log.ts'
import { linkedSpan, sentSpan } from '../replay/join-orphans.ts'
import { hash64 } from './hash64.ts'
import { type Line, MAX_LINE_BYTES } from './lines.ts'
import { mayBeUnreadable } from './may-be-unreadable.ts'
import { timestampMicros } from './table.ts'

/** One line as it is stored, and what of its event ties runs together. The event itself is not held in memory. */
export type EventRow = {
  id: bigint
  run: string
  writer: string | null
  seq: bigint | null
  /** Microseconds since 1970. */
  time: bigint | null
  kind: string
  agent: string | null
  line: Line
  /** Whether DuckDB may refuse to read it. */
  doubtful: boolean
  /** Whether its event is what JSON makes of the line, and nothing in it had to be changed. */
  asWritten: boolean
  /** The handoff that is sent or received by it. */
  handoff?: string | undefined
  /** The span by which it may join two runs: the one in which it was sent, or the one that an orphan names. */
  span?: { name: string; sent: boolean }
  /** The run that its run repeats. */
  replayOf?: string
  /** The trace in which it was written, in small letters. */
  trace?: string
}

/** A line that is no event, and why. */
export type BadLine = { id: bigint; line: Line; reason: string }

/**
 * Reads a line into its row. The identity of an event is the sha256 of its verbatim line, which holds run, writer, seq
 * and kind; of this the first 64 bits, compared within a run. Without `seq` and `event_id` two equal lines are two events,
 * so `occurrence` (what tells them apart, and is the same whenever the file is read) goes into the identity as well.
 */
export function readEventRow(
  line: Line,
  source: string,
  occurrence: (text: string) => string,
): EventRow | BadLine {
  const { text } = line
  const parsed = line.tooLong
    ? {
        event: undefined,
        reason: `the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB: keep large content elsewhere and refer to it`,
      }
    : parseEventLine(text)
  if (parsed.event === undefined) {
    return { id: hash64(`${source}\n${line.number}\n${text}`), line, reason: parsed.reason }
  }
  const { event } = parsed
  return {
    id: hash64(isUnique(event) ? line.data : `${text}\n${occurrence(text)}`),
    run: event.run,
    writer: textOf(event.writer) ?? null,
    seq: event.seq === undefined ? null : BigInt(event.seq),
    time: timestampMicros(event.at),
    kind: event.kind,
    agent: textOf(event.agent) ?? null,
    line,
    doubtful: mayBeUnreadable(text),
    asWritten: parsed.asWritten,
    ...traceOf(event),
    ...tiesOf(event),
  }
}

function traceOf({ trace }: RunEvent): Pick<EventRow, 'trace'> | undefined {
  const id = isObject(trace) ? textOf(trace.id) : undefined
  return id === undefined ? undefined : { trace: id.toLowerCase() }
}

function tiesOf(event: RunEvent): Pick<EventRow, 'handoff' | 'span' | 'replayOf'> | undefined {
  if (isKind(event, 'run.start')) {
    const { replay_of: replayOf } = event
    return replayOf === undefined || replayOf === event.run ? undefined : { replayOf }
  }
  const isSent = isKind(event, 'handoff.sent')
  if (!isSent && !isKind(event, 'handoff.received')) return undefined
  const name = isSent ? sentSpan(event) : linkedSpan(event)
  return { handoff: event.handoff, ...(name !== undefined && { span: { name, sent: isSent } }) }
}

function isUnique(event: RunEvent): boolean {
  return typeof event.seq === 'number' || textOf(event.event_id) !== undefined
}

/** Counts equal lines within one file, so that the second of them is another event than the first. */
export function occurrenceCounter(): (text: string) => string {
  const seen = new Map<bigint, number>()
  return (text) => {
    const key = hash64(text)
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return String(count)
  }
}
