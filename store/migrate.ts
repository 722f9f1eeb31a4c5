import { copyDatabase, removeCopy } from './copy.ts'
import type { DuckDBConnection } from './duckdb.ts'
import { StoreError, translateError } from './errors.ts'
import type { StorePaths } from './paths.ts'
import { freeName } from './put-in-place.ts'
import { CAPTURED_TABLES } from './schema.ts'

/**
 * Makes a database file of the present schema from one of an older schema: what was captured is copied, and everything
 * derived waits to be made anew from it. So a new version needs no step of its own unless it changes a captured table in
 * a way that a copy by column names cannot follow. Returns the new file, and the name under which the older one is to be
 * kept. Throws `older-schema` if the events cannot be carried over; the older file is then as it was.
 */
export async function migrateOlder(
  old: DuckDBConnection,
  paths: StorePaths,
  version: number,
): Promise<{ next: string; keep: string }> {
  const next = `${paths.database}.next`
  removeCopy(next)
  const captured = Object.entries(CAPTURED_TABLES)
    .filter(([, since]) => since <= Math.max(version, 1))
    .map(([table]) => table)
  try {
    const counts = await copyDatabase(old, next, { only: captured, allStale: true })
    const missing = captured.filter((table) => !counts.has(table))
    if (missing.length > 0) throw new Error(`it has no table ${missing.join(', ')}`)
    await old.run('CHECKPOINT')
    return { next, keep: freeName(`${paths.database}.v${version}.backup`) }
  } catch (error) {
    removeCopy(next)
    const known = translateError(error, paths.database)
    if (known instanceof StoreError) throw known
    throw new StoreError(
      'older-schema',
      `${paths.database} has schema version ${version}, and its events cannot be carried over.`,
      {
        path: paths.database,
        remedy: 'Move it away: a new one is built from the spool, and run-log files can be imported again.',
        cause: error,
      },
    )
  }
}
