import { readdirSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBTimestampValue,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api'
import { type EventRow, readEventRow } from '../store/event-row.ts'
import { readLines } from '../store/lines.ts'
import { createSchema, DERIVED_TABLES } from '../store/schema.ts'
import type { Row } from '../store/table.ts'

// DuckDB's vectors hold this many rows.
const CHUNK_ROWS = 2048

/** Milliseconds until the rows are in the file and the file is closed, and what it then weighs. */
export type Appended = { ms: number; rows: number; bytes: number }

/**
 * Appends the events of a spool to an empty table of the same columns, in one transaction. The rows are read and made
 * before the clock starts. `by`: a value at a time, as DuckDB documents its Appender, or in chunks.
 */
export async function appendEvents(input: {
  directory: string
  database: string
  by: 'value' | 'chunk'
}): Promise<Appended> {
  const rows = await rowsOf(input.directory)
  const appended = await timed(input.database, async (connection) => {
    await connection.run('BEGIN')
    const appender = await connection.createAppender('events', 'base')
    if (input.by === 'chunk') appendChunks(appender, eventColumns(rows))
    else for (const row of rows) appendRow(appender, row)
    appender.closeSync()
    await connection.run('COMMIT')
  })
  return { ...appended, rows: rows.length }
}

// Rows that are held in memory between the two databases.
const PIECE_ROWS = 50 * CHUNK_ROWS

/**
 * Appends every row of a finished store, those derived from the events included, to empty tables of the same columns. The
 * clock stands while rows are read. `by`: a value at a time where no column is a list or a map, or all in chunks.
 */
export async function appendStore(input: {
  store: string
  database: string
  by: 'value' | 'chunk'
}): Promise<Appended> {
  const source = await DuckDBInstance.create(input.store, { access_mode: 'READ_ONLY' })
  const from = await source.connect()
  let rows = 0
  const appended = await timed(input.database, async (connection, clock) => {
    await connection.run('BEGIN')
    for (const name of ['events', ...DERIVED_TABLES]) {
      const appender = await connection.createAppender(name, 'base')
      for await (const columns of clock.without(pieces(from, name))) {
        append(appender, columns, input.by)
        rows += columns[0]!.length
      }
      appender.closeSync()
    }
    await connection.run('COMMIT')
  })
  from.closeSync()
  source.closeSync()
  return { ...appended, rows }
}

async function* pieces(from: DuckDBConnection, table: string): AsyncGenerator<DuckDBValue[][]> {
  let columns: DuckDBValue[][] = []
  for await (const chunk of await from.stream(`FROM base.${table}`)) {
    chunk.appendToColumns(columns)
    if (columns[0]!.length < PIECE_ROWS) continue
    yield columns
    columns = []
  }
  if (columns.length > 0) yield columns
}

function append(appender: DuckDBAppender, columns: readonly DuckDBValue[][], by: 'value' | 'chunk'): void {
  const methods = columns.map((_, index) => BY_TYPE[appender.columnType(index).typeId])
  // A list or a map takes no method but the general one, which is many times as slow as a chunk.
  if (by === 'chunk' || methods.includes(undefined)) appendChunks(appender, columns)
  else appendCells(appender, columns, methods as Method[])
}

function appendChunks(appender: DuckDBAppender, columns: readonly DuckDBValue[][]): void {
  const types = columns.map((_, index) => appender.columnType(index))
  for (let start = 0; start < columns[0]!.length; start += CHUNK_ROWS) {
    const part = columns.map((column) => column.slice(start, start + CHUNK_ROWS))
    const chunk = DuckDBDataChunk.create(types, part[0]!.length)
    chunk.setColumns(part)
    appender.appendDataChunk(chunk)
  }
}

const BY_TYPE = {
  [DuckDBTypeId.BOOLEAN]: 'appendBoolean',
  [DuckDBTypeId.INTEGER]: 'appendInteger',
  [DuckDBTypeId.BIGINT]: 'appendBigInt',
  [DuckDBTypeId.UBIGINT]: 'appendUBigInt',
  [DuckDBTypeId.DOUBLE]: 'appendDouble',
  [DuckDBTypeId.VARCHAR]: 'appendVarchar',
  [DuckDBTypeId.TIMESTAMP]: 'appendTimestamp',
} as unknown as { [type in DuckDBTypeId]?: Method }

type Method = 'appendVarchar' | 'appendBigInt'

function appendCells(
  appender: DuckDBAppender,
  columns: readonly DuckDBValue[][],
  methods: readonly Method[],
): void {
  for (let row = 0; row < columns[0]!.length; row++) {
    for (let index = 0; index < columns.length; index++) {
      const value = columns[index]![row]!
      if (value === null) appender.appendNull()
      else appender[methods[index]!](value as never)
    }
    appender.endRow()
  }
}

/** One prepared INSERT and one transaction an event, as a program without a store would write; the first `rows` events. */
export async function insertEvents(input: {
  directory: string
  database: string
  rows: number
}): Promise<Appended> {
  const rows = (await rowsOf(input.directory)).slice(0, input.rows)
  const appended = await timed(input.database, async (connection) => {
    const insert = await connection.prepare(
      'INSERT INTO base.events VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
    )
    for (const row of rows) {
      insert.bind(Object.values({ ...row, time: timestampOf(row) }) as never)
      await insert.run()
    }
  })
  return { ...appended, rows: rows.length }
}

async function timed(
  database: string,
  act: (connection: DuckDBConnection, clock: Clock) => Promise<void>,
): Promise<Omit<Appended, 'rows'>> {
  const clock = new Clock()
  const instance = await DuckDBInstance.create(database, {
    storage_compatibility_version: 'v1.5.0',
    checkpoint_threshold: '256MB',
  })
  const connection = await instance.connect()
  await createSchema(connection)
  await act(connection, clock)
  await connection.run('CHECKPOINT')
  connection.closeSync()
  instance.closeSync()
  return { ms: clock.ms, bytes: statSync(database).size }
}

/** Milliseconds since it was made, without those in which it stood. */
class Clock {
  readonly #started = performance.now()
  #stood = 0

  get ms(): number {
    return performance.now() - this.#started - this.#stood
  }

  /** Stands while the next of these is made. */
  async *without<T>(made: AsyncIterable<T>): AsyncGenerator<T> {
    let stopped = performance.now()
    for await (const one of made) {
      this.#stood += performance.now() - stopped
      yield one
      stopped = performance.now()
    }
    this.#stood += performance.now() - stopped
  }
}

async function rowsOf(directory: string): Promise<Row[]> {
  const spool = join(directory, 'spool')
  const rows: Row[] = []
  for (const source of readdirSync(spool).sort()) {
    const file = await open(join(spool, source), 'r')
    for await (const { lines } of readLines(file, { offset: 0, number: 1 }, { final: true })) {
      for (const line of lines) {
        const read = readEventRow(line, source, () => `${source}:${line.offset}`)
        if (!('reason' in read)) rows.push(columnsOf(read, source, rows.length))
      }
    }
    await file.close()
  }
  return rows
}

/** In the order of the table's columns. */
function columnsOf(row: EventRow, source: string, arrival: number): Row {
  return {
    arrival: BigInt(arrival),
    id: row.id,
    run: row.run,
    writer: row.writer,
    seq: row.seq,
    time: row.time,
    kind: row.kind,
    agent: row.agent,
    source,
    bytes: BigInt(row.line.bytes),
    readable: true,
    line: row.line.text,
  }
}

function eventColumns(rows: readonly Row[]): DuckDBValue[][] {
  const values = rows.map((row) => Object.values({ ...row, time: timestampOf(row) }) as DuckDBValue[])
  return values[0]!.map((_, index) => values.map((row) => row[index]!))
}

function timestampOf({ time }: Row): DuckDBTimestampValue | null {
  return typeof time === 'bigint' ? new DuckDBTimestampValue(time) : null
}

function appendRow(appender: DuckDBAppender, row: Row): void {
  appender.appendBigInt(row.arrival as bigint)
  appender.appendUBigInt(row.id as bigint)
  appender.appendVarchar(row.run as string)
  if (row.writer === null) appender.appendNull()
  else appender.appendVarchar(row.writer as string)
  if (row.seq === null) appender.appendNull()
  else appender.appendBigInt(row.seq as bigint)
  if (row.time === null) appender.appendNull()
  else appender.appendTimestamp(timestampOf(row)!)
  appender.appendVarchar(row.kind as string)
  if (row.agent === null) appender.appendNull()
  else appender.appendVarchar(row.agent as string)
  appender.appendVarchar(row.source as string)
  appender.appendBigInt(row.bytes as bigint)
  appender.appendBoolean(true)
  appender.appendVarchar(row.line as string)
  appender.endRow()
}
