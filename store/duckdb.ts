import { createRequire } from 'node:module'
import type * as duckdb from '@duckdb/node-api'
import type * as duckdbBindings from '@duckdb/node-bindings'

// Required, not imported: to learn the names that a CommonJS package exports, `import` first reads each of its files, which
// takes as long as to load them.
const require = createRequire(import.meta.url)
const api: typeof duckdb = require('@duckdb/node-api')

/** The C API of DuckDB, on which the other one stands. */
export const bindings: typeof duckdbBindings = require('@duckdb/node-bindings')

export const {
  BIGINT,
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
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
  DuckDBTypeId,
  LIST,
  listValue,
  UBIGINT,
  VARCHAR,
  version,
} = api

export type DuckDBInstance = duckdb.DuckDBInstance
export type DuckDBTimestampValue = duckdb.DuckDBTimestampValue
export type DuckDBTypeId = duckdb.DuckDBTypeId
export type {
  DuckDBConnection,
  DuckDBListType,
  DuckDBMapType,
  DuckDBPreparedStatement,
  DuckDBResultReader,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api'
