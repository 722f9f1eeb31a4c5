import { bindings, type DuckDBListType, type DuckDBMapType, type DuckDBType, DuckDBTypeId } from './duckdb.ts'
import type { PackedColumn } from './packed-table.ts'

/*
 * Fills vectors of DuckDB from packed columns: a few calls a column, where the usual way takes one or more a cell. How a
 * vector holds its values is a part of DuckDB's C API: https://duckdb.org/docs/stable/clients/c/vector
 */

type Vector = ReturnType<typeof bindings.data_chunk_get_vector>

/**
 * Fills a vector, which was just made or reset, with the rows from `from` up to `to` of a column; without one all are null.
 * Throws TypeError for a column that holds another kind of values than the type: they would not fit into the vector.
 */
export function fillVector(
  vector: Vector,
  type: DuckDBType,
  column: PackedColumn | undefined,
  from: number,
  to: number,
): void {
  if (column === undefined) putValidity(vector, new Uint8Array(maskBytes(to - from)))
  else {
    if (column.nulls !== undefined) putValidity(vector, maskOf(column.nulls.subarray(from, to)))
    if (column.kind === 'text' && isText(type)) fillTexts(vector, column, from, to)
    else if (column.kind === 'list' && isList(type)) fillLists(vector, type, column, from, to)
    else if (column.kind === 'map' && isMap(type)) fillMaps(vector, type, column, from, to)
    else put(vector, valuesOf(column, type, from, to))
  }
}

const isText = (type: DuckDBType) => type.typeId === DuckDBTypeId.VARCHAR
const isList = (type: DuckDBType): type is DuckDBListType => type.typeId === DuckDBTypeId.LIST
const isMap = (type: DuckDBType): type is DuckDBMapType => type.typeId === DuckDBTypeId.MAP

const WITH_64_BITS = new Set([DuckDBTypeId.BIGINT, DuckDBTypeId.UBIGINT, DuckDBTypeId.TIMESTAMP])

/** Values of a type that takes as many bytes for each. */
function valuesOf(column: PackedColumn, type: DuckDBType, from: number, to: number): ArrayBufferView {
  const { typeId } = type
  if (column.kind === 'bigint' && WITH_64_BITS.has(typeId)) return column.values.subarray(from, to)
  if (column.kind === 'boolean' && typeId === DuckDBTypeId.BOOLEAN) return column.values.subarray(from, to)
  if (column.kind === 'number') {
    const values = column.values.subarray(from, to)
    if (typeId === DuckDBTypeId.DOUBLE) return values
    if (typeId === DuckDBTypeId.INTEGER) return new Int32Array(values)
    if (typeId === DuckDBTypeId.BIGINT) return wholeNumbers(values)
  }
  throw new TypeError(`a ${column.kind} is no ${type}`)
}

function put(vector: Vector, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
  bindings.copy_data_to_vector(vector, 0, buffer as ArrayBuffer, byteOffset, byteLength)
}

/** A count in JavaScript is a number. */
function wholeNumbers(values: Float64Array): BigInt64Array {
  const whole = new BigInt64Array(values.length)
  for (let row = 0; row < values.length; row++) whole[row] = BigInt(Math.round(values[row]!))
  return whole
}

/** A bit a row: 1 for what is there. */
function maskOf(nulls: Uint8Array): Uint8Array {
  const mask = new Uint8Array(maskBytes(nulls.length)).fill(0xff)
  for (let row = 0; row < nulls.length; row++) {
    if (nulls[row] === 1) mask[row >> 3]! &= ~(1 << (row & 7))
  }
  return mask
}

/** Whole words of 64 bits. */
function maskBytes(rows: number): number {
  return 8 * Math.ceil(rows / 64)
}

function putValidity(vector: Vector, mask: Uint8Array): void {
  bindings.vector_ensure_validity_writable(vector)
  bindings.copy_data_to_vector_validity(vector, 0, mask.buffer as ArrayBuffer, 0, mask.length)
}

