import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { removeCopy } from './copy.ts'
import { DuckDBInstance } from './duckdb.ts'
import type { StorePaths } from './paths.ts'
import { putIfNothingIs } from './put-in-place.ts'
import { createSchema } from './schema.ts'

/**
 * Makes the database if there is none: aside, and then in its place as a whole. DuckDB makes its file in several steps, and
 * whoever comes between two of them, or after a kill between two of them, finds what is no database.
 */
export async function createDatabase(paths: StorePaths, options: Record<string, string>): Promise<void> {
  const log = `${paths.database}.wal`
  // Looked for first: if there is no database after that, the log is that of one that was removed.
  const hasLog = existsSync(log)
  if (existsSync(paths.database)) return
  if (hasLog) rmSync(log, { force: true })
  const next = join(paths.outgoing, `new-${process.pid}-${threadId}.duckdb`)
  removeCopy(next)
  try {
    const instance = await DuckDBInstance.create(next, options)
    try {
      const connection = await instance.connect()
      await createSchema(connection)
      await connection.run('CHECKPOINT')
      connection.closeSync()
    } finally {
      instance.closeSync()
    }
    putIfNothingIs(next, paths.database)
  } finally {
    removeCopy(next)
  }
}
