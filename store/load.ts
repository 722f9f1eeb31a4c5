import {
  BIGINT,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBTimestampValue,
  INTEGER,
  LIST,
  listValue,
  UBIGINT,
  VARCHAR,
} from '@duckdb/node-api'
import { appendRows, appendTable, type Columns } from './append.ts'
import { type BadLine, type EventRow, readEventRow } from './event-row.ts'
import type { LineBatch } from './lines.ts'
import { handoffSpanRow } from './linked-runs.ts'
import { newSpans, type SpanBatch, type SpanCounts } from './load-spans.ts'
import { markNamedTraces } from './logged-traces.ts'
import { mayBeUnreadable } from './may-be-unreadable.ts'
import { type Cell, nowMicros, type Row, type Table } from './table.ts'

/** Where lines come from. `source` is the segment's name or the file's path. */
export type Source = { source: string; kind: 'spool' | 'import' }

/** What a batch, a file or a whole ingest did. */
export type LoadCounts = { events: number; duplicates: number; quarantined: number }

const SHOWN_CHARACTERS = 1000
const CHUNK_ROWS = 2048

/** Stores batches of lines: the events that are new, the bad lines, and how far the source was read, all or nothing. */
export class Loader {
  readonly #connection: DuckDBConnection
  readonly #columns: Columns
  #arrival: number | undefined

  constructor(connection: DuckDBConnection, columns: Columns) {
    this.#connection = connection
    this.#columns = columns
  }

  /** Loads one batch in one transaction. `stored` are the events that were new. */
  async load(
    from: Source,
    batch: LineBatch,
    occurrence: (text: string) => string,
  ): Promise<LoadCounts & { stored: EventRow[] }> {
    const rows: EventRow[] = []
    const bad: BadLine[] = []
    for (const line of batch.lines) {
      const read = readEventRow(
        line,
        from.source,
        // A spool segment is read in pieces, but never twice: the place of the line tells it from its equals.
        from.kind === 'spool' ? () => `${from.source}:${line.offset}` : occurrence,
      )
      if ('reason' in read) bad.push(read)
      else rows.push(read)
    }
    const connection = this.#connection
    await connection.run('BEGIN')
    try {
      const fresh = await this.#withoutKnown(rows)
      await this.#appendEvents(fresh, from.source)
      await this.#markStale(fresh)
      await markNamedTraces(connection, fresh)
      const quarantined = await this.#quarantine(bad, from.source)
      const counts = { events: fresh.length, duplicates: rows.length - fresh.length, quarantined }
      await this.#advance(from, batch, counts)
      await connection.run('COMMIT')
      return { ...counts, stored: fresh }
    } catch (error) {
      this.#arrival = undefined
      await connection.run('ROLLBACK').catch(() => {})
      throw error
    }
  }

  /** Loads spans in one transaction: those that are new, what could not be read, and how far the source was read. */
  async loadSpans(from: Source, batch: SpanBatch): Promise<SpanCounts> {
    const connection = this.#connection
    await connection.run('BEGIN')
    try {
      const fresh = await newSpans(connection, batch.rows)
      await appendRows(
        connection,
        this.#columns,
        'spans',
        fresh.map(({ row }) => row),
      )
      const traces = new Set(fresh.map(({ trace }) => trace))
      await appendRows(
        connection,
        this.#columns,
        'stale_traces',
        [...traces].map((trace) => ({ trace })),
      )
      const quarantined = await this.#quarantine(batch.bad, from.source)
      await this.#advance(from, batch, { events: fresh.length, duplicates: 0, quarantined })
      await connection.run('COMMIT')
      return { spans: fresh.length, duplicates: batch.rows.length - fresh.length, quarantined }
    } catch (error) {
      await connection.run('ROLLBACK').catch(() => {})
      throw error
    }
  }

  /** Stores events that were made from spans and marks their runs. Part of the caller's transaction. */
  async storeMade(rows: EventRow[], source: string): Promise<void> {
    await this.#appendEvents(rows, source)
    await this.#markStale(rows)
  }

  /** To be called when a transaction that stored made events was given up. */
  forget(): void {
    this.#arrival = undefined
  }

