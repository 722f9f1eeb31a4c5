import { readdirSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBTimestampValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { appendRows, readColumns } from '../store/append.ts'
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
  return timed(input.database, rows.length, async (connection) => {
    await connection.run('BEGIN')
    if (input.by === 'chunk') await appendRows(connection, await readColumns(connection), 'events', rows)
    else {
      const appender = await connection.createAppender('events', 'base')
      for (const row of rows) appendRow(appender, row)
      appender.closeSync()
    }
    await connection.run('COMMIT')
  })
}

/**
 * Appends every row of a finished store, those derived from the events included, to empty tables of the same columns. The
 * rows are read before the clock starts.
 */
export async function appendStore(input: { store: string; database: string }): Promise<Appended> {
  const source = await DuckDBInstance.create(input.store, { access_mode: 'READ_ONLY' })
  const from = await source.connect()
  const tables: { name: string; columns: DuckDBValue[][] }[] = []
  for (const name of ['events', ...DERIVED_TABLES]) {
    const columns = (await from.runAndReadAll(`FROM base.${name}`)).getColumns() as DuckDBValue[][]
    // Of an empty table there are no columns.
    if (columns.length > 0) tables.push({ name, columns })
  }
  from.closeSync()
  source.closeSync()
  const rows = tables.reduce((sum, { columns }) => sum + columns[0]!.length, 0)
  return timed(input.database, rows, async (connection) => {
    await connection.run('BEGIN')
    for (const { name, columns } of tables) {
      const appender = await connection.createAppender(name, 'base')
      const types = columns.map((_, index) => appender.columnType(index))
      for (let start = 0; start < columns[0]!.length; start += CHUNK_ROWS) {
        const part = columns.map((column) => column.slice(start, start + CHUNK_ROWS))
        const chunk = DuckDBDataChunk.create(types, part[0]!.length)
        chunk.setColumns(part)
        appender.appendDataChunk(chunk)
      }
      appender.closeSync()
    }
    await connection.run('COMMIT')
  })
}

/** One prepared INSERT and one transaction an event, as a program without a store would write; the first `rows` events. */
export async function insertEvents(input: {
  directory: string
  database: string
  rows: number
}): Promise<Appended> {
  const rows = (await rowsOf(input.directory)).slice(0, input.rows)
  return timed(input.database, rows.length, async (connection) => {
    const insert = await connection.prepare(
      'INSERT INTO base.events VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
    )
    for (const row of rows) {
      insert.bind(Object.values({ ...row, time: timestampOf(row) }) as never)
      await insert.run()
    }
  })
}

async function timed(
  database: string,
  rows: number,
  act: (connection: DuckDBConnection) => Promise<void>,
): Promise<Appended> {
  const started = performance.now()
  const instance = await DuckDBInstance.create(database, {
    storage_compatibility_version: 'v1.5.0',
    checkpoint_threshold: '256MB',
  })
  const connection = await instance.connect()
  await createSchema(connection)
  await act(connection)
  await connection.run('CHECKPOINT')
  connection.closeSync()
  instance.closeSync()
  return { ms: performance.now() - started, rows, bytes: statSync(database).size }
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
