import { createRequire } from 'node:module'
import type * as duckdb from '@duckdb/node-api'

// Required, not imported: to learn the names that a CommonJS package exports, `import` first reads each of its files, which
// takes as long as to load them.
const api: typeof duckdb = createRequire(import.meta.url)('@duckdb/node-api')

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
  INTEGER,
  LIST,
  listValue,
  mapValue,
  UBIGINT,
  VARCHAR,
  version,
} = api

export type DuckDBInstance = duckdb.DuckDBInstance
export type DuckDBTimestampValue = duckdb.DuckDBTimestampValue
export type DuckDBTypeId = duckdb.DuckDBTypeId
export type {
  DuckDBAppender,
  DuckDBConnection,
  DuckDBPreparedStatement,
  DuckDBResultReader,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api'
