import { isSpan } from '../importers/index.ts'
import { type DuckDBConnection, LIST, listValue, UBIGINT } from './duckdb.ts'
import type { BadLine } from './event-row.ts'
import { hash64 } from './hash64.ts'
import { type Line, type LineBatch, MAX_LINE_BYTES, type Position } from './lines.ts'
import { readSpanRow, type SpanRow } from './span-row.ts'

/** Spans on their way into the store, what could not be read of their source, and where to read on. */
export type SpanBatch = { rows: SpanRow[]; bad: BadLine[]; next: Position }

/** What a batch of spans did. */
export type SpanCounts = { spans: number; duplicates: number; quarantined: number }

/** Ends the names of spool segments that hold spans, one a line. */
export const SPANS_ENDING = '.spans.jsonl'

/** The spans of lines that hold one each. */
export function readSpanLines(batch: LineBatch, source: string): SpanBatch {
  const rows: SpanRow[] = []
  const bad: BadLine[] = []
  for (const line of batch.lines) {
    const read = spanOfLine(line)
    if (typeof read === 'string') bad.push(badLine(line, source, read))
    else rows.push(readSpanRow(read, line.text, line.bytes, source))
  }
  return { rows, bad, next: batch.next }
}

export function badLine(line: Line, source: string, reason: string): BadLine {
  return { id: hash64(`${source}\n${line.number}\n${line.text}`), line, reason }
}

function spanOfLine(line: Line) {
  if (line.tooLong) return `the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB`
  try {
    const value = JSON.parse(line.text)
    return isSpan(value) ? value : 'not a span: traceId, spanId, name, attributes, scope are needed'
  } catch (error) {
    return `not valid JSON: ${(error as Error).message}`
  }
}

/** Leaves out what is stored already, and what stands twice among them. A span is known by trace id and span id. */
export async function newSpans(connection: DuckDBConnection, rows: readonly SpanRow[]): Promise<SpanRow[]> {
  if (rows.length === 0) return []
  const inBatch = new Set<bigint>()
  const unique = rows.filter(({ id }) => !inBatch.has(id) && inBatch.add(id))
  const stored = await connection.runAndReadAll(
    'SELECT id FROM base.spans WHERE id IN (SELECT unnest($1))',
    [listValue([...inBatch])],
    [LIST(UBIGINT)],
  )
  const known = new Set(stored.getColumns()[0])
  return known.size === 0 ? unique : unique.filter(({ id }) => !known.has(id))
}
