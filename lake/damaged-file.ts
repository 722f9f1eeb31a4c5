import { StoreError } from '../store/index.ts'

// As DuckDB says it of a file that was cut off while it was copied, or that is none of Parquet's.
const DAMAGED =
  /(?:No magic bytes found at end of file|Footer length error in file|File) '(.+\.parquet)'(?: too small to be a Parquet file)?/

/** Says which file of a lake is no whole Parquet file, and what to do about it; any other error as it came. */
export function nameDamagedFile(error: unknown): unknown {
  const path = error instanceof Error ? DAMAGED.exec(error.message)?.[1] : undefined
  if (path === undefined) return error
  return new StoreError('unreadable', `${path} is no whole Parquet file, so the lake cannot be read.`, {
    path,
    remedy:
      'Move it away, then export the runs of its day again: handspan export --parquet DIR --all. A lake that was copied can be copied again.',
    cause: error,
  })
}
