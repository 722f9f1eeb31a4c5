import { type Cell, complete, type Table } from './table.ts'

/**
 * Rows as DuckDB's vectors hold them, a column at a time: a few pieces of memory, which the garbage collector passes over
 * and another thread gets without a copy. A column that is not named is null.
 */
export type PackedTable = { rows: number; columns: { [column: string]: PackedColumn } }

/** `ends`: where the text or the list of each row ends among those of all. `nulls`: 1 for each row that is null. */
export type PackedColumn = { nulls: Uint8Array | undefined } & (
  | { kind: 'text'; bytes: Uint8Array; ends: Uint32Array }
  | { kind: 'number'; values: Float64Array }
  | { kind: 'bigint'; values: BigInt64Array }
  | { kind: 'boolean'; values: Uint8Array }
  | { kind: 'list'; ends: Uint32Array; items: PackedColumn | undefined }
  | { kind: 'map'; ends: Uint32Array; keys: PackedColumn | undefined; values: PackedColumn | undefined }
)

/** As much more memory stands behind the last text, so that it can be read by words without looking for its end. */
export const TEXT_MARGIN = 12

export function packTable(table: Table): PackedTable {
  const { rows, columns } = complete(table)
  const packed: PackedTable = { rows, columns: {} }
  for (const name in columns) {
    const column = packColumn(columns[name]!)
    if (column !== undefined) packed.columns[name] = column
  }
  return packed
}

/** The memory that a table is in, to be given to another thread. */
export function memoryOf({ columns }: PackedTable): ArrayBuffer[] {
  return Object.values(columns).flatMap(memoryOfColumn)
}

function memoryOfColumn(column: PackedColumn): ArrayBuffer[] {
  return Object.values(column).flatMap((part) => {
    if (ArrayBuffer.isView(part)) return part.buffer as ArrayBuffer
    return typeof part === 'object' ? memoryOfColumn(part) : []
  })
}

/** Nothing for a column in which all is null. */
function packColumn(cells: readonly Cell[]): PackedColumn | undefined {
  const sample = cells.find((cell) => cell !== null)
  const nulls = nullsOf(cells)
  switch (typeof sample) {
    case 'undefined':
      return undefined
    case 'string':
      return { kind: 'text', nulls, ...packTexts(cells as readonly (string | null)[]) }
    case 'number':
      return { kind: 'number', nulls, values: new Float64Array(cells as readonly number[]) }
    case 'bigint':
      return { kind: 'bigint', nulls, values: packBigints(cells as readonly (bigint | null)[]) }
    case 'boolean':
      return { kind: 'boolean', nulls, values: new Uint8Array(cells as readonly number[]) }
    default:
  }
  if (sample instanceof Uint8Array) {
    return { kind: 'text', nulls, ...packBytes(cells as readonly (Uint8Array | null)[]) }
  }
  if (Array.isArray(sample)) {
    const lists = cells as readonly (readonly Cell[] | null)[]
    return {
      kind: 'list',
      nulls,
      ends: endsOf(lists),
      items: packColumn(lists.flatMap((list) => list ?? [])),
    }
  }
  const maps = cells.map((cell) => Object.entries(cell ?? {}))
  return {
    kind: 'map',
    nulls,
    ends: endsOf(maps),
    keys: packColumn(maps.flatMap((map) => map.map(([key]) => key))),
    values: packColumn(maps.flatMap((map) => map.map(([, value]) => value))),
  }
}

function nullsOf(cells: readonly Cell[]): Uint8Array | undefined {
  let nulls: Uint8Array | undefined
  for (let row = 0; row < cells.length; row++) {
    if (cells[row] !== null) continue
    nulls ??= new Uint8Array(cells.length)
    nulls[row] = 1
  }
  return nulls
}

type Texts = { bytes: Uint8Array; ends: Uint32Array }

/** More than this is not joined: a string of JavaScript has a longest length. */
const MOST_JOINED = 2 ** 28

/** Texts of ASCII, as nearly all are, cost a fraction of others when they are written as one. */
function packTexts(cells: readonly (string | null)[]): Texts {
  const ends = endsOf(cells)
  const length = ends.at(-1)!
  // A null joins as nothing.
  const joined = length > MOST_JOINED ? undefined : cells.join('')
  if (joined === undefined || Buffer.byteLength(joined) > length) {
    return packBytes(cells.map((cell) => (cell === null ? null : Buffer.from(cell))))
  }
  const bytes = Buffer.allocUnsafeSlow(length + TEXT_MARGIN)
  bytes.write(joined, 'latin1')
  return { bytes, ends }
}

function packBytes(cells: readonly (Uint8Array | null)[]): Texts {
  const ends = endsOf(cells)
  const bytes = Buffer.allocUnsafeSlow(ends.at(-1)! + TEXT_MARGIN)
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row]
    if (cell) bytes.set(cell, ends[row]! - cell.length)
  }
  return { bytes, ends }
}

/** Where each ends if they stand one after the other. */
function endsOf(cells: readonly ({ length: number } | null)[]): Uint32Array {
  const ends = new Uint32Array(cells.length)
  let end = 0
  for (let row = 0; row < cells.length; row++) {
    end += cells[row]?.length ?? 0
    ends[row] = end
  }
  return ends
}

/** Those of UBIGINT too: the bits are the same. */
function packBigints(cells: readonly (bigint | null)[]): BigInt64Array {
  const values = new BigInt64Array(cells.length)
  for (let row = 0; row < cells.length; row++) values[row] = cells[row] ?? 0n
  return values
}
