import crypto from 'node:crypto'
import { textOf } from '../model/json.ts'
import { parseEventLine } from '../model/parse-event.ts'
import type { RunEvent } from '../model/run-log.ts'
import { type DuckDBTimestampValue, timestampValue } from './duckdb-values.ts'
import { type Line, MAX_LINE_BYTES } from './lines.ts'

/** One line as it is stored, and the event it holds. */
export type EventRow = {
  id: bigint
  run: string
  writer: string | null
  seq: bigint | null
  time: DuckDBTimestampValue | null
  kind: string
  agent: string | null
  line: Line
  event: RunEvent
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
  const parsed = line.tooLong
    ? {
        reason: `the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB: keep large content elsewhere and refer to it`,
      }
    : parseEventLine(line.text)
  if (parsed.event === undefined) {
    return { id: hash64(`${source}\n${line.number}\n${line.text}`), line, reason: parsed.reason }
  }
  const { event } = parsed
  return {
    id: hash64(isUnique(event) ? line.text : `${line.text}\n${occurrence(line.text)}`),
    run: event.run,
    writer: textOf(event.writer) ?? null,
    seq: event.seq === undefined ? null : BigInt(event.seq),
    time: timestampValue(event.at),
    kind: event.kind,
    agent: textOf(event.agent) ?? null,
    line,
    event,
  }
}

function isUnique(event: RunEvent): boolean {
  return typeof event.seq === 'number' || textOf(event.event_id) !== undefined
}

// Half the cost on short texts; not there before Node 20.12.
const oneShot: typeof crypto.hash | undefined = crypto.hash

/** The first 8 bytes of the sha256 of a text. */
export function hash64(text: string): bigint {
  return (
    oneShot?.('sha256', text, 'buffer') ?? crypto.createHash('sha256').update(text).digest()
  ).readBigUInt64BE(0)
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
