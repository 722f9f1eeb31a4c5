import { instantOf } from '../replay/fold/time.ts'

// Rows before they are in DuckDB: plain data, which may also go to another thread.

/**
 * A value of a row as plain data: a TIMESTAMP as its microseconds, a text as it is or as UTF-8, a list as an array, a map as
 * an object.
 */
export type Cell =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly Cell[]
  | { readonly [key: string]: number }

/** A row by column names; a column that is not named is null. */
export type Row = { [column: string]: Cell | undefined }

/**
 * A row in parts that each have other columns: objects of a few columns, the same each time, are quick to make and to read,
 * and one of many columns that is put together from them is not.
 */
export type RowInParts = readonly Row[]

/**
 * Rows as a list of values a column; a column that is not named is null. While rows are added, a list ends with the last
 * value that is not null: `complete` makes each as long as there are rows.
 */
export type Table = { rows: number; columns: { [column: string]: Cell[] } }

export function tableOf(rows: readonly Row[]): Table {
  const table: Table = { rows: 0, columns: {} }
  addRows(
    table,
    rows.map((row) => [row]),
  )
  return table
}

/** Adds rows at the end of a table. */
export function addRows(table: Table, rows: readonly RowInParts[]): void {
  for (const parts of rows) {
    for (const part of parts) addCells(table, part)
    table.rows += 1
  }
}

function addCells({ columns, rows }: Table, cells: Row): void {
  for (const name in cells) {
    const cell = cells[name]
    if (cell === undefined || cell === null) continue
    columns[name] ??= []
    fill(columns[name], rows).push(cell)
  }
}

/** Ends every column at the last row. */
export function complete(table: Table): Table {
  for (const name in table.columns) fill(table.columns[name]!, table.rows)
  return table
}

function fill(column: Cell[], length: number): Cell[] {
  while (column.length < length) column.push(null)
  return column
}

/** An RFC 3339 time in whole microseconds since 1970, which is what a TIMESTAMP holds; null if it is none. */
export function timestampMicros(at: unknown): bigint | null {
  const instant = instantOf(at)
  return instant === undefined ? null : BigInt(Math.round(instant * 1000))
}

/** Now, in microseconds since 1970. */
export function nowMicros(): bigint {
  return BigInt(Date.now()) * 1000n
}

/** Compact JSON that DuckDB reads too: it knows no lone surrogates, so they become U+FFFD. */
export function jsonText(value: unknown): string | null {
  const text = JSON.stringify(value)
  if (text === undefined || value === null) return null
  return text.includes('\\ud')
    ? text.replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd')
    : text
}
