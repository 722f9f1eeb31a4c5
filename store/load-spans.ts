import { isSpan } from '../importers/index.ts'
import { type DuckDBConnection, DuckDBDataChunk, INTEGER, UBIGINT } from './duckdb.ts'
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

const CHUNK_ROWS = 2048

/** Leaves out what is stored already, and what stands twice among them. A span is known by trace id and span id. */
export async function newSpans(connection: DuckDBConnection, rows: readonly SpanRow[]): Promise<SpanRow[]> {
  if (rows.length === 0) return []
  const inBatch = new Set<bigint>()
  const unique = rows.filter(({ id }) => !inBatch.has(id) && inBatch.add(id))
  await connection.run(
    'CREATE OR REPLACE TEMP TABLE incoming_spans (position INTEGER NOT NULL, id UBIGINT NOT NULL)',
  )
  const appender = await connection.createAppender('incoming_spans', 'main', 'temp')
  for (let start = 0; start < unique.length; start += CHUNK_ROWS) {
    const part = unique.slice(start, start + CHUNK_ROWS)
    const chunk = DuckDBDataChunk.create([INTEGER, UBIGINT], part.length)
    chunk.setColumns([part.map((_, index) => start + index), part.map(({ id }) => id)])
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
  const known = await connection.runAndReadAll(
    'SELECT position FROM temp.incoming_spans SEMI JOIN base.spans USING (id)',
  )
  const positions = new Set(known.getColumns()[0])
  return positions.size === 0 ? unique : unique.filter((_, index) => !positions.has(index))
}
