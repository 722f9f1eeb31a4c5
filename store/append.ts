import { bindings, type DuckDBConnection, DuckDBDataChunk } from './duckdb.ts'
import { fillVector } from './fill-vector.ts'
import { type PackedTable, packTable } from './packed-table.ts'
import { type Row, tableOf } from './table.ts'

/** Names of the columns of every table in schema `base`, in their order. */
export type Columns = Map<string, string[]>

export async function readColumns(connection: DuckDBConnection): Promise<Columns> {
  const result = await connection.runAndReadAll(
    `SELECT table_name, column_name FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = 'base' ORDER BY table_name, column_index`,
  )
  const columns: Columns = new Map()
  for (const [table, column] of result.getRows() as [string, string][]) {
    const names = columns.get(table)
    if (names === undefined) columns.set(table, [column])
    else names.push(column)
  }
  return columns
}

/** Appends rows to a table of schema `base`. Part of the transaction. */
export async function appendRows(
  connection: DuckDBConnection,
  columns: Columns,
  name: string,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length > 0) await appendTables(connection, columns, name, [packTable(tableOf(rows))])
}

/** DuckDB's vectors hold this many rows. */
export const CHUNK_ROWS = 2048

/** Appends rows that stand in columns: many times as fast as INSERT. Part of the transaction. */
export async function appendTables(
  connection: DuckDBConnection,
  columns: Columns,
  name: string,
  tables: Iterable<PackedTable>,
): Promise<void> {
  const appender = await connection.createAppender(name, 'base')
  try {
    const names = columns.get(name)!
    const types = names.map((_, index) => appender.columnType(index))
    const chunk = DuckDBDataChunk.create(types)
    for (const table of tables) {
      for (let from = 0; from < table.rows; from += CHUNK_ROWS) {
        const to = Math.min(from + CHUNK_ROWS, table.rows)
        chunk.reset()
        chunk.rowCount = to - from
        for (const [index, column] of names.entries()) {
          const vector = bindings.data_chunk_get_vector(chunk.chunk, index)
          fillVector(vector, types[index]!, table.columns[column], from, to)
        }
        appender.appendDataChunk(chunk)
      }
    }
  } finally {
    appender.closeSync()
  }
}
