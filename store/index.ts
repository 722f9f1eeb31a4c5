// The store: captures in, DuckDB behind, rows out. Only one process at a time has the database; the others ask it.

export type { BackupReport } from './backup.ts'
export type { QueryParameter } from './duckdb-values.ts'
export { StoreError, type StoreErrorCode } from './errors.ts'
export type { StoreInfo } from './info.ts'
export type { Progress } from './owner.ts'
export { type StorePaths, storePaths } from './paths.ts'
export type { PruneReport } from './prune.ts'
export type { PruneBounds } from './prune-plan.ts'
export type { Column, QueryRow } from './query.ts'
export { SCHEMA_VERSION } from './schema.ts'
export {
  type ImportReport,
  type IngestReport,
  type OnProgress,
  type OpenOptions,
  openStore,
  type QueryAnswer,
  type QueryBounds,
  type RestoreReport,
  type Store,
} from './store.ts'
