import {
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  listValue,
  mapValue,
} from '@duckdb/node-api'
import { type Cell, type Row, type Table, tableOf } from './table.ts'

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
export function appendRows(
  connection: DuckDBConnection,
  columns: Columns,
  name: string,
  rows: readonly Row[],
): Promise<void> {
  return appendTable(connection, columns, name, tableOf(rows))
}

// DuckDB's vectors hold this many rows.
const CHUNK_ROWS = 2048

/** Appends rows that stand in columns, in chunks: several times as fast as INSERT. Part of the transaction. */
export async function appendTable(
  connection: DuckDBConnection,
  columns: Columns,
  name: string,
  { rows, columns: given }: Table,
): Promise<void> {
  if (rows === 0) return
  const names = columns.get(name)!
  const appender = await connection.createAppender(name, 'base')
  try {
    const types = names.map((_, index) => appender.columnType(index))
    const fitted = names.map((column, index) => formed(given[column], types[index]!))
    for (let start = 0; start < rows; start += CHUNK_ROWS) {
      const end = Math.min(start + CHUNK_ROWS, rows)
      const chunk = DuckDBDataChunk.create(types, end - start)
      chunk.setColumns(
        fitted.map((values) => values?.slice(start, end) ?? new Array<null>(end - start).fill(null)),
      )
      appender.appendDataChunk(chunk)
    }
  } finally {
    appender.closeSync()
  }
}

/** The cells of a column as DuckDB takes them for its type. */
function formed(cells: Cell[] | undefined, type: DuckDBType): DuckDBValue[] | undefined {
  const form = FORMS[type.typeId]
  if (cells === undefined || form === undefined) return cells as DuckDBValue[] | undefined
  return cells.map((cell) => (cell === null ? null : form(cell)))
}

const FORMS: { [type in DuckDBTypeId]?: (cell: Cell) => DuckDBValue } = {
  // A count in JavaScript is a number.
  [DuckDBTypeId.BIGINT]: (cell) => (typeof cell === 'number' ? BigInt(Math.round(cell)) : (cell as bigint)),
  [DuckDBTypeId.TIMESTAMP]: (cell) => new DuckDBTimestampValue(cell as bigint),
  [DuckDBTypeId.LIST]: (cell) => listValue(cell as DuckDBValue[]),
  [DuckDBTypeId.MAP]: (cell) =>
    mapValue(Object.entries(cell as { [key: string]: number }).map(([key, value]) => ({ key, value }))),
}
