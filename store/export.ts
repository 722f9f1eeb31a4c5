import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { quoteText } from './copy.ts'
import { type DuckDBConnection, LIST, listValue, VARCHAR } from './duckdb.ts'
import { translateError } from './errors.ts'
import type { StorePaths } from './paths.ts'
import { runViews } from './views.ts'

// Days of one export that are written side by side. Beyond them DuckDB closes files and begins further ones.
const OPEN_DAYS = 400

/**
 * Writes runs as Parquet, one state of all views: `<view>/day=2031-03-04/<export>_0.parquet` in a new folder among what
 * leaves the store. The day is that of the run's start (UTC), `undated` without one, so that a run lies in one day. Returns
 * the folder, named as the export.
 */
export async function exportParquet(
  paths: StorePaths,
  connection: DuckDBConnection,
  runs: readonly string[],
): Promise<{ path: string }> {
  const name = ulid()
  const path = join(paths.outgoing, name)
  mkdirSync(path, { recursive: true })
  try {
    await connection.run(`SET partitioned_write_max_open_files = ${OPEN_DAYS}`)
    await connection.run('CREATE OR REPLACE TEMP TABLE exported (run VARCHAR, home VARCHAR, day VARCHAR)')
    await connection.run('BEGIN')
    await connection.run(
      `INSERT INTO temp.exported SELECT run, run, coalesce(strftime(started_at, '%Y-%m-%d'), 'undated') FROM runs
       WHERE run IN (SELECT unnest($1))`,
      [listValue([...runs])],
      [LIST(VARCHAR)],
    )
    // What was recorded under the run of an orphan goes with the run that it belongs to, under its id.
    await connection.run(
      'INSERT INTO temp.exported SELECT j.orphan, e.home, e.day FROM joined j JOIN temp.exported e USING (run)',
    )
    for (const { view } of await runViews(connection)) {
      await connection.run(
        `COPY (SELECT v.* REPLACE (e.home AS run), e.day FROM ${view} v JOIN temp.exported e ON v.run = e.run)
         TO ${quoteText(join(path, view))}
         (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), FILENAME_PATTERN ${quoteText(`${name}_`)})`,
      )
    }
    await connection.run('COMMIT')
    return { path }
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {})
    rmSync(path, { recursive: true, force: true })
    throw translateError(error, path)
  }
}
