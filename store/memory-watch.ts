import type { DuckDBInstance } from './duckdb.ts'

/** Often enough that little more than the limit is taken, seldom enough to cost nothing. */
const EVERY_MILLISECONDS = 20

// What DuckDB keeps of the file itself is a cache that all queries share, and it gives it back.
const TAKEN = `
  SELECT coalesce(sum(memory_usage_bytes), 0)::DOUBLE FROM duckdb_memory()
  WHERE tag NOT IN ('BASE_TABLE', 'METADATA', 'EXTERNAL_FILE_CACHE', 'OBJECT_CACHE')`

/**
 * Watches how much memory a database takes for its work from now on, and calls back once when that grows by more than
 * the limit. DuckDB's own limit is one for all connections: lowering it for a query would break what is being stored.
 * What is stored at the same time counts as well, so the callback may come early, never late by more than a moment.
 */
export async function watchMemory(
  instance: DuckDBInstance,
  limitBytes: number,
  onExceeded: () => void,
): Promise<() => void> {
  const connection = await instance.connect()
  const taken = async () => Number((await connection.runAndReadAll(TAKEN)).getRows()[0]![0])
  const before = await taken()
  let watching = true
  const watch = async () => {
    while (watching) {
      await new Promise((next) => setTimeout(next, EVERY_MILLISECONDS))
      if (watching && (await taken()) - before > limitBytes) {
        onExceeded()
        break
      }
    }
  }
  const ended = watch()
    .catch(() => {})
    .finally(() => connection.closeSync())
  return () => {
    watching = false
    void ended
  }
}
