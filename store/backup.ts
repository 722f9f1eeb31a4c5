import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { copyDatabase, countRows, removeCopy, verifyCopy, withFile } from './copy.ts'
import type { DuckDBConnection } from './duckdb.ts'
import { isUnsound, StoreError, translateError } from './errors.ts'
import type { StorePaths } from './paths.ts'
import { schemaVersion } from './schema.ts'

/** A database file by itself: its size in bytes and what it holds. */
export type BackupReport = { events: number; runs: number; bytes: number }

/**
 * Writes one state of the open database into a new file among what leaves the store, opens that file again and counts
 * its rows. Whatever is stored meanwhile is not in it. Returns its path, from which the asker takes it away.
 */
export async function writeBackup(
  paths: StorePaths,
  connection: DuckDBConnection,
): Promise<BackupReport & { path: string }> {
  const path = join(paths.outgoing, `${ulid()}.duckdb`)
  try {
    const copied = await copyDatabase(connection, path)
    const found = await verifyCopy(connection, path, copied)
    return { path, ...reportOf(found, path) }
  } catch (error) {
    removeCopy(path)
    throw translateError(error, path)
  }
}

/**
 * Opens a file to see whether it can become the database. Throws `not-a-backup`, or `newer-schema`. `name` is what the
 * user called it.
 */
export async function inspectBackup(
  connection: DuckDBConnection,
  path: string,
  name: string,
): Promise<BackupReport> {
  try {
    return await withFile(connection, path, async () => {
      if ((await schemaVersion(connection, name)) === 'empty') throw notABackup(name, 'it is empty')
      return reportOf(await countRows(connection), path)
    })
  } catch (error) {
    const known = translateError(error, name)
    if (known instanceof StoreError && known.code === 'newer-schema') throw known
    const message = known instanceof Error ? known.message.split('\n', 1)[0]! : String(known)
    // What DuckDB says names the copy that was looked at.
    throw notABackup(
      name,
      isUnsound(message) ? 'it is no DuckDB database, or it is damaged.' : message,
      error,
    )
  }
}

function reportOf(counts: ReadonlyMap<string, number>, path: string): BackupReport {
  return { events: counts.get('events') ?? 0, runs: counts.get('runs') ?? 0, bytes: statSync(path).size }
}

function notABackup(path: string, why: string, cause?: unknown): StoreError {
  return new StoreError('not-a-backup', `${path} cannot become the database: ${why}`, {
    path,
    remedy: 'Name a file that handspan backup wrote.',
    cause,
  })
}
