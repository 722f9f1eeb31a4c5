import type { Json } from '../model/json.ts'
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBType,
  type DuckDBValue,
  listValue,
} from './duckdb.ts'

/**
 * A value of DuckDB as plain JSON: the form in which every answer of the store comes, over the socket or not.
 * Whole numbers are numbers where JavaScript holds them exactly, else strings; decimals are numbers; times are ISO 8601
 * (UTC with Z for timestamps); lists are lists, structs and maps objects; JSON columns are their values; a blob is
 * base64; NaN and the infinities are strings; everything else is DuckDB's own text.
 */
export function plainValue(value: DuckDBValue, type?: DuckDBType): Json {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return type?.alias === 'JSON' ? parsedJson(value) : value
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return plainInteger(value)
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    return value.items.map((item) => plainValue(item))
  }
  if (value instanceof DuckDBStructValue) {
    return objectOf(Object.entries(value.entries).map(([name, entry]) => [name, plainValue(entry)]))
  }
  if (value instanceof DuckDBMapValue) {
    return objectOf(value.entries.map((entry) => [String(plainValue(entry.key)), plainValue(entry.value)]))
  }
  if (value instanceof DuckDBDecimalValue) return value.toDouble()
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64')
  return plainTime(value) ?? String(value)
}

function plainTime(value: object): string | undefined {
  if (
    value instanceof DuckDBTimestampValue ||
    value instanceof DuckDBTimestampTZValue ||
    value instanceof DuckDBTimestampMillisecondsValue ||
    value instanceof DuckDBTimestampSecondsValue ||
    value instanceof DuckDBTimestampNanosecondsValue
  ) {
    // DuckDB writes `2031-03-04 09:00:02.5`, with an offset of the session behind it for TIMESTAMPTZ.
    const utc = value instanceof DuckDBTimestampTZValue ? new DuckDBTimestampValue(value.micros) : value
    return `${String(utc).replace(' ', 'T')}Z`
  }
  if (
    value instanceof DuckDBDateValue ||
    value instanceof DuckDBTimeValue ||
    value instanceof DuckDBIntervalValue
  ) {
    return String(value)
  }
  return undefined
}

function plainInteger(value: bigint): Json {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value.toString()
}

function parsedJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Also for a field named `__proto__`, which an assignment would lose. */
function objectOf(entries: [string, Json][]): { [key: string]: Json } {
  return Object.fromEntries(entries)
}

/** A parameter of a query as DuckDB takes it. A list is a list of its texts. */
export type QueryParameter = null | boolean | number | string | string[]

export function parameterValue(value: QueryParameter): DuckDBValue {
  return Array.isArray(value) ? listValue(value) : value
}