function fillLists(
  vector: Vector,
  { valueType }: DuckDBListType,
  { ends, items }: Extract<PackedColumn, { kind: 'list' }>,
  from: number,
  to: number,
): void {
  const child = fillEntries(vector, ends, from, to)
  fillVector(child, valueType, items, startOf(ends, from), startOf(ends, to))
}

/** A map is a list of pairs. */
function fillMaps(
  vector: Vector,
  { keyType, valueType }: DuckDBMapType,
  { ends, keys, values }: Extract<PackedColumn, { kind: 'map' }>,
  from: number,
  to: number,
): void {
  const pairs = fillEntries(vector, ends, from, to)
  const [first, end] = [startOf(ends, from), startOf(ends, to)]
  fillVector(bindings.struct_vector_get_child(pairs, 0), keyType, keys, first, end)
  fillVector(bindings.struct_vector_get_child(pairs, 1), valueType, values, first, end)
}

/** The offset and the length of each list, in 64 bits each. Returns the vector of the items of all. */
function fillEntries(vector: Vector, ends: Uint32Array, from: number, to: number): Vector {
  const first = startOf(ends, from)
  const entries = new BigUint64Array(2 * (to - from))
  for (let row = from; row < to; row++) {
    const start = startOf(ends, row)
    entries[2 * (row - from)] = BigInt(start - first)
    entries[2 * (row - from) + 1] = BigInt(ends[row]! - start)
  }
  put(vector, entries)
  const items = startOf(ends, to) - first
  bindings.list_vector_reserve(vector, items)
  bindings.list_vector_set_size(vector, items)
  return bindings.list_vector_get_child(vector)
}

/** A text of so many bytes stands in the vector itself. */
const SHORT_BYTES = 12
const WORD_BYTES = 4
/** What a vector holds of each text: its length and, by its length, its bytes or the first four and where all are. */
const TEXT_BYTES = WORD_BYTES + SHORT_BYTES

/**
 * All texts go to the vector as if they were one, so that DuckDB looks once whether they are UTF-8 and keeps one copy; where
 * each of them stands in it is a sum.
 */
function fillTexts(
  vector: Vector,
  { bytes, ends }: Extract<PackedColumn, { kind: 'text' }>,
  from: number,
  to: number,
): void {
  const first = startOf(ends, from)
  const address = addressOf(vector, bytes.subarray(first, startOf(ends, to)))
  const source = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const texts = new Uint32Array(((to - from) * TEXT_BYTES) / WORD_BYTES)
  for (let row = from, start = first, word = 0; row < to; row++, word += TEXT_BYTES / WORD_BYTES) {
    const length = ends[row]! - start
    texts[word] = length
    if (length <= SHORT_BYTES) {
      for (let at = 0; at < length; at += WORD_BYTES) {
        texts[word + 1 + at / WORD_BYTES] = firstBytes(source.getUint32(start + at, true), length - at)
      }
    } else {
      texts[word + 1] = source.getUint32(start, true)
      const low = address.low + (start - first)
      texts[word + 2] = low
      texts[word + 3] = address.high + Math.floor(low / 2 ** 32)
    }
    start = ends[row]!
  }
  put(vector, texts)
}

/** Where the vector keeps its copy, in halves of 32 bits. */
function addressOf(vector: Vector, texts: Uint8Array): { low: number; high: number } {
  // Then each of them is short.
  if (texts.length <= SHORT_BYTES) return { low: 0, high: 0 }
  bindings.vector_assign_string_element_len(vector, 0, texts)
  const { buffer, byteOffset } = bindings.vector_get_data(vector, TEXT_BYTES)
  const assigned = new DataView(buffer, byteOffset)
  return { low: assigned.getUint32(8, true), high: assigned.getUint32(12, true) }
}

/** A word of which only so many bytes count; the others are zero, as DuckDB compares whole words. */
function firstBytes(word: number, bytes: number): number {
  return bytes >= WORD_BYTES ? word : word & ((1 << (8 * bytes)) - 1)
}

function startOf(ends: Uint32Array, row: number): number {
  return row === 0 ? 0 : ends[row - 1]!
}