  /** Leaves out what is stored already, and what stands twice in the batch itself. */
  async #withoutKnown(rows: EventRow[]): Promise<EventRow[]> {
    if (rows.length === 0) return rows
    const inBatch = new Set<bigint>()
    const unique = rows.filter((row) => !inBatch.has(row.id) && inBatch.add(row.id))
    const connection = this.#connection
    await connection.run(
      'CREATE OR REPLACE TEMP TABLE incoming (position INTEGER NOT NULL, id UBIGINT NOT NULL, run VARCHAR NOT NULL)',
    )
    const appender = await connection.createAppender('incoming', 'main', 'temp')
    for (let start = 0; start < unique.length; start += CHUNK_ROWS) {
      const part = unique.slice(start, start + CHUNK_ROWS)
      const chunk = DuckDBDataChunk.create([INTEGER, UBIGINT, VARCHAR], part.length)
      chunk.setColumns([
        part.map((_, index) => start + index),
        part.map((row) => row.id),
        part.map((row) => row.run),
      ])
      appender.appendDataChunk(chunk)
    }
    appender.closeSync()
    const known = await connection.runAndReadAll(
      'SELECT position FROM temp.incoming SEMI JOIN base.events USING (id, run)',
    )
    const positions = new Set(known.getColumns()[0])
    return positions.size === 0 ? unique : unique.filter((_, index) => !positions.has(index))
  }

  async #appendEvents(rows: EventRow[], source: string): Promise<void> {
    if (rows.length === 0) return
    const first = await this.#nextArrival()
    await appendTable(this.#connection, this.#columns, 'events', eventTable(rows, first, source))
    this.#arrival = first + rows.length
    await this.#markUnreadable(
      rows.filter(({ line }) => mayBeUnreadable(line.text)).map(({ id }) => id),
      first,
    )
  }

  async #markUnreadable(doubtful: readonly bigint[], first: number): Promise<void> {
    if (doubtful.length === 0) return
    await this.#connection.run(
      `UPDATE base.events SET readable = false
       WHERE arrival >= $1 AND id IN (SELECT unnest($2)) AND NOT json_valid(line)`,
      [BigInt(first), listValue([...doubtful])],
      [BIGINT, LIST(UBIGINT)],
    )
  }

  async #nextArrival(): Promise<number> {
    if (this.#arrival === undefined) {
      const result = await this.#connection.runAndReadAll(
        'SELECT coalesce(max(arrival), 0) + 1 FROM base.events',
      )
      this.#arrival = Number(result.getRows()[0]![0])
    }
    return this.#arrival
  }

  async #markStale(rows: EventRow[]): Promise<void> {
    const runs = new Set(rows.map((row) => row.run))
    await appendRows(
      this.#connection,
      this.#columns,
      'stale_runs',
      [...runs].map((run) => ({ run })),
    )
    const replays = rows.flatMap(({ run, replayOf }): Row[] =>
      replayOf === undefined ? [] : [{ run, replay_of: replayOf }],
    )
    await appendRows(this.#connection, this.#columns, 'replays', replays)
    await appendRows(this.#connection, this.#columns, 'handoff_spans', rows.flatMap(handoffSpanRow))
  }

  async #quarantine(bad: BadLine[], source: string): Promise<number> {
    if (bad.length === 0) return 0
    const known = await this.#connection.runAndReadAll('SELECT id FROM base.quarantine WHERE source = $1', [
      source,
    ])
    const ids = new Set(known.getColumns()[0])
    const fresh = bad.filter((one) => !ids.has(one.id))
    await appendRows(
      this.#connection,
      this.#columns,
      'quarantine',
      fresh.map(({ id, line, reason }) => ({
        id,
        source,
        line_number: line.number,
        byte_offset: line.offset,
        bytes: line.bytes,
        reason,
        line: line.text.slice(0, SHOWN_CHARACTERS),
        found_at: nowMicros(),
      })),
    )
    return fresh.length
  }

  /** Writes how far the source has been read. */
  async #advance(from: Source, batch: Pick<LineBatch, 'next'>, counts: LoadCounts): Promise<void> {
    const values = [
      from.source,
      from.kind,
      batch.next.offset,
      batch.next.number - 1,
      counts.events,
      counts.quarantined,
      new DuckDBTimestampValue(nowMicros()),
    ]
    const updated = await this.#connection.run(
      `UPDATE base.sources SET bytes_read = $3, lines_read = $4, events = events + $5,
       quarantined = quarantined + $6, read_at = $7 WHERE source = $1 AND kind = $2`,
      values,
    )
    if (updated.rowsChanged === 0) {
      await this.#connection.run('INSERT INTO base.sources VALUES ($1, $2, $3, $4, $5, $6, $7)', values)
    }
  }
}

/** Events as rows of the store, numbered from `first` on. */
function eventTable(rows: readonly EventRow[], first: number, source: string): Table {
  const column = (value: (row: EventRow, index: number) => Cell) => rows.map(value)
  return {
    rows: rows.length,
    columns: {
      arrival: column((_, index) => BigInt(first + index)),
      id: column((row) => row.id),
      run: column((row) => row.run),
      writer: column((row) => row.writer),
      seq: column((row) => row.seq),
      time: column((row) => row.time),
      kind: column((row) => row.kind),
      agent: column((row) => row.agent),
      source: column(() => source),
      bytes: column((row) => row.line.bytes),
      readable: column(() => true),
      line: column((row) => row.line.text),
    },
  }
}
