import { appendRows, appendTables, CHUNK_ROWS, type Columns } from './append.ts'
import { type DuckDBConnection, LIST, listValue, VARCHAR } from './duckdb.ts'
import { type BadLine, type EventRow, readEventRow } from './event-row.ts'
import { KnownEvents } from './known-events.ts'
import type { LineBatch } from './lines.ts'
import { handoffSpanRow } from './linked-runs.ts'
import { newSpans, type SpanBatch, type SpanCounts } from './load-spans.ts'
import { markNamedTraces } from './logged-traces.ts'
import { type PackedTable, packTable } from './packed-table.ts'
import { ReadPositions, type Source } from './read-positions.ts'
import { type Cell, nowMicros, type Row, type Table } from './table.ts'
import { Transaction } from './transaction.ts'

/** What a batch, a file or a whole ingest did. */
export type LoadCounts = { events: number; duplicates: number; quarantined: number }

/** What a batch brought: the events that were new, and the runs of the batch that had some before. */
export type Stored = { stored: readonly EventRow[]; known: ReadonlySet<string> }
export const NOTHING: Stored = { stored: [], known: new Set() }

const SHOWN_CHARACTERS = 1000

/** As many rows at once are written to their place, and not into the write-ahead log before. */
const MOST_UNCOMMITTED = 300_000

/**
 * Stores batches of lines: the events that are new, the bad lines, and how far the source was read, all or nothing. Batches
 * share a transaction, which the one who began with `load` ends with `commit`.
 */
export class Loader {
  readonly #connection: DuckDBConnection
  readonly #columns: Columns
  readonly transaction: Transaction
  readonly #known: KnownEvents
  readonly #positions = new ReadPositions()
  #uncommitted = 0
  #arrival: number | undefined

  constructor(connection: DuckDBConnection, columns: Columns) {
    this.#connection = connection
    this.#columns = columns
    this.transaction = new Transaction(connection)
    this.#known = new KnownEvents(this.transaction)
  }

  /** Loads one batch. `stored` are the events that were new; `known` are runs of the batch that had some before. */
  async load(
    from: Source,
    batch: LineBatch,
    occurrence: (text: string) => string,
  ): Promise<LoadCounts & Stored> {
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
    return this.#write(from, batch, async () => {
      const known = await this.#known.runsOf(rows)
      const fresh = await this.#known.without(rows, known)
      const arrival = await this.#appendEvents(fresh, from.source)
      this.#known.note(fresh, known, arrival)
      await this.#markStale(fresh)
      await markNamedTraces(this.#connection, fresh)
      const quarantined = await this.#quarantine(bad, from.source)
      const duplicates = rows.length - fresh.length
      return { events: fresh.length, duplicates, quarantined, stored: fresh, known }
    })
  }

  /** Loads spans: those that are new, what could not be read, and how far the source was read. */
  loadSpans(from: Source, batch: SpanBatch): Promise<SpanCounts> {
    return this.#write(from, batch, async () => {
      const fresh = await newSpans(this.#connection, batch.rows)
      await appendRows(
        this.#connection,
        this.#columns,
        'spans',
        fresh.map(({ row }) => row),
      )
      const traces = new Set(fresh.map(({ trace }) => trace))
      await appendRows(
        this.#connection,
        this.#columns,
        'stale_traces',
        [...traces].map((trace) => ({ trace })),
      )
      const quarantined = await this.#quarantine(batch.bad, from.source)
      return { spans: fresh.length, duplicates: batch.rows.length - fresh.length, quarantined }
    })
  }

  /** Ends the transaction of what was loaded since the last time, if none of it failed. */
  async commit(): Promise<void> {
    if (!this.transaction.isOpen) return
    await this.transaction.write(() => this.#positions.write(this.#connection))
    await this.transaction.commit()
    this.#begin()
  }

  /** Stores events that were made from spans and marks their runs. Part of the caller's transaction. */
  async storeMade(rows: EventRow[], source: string): Promise<void> {
    await this.#appendEvents(rows, source)
    await this.#markStale(rows)
  }

  async #write<T extends { events?: number; spans?: number; quarantined: number }>(
    from: Source,
    { next }: Pick<LineBatch, 'next'>,
    store: () => Promise<T>,
  ): Promise<T> {
    // What was read in a transaction that was rolled back is read again.
    if (!this.transaction.isOpen) this.#begin()
    const stored = await this.transaction.write(store)
    const { events = 0, spans = 0, quarantined } = stored
    this.#positions.add(from, next, { events: events + spans, quarantined })
    this.#uncommitted += events + spans
    if (this.#uncommitted >= MOST_UNCOMMITTED) await this.commit()
    return stored
  }

  #begin(): void {
    this.#positions.forget()
    this.#known.forget()
    this.#uncommitted = 0
  }

  /** The arrival of the first of them. */
  async #appendEvents(rows: EventRow[], source: string): Promise<number> {
    const first = await this.#nextArrival()
    if (rows.length === 0) return first
    const unreadable = await this.#unreadable(rows)
    await appendTables(
      this.#connection,
      this.#columns,
      'events',
      eventTables(rows, first, source, unreadable),
    )
    this.#arrival = first + rows.length
    return first
  }

  /** Those whose line DuckDB cannot read, though JavaScript did. */
  async #unreadable(rows: readonly EventRow[]): Promise<Set<EventRow>> {
    const doubtful = rows.filter((row) => row.doubtful)
    if (doubtful.length === 0) return new Set()
    const result = await this.#connection.runAndReadAll(
      'SELECT json_valid(line) FROM (SELECT unnest($1) AS line)',
      [listValue(doubtful.map(({ line }) => line.text))],
      [LIST(VARCHAR)],
    )
    const valid = result.getColumns()[0]!
    return new Set(doubtful.filter((_, index) => valid[index] !== true))
  }

  /** A number that was taken by what was rolled back stays unused. */
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
}

/** Events as rows of the store, numbered from `first` on: as many at a time as are appended at once. */
function* eventTables(
  rows: readonly EventRow[],
  first: number,
  source: string,
  unreadable: ReadonlySet<EventRow>,
): Iterable<PackedTable> {
  for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
    yield packTable(eventTable(rows.slice(from, from + CHUNK_ROWS), first + from, source, unreadable))
  }
}

function eventTable(
  rows: readonly EventRow[],
  first: number,
  source: string,
  unreadable: ReadonlySet<EventRow>,
): Table {
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
      readable: column((row) => !unreadable.has(row)),
      line: column((row) => row.line.data),
    },
  }
}
