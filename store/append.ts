import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  listValue,
  mapValue,
} from './duckdb.ts'
import { type Cell, joinTables, type Row, type Table, tableOf } from './table.ts'

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
  return appendTables(connection, columns, name, rows.length === 0 ? [] : [() => tableOf(rows)])
}

/**
 * Appends rows that stand in columns: several times as fast as INSERT. Part of the transaction. Each of the tables is made
 * when the one before is appended: what is let go soon costs the garbage collector nothing.
 */
export async function appendTables(
  connection: DuckDBConnection,
  columns: Columns,
  name: string,
  tables: readonly (() => Table)[],
): Promise<void> {
  if (tables.length === 0) return
  const appender = await connection.createAppender(name, 'base')
  try {
    const types = columns.get(name)!.map((_, index) => appender.columnType(index))
    const append = ({ rows, columns: cells }: Table, put: typeof appendValues) => {
      const fields = columns
        .get(name)!
        .map((column, index) => ({ cells: cells[column], type: types[index]! }))
      put(appender, fields, rows)
    }
    if (types.every(({ typeId }) => typeId in PUT)) for (const table of tables) append(table(), appendValues)
    // Longer chunks cost less.
    else append(joinTables(tables.map((table) => table())), appendChunks)
  } finally {
    appender.closeSync()
  }
}

/** A column of a table, and its cells if any of them is not null. */
type Field = { cells: Cell[] | undefined; type: DuckDBType }

/** A value at a time: cheaper than a chunk, in which every text is looked through once more for what is no UTF-8. */
function appendValues(appender: DuckDBAppender, fields: readonly Field[], rows: number): void {
  const puts = fields.map(({ cells, type }) => ({ cells, put: PUT[type.typeId]! }))
  for (let row = 0; row < rows; row++) {
    for (const { cells, put } of puts) {
      const cell = cells?.[row] ?? null
      if (cell === null) appender.appendNull()
      else put(appender, cell)
    }
    appender.endRow()
  }
}

const PUT: { [type in DuckDBTypeId]?: (appender: DuckDBAppender, cell: Cell) => void } = {
  [DuckDBTypeId.BOOLEAN]: (appender, cell) => appender.appendBoolean(cell as boolean),
  [DuckDBTypeId.INTEGER]: (appender, cell) => appender.appendInteger(cell as number),
  [DuckDBTypeId.BIGINT]: (appender, cell) => appender.appendBigInt(wholeOf(cell)),
  [DuckDBTypeId.UBIGINT]: (appender, cell) => appender.appendUBigInt(cell as bigint),
  [DuckDBTypeId.DOUBLE]: (appender, cell) => appender.appendDouble(cell as number),
  [DuckDBTypeId.VARCHAR]: (appender, cell) => appender.appendVarchar(cell as string),
  [DuckDBTypeId.TIMESTAMP]: (appender, cell) => appender.appendTimestamp(timestampOf(cell)),
}

// DuckDB's vectors hold this many rows.
const CHUNK_ROWS = 2048

/** Many at a time: a list or a map by itself costs more than all the texts beside it. */
function appendChunks(appender: DuckDBAppender, fields: readonly Field[], rows: number): void {
  const types = fields.map(({ type }) => type)
  const fitted = fields.map(({ cells, type }) => formed(cells, type))
  for (let start = 0; start < rows; start += CHUNK_ROWS) {
    const end = Math.min(start + CHUNK_ROWS, rows)
    const chunk = DuckDBDataChunk.create(types, end - start)
    chunk.setColumns(
      fitted.map((values) => values?.slice(start, end) ?? new Array<null>(end - start).fill(null)),
    )
    appender.appendDataChunk(chunk)
  }
}

/** The cells of a column as DuckDB takes them for its type. */
function formed(cells: Cell[] | undefined, type: DuckDBType): DuckDBValue[] | undefined {
  const form = FORMS[type.typeId]
  if (cells === undefined || form === undefined) return cells as DuckDBValue[] | undefined
  return cells.map((cell) => (cell === null ? null : form(cell)))
}

const FORMS: { [type in DuckDBTypeId]?: (cell: Cell) => DuckDBValue } = {
  [DuckDBTypeId.BIGINT]: wholeOf,
  [DuckDBTypeId.TIMESTAMP]: timestampOf,
  [DuckDBTypeId.LIST]: (cell) => listValue(cell as DuckDBValue[]),
  [DuckDBTypeId.MAP]: (cell) =>
    mapValue(Object.entries(cell as { [key: string]: number }).map(([key, value]) => ({ key, value }))),
}

/** A count in JavaScript is a number. */
function wholeOf(cell: Cell): bigint {
  return typeof cell === 'number' ? BigInt(Math.round(cell)) : (cell as bigint)
}

function timestampOf(cell: Cell): DuckDBTimestampValue {
  return new DuckDBTimestampValue(cell as bigint)
}
