import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { ulid } from 'ulid'
import { quoteText } from '../store/copy.ts'
import { type DuckDBConnection, DuckDBInstance } from '../store/duckdb.ts'
import { translateError } from '../store/errors.ts'
import { takeOut } from '../store/files-across.ts'
import type { View } from '../store/views.ts'
import { type LakeFile, listFiles, PART_SQL, verifyLake } from './layout.ts'
import { lookAgain } from './look-again.ts'
import { knownViews } from './open-lake.ts'
import { chosenSql, viewSql } from './views.ts'

/** What a compaction did. Sizes in bytes. `dropped`: exports of runs that a later export had replaced. */
export type CompactReport = {
  folder: string
  days: number
  dropped: number
  filesBefore: number
  filesAfter: number
  bytesBefore: number
  bytesAfter: number
}

// An unfinished compaction or export that nobody works on any more.
const STALE_MILLISECONDS = 24 * 3600 * 1000

/**
 * Makes one file of each view and day that has several, and leaves out what later exports replaced. Readers and writers
 * may go on meanwhile: the new files are in place, `runs` last, before the old ones go, `runs` first. A new part is named
 * to come just after the parts that it holds and before every later export, so what counts stays what counted.
 */
export async function compactLake(folder: string): Promise<CompactReport> {
  const path = resolve(folder)
  verifyLake(path)
  const views = await knownViews()
  return lookAgain(() => compact(path, views))
}

async function compact(path: string, views: readonly View[]): Promise<CompactReport> {
  const names = views.map(({ view }) => view)
  const before = listFiles(path, names)
  const sizes = new Map(before.map((file) => [file.path, sizeOf(file.path)]))
  const aside = join(path, `.compact-${ulid()}`)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    removeStale(path)
    const runs = before.filter(({ view }) => view === 'runs')
    const report = { folder: path, days: 0, dropped: 0 }
    if (runs.length > 0) {
      await connection.run(`CREATE TABLE parts AS ${chosenSql(listSql(runs))}`)
      const replaced = await findReplaced(connection, runs)
      report.dropped = replaced.runs
      for (const day of new Set(runs.map((file) => file.day))) {
        const parts = new Set(runs.filter((file) => file.day === day).map(({ part }) => part))
        // What has no row in `runs` is an export on its way, or the rest of one: it is not touched.
        const files = before.filter((file) => file.day === day && parts.has(file.part))
        const several = names.some((view) => files.filter((file) => file.view === view).length > 1)
        if (!several && !files.some(({ path }) => replaced.files.has(path))) continue
        await rewriteDay(connection, aside, day, files, views)
        exchange(path, aside, day, files, views)
        report.days += 1
      }
    }
    const after = listFiles(path, names)
    return {
      ...report,
      filesBefore: before.length,
      filesAfter: after.length,
      bytesBefore: [...sizes.values()].reduce((sum, size) => sum + size, 0),
      bytesAfter: after.reduce((sum, file) => sum + sizeOf(file.path), 0),
    }
  } catch (error) {
    throw translateError(error, path)
  } finally {
    rmSync(aside, { recursive: true, force: true })
    connection.closeSync()
    instance.closeSync()
  }
}

async function rewriteDay(
  connection: DuckDBConnection,
  aside: string,
  day: string,
  files: readonly LakeFile[],
  views: readonly View[],
): Promise<void> {
  const latest = files
    .map(({ part }) => part.split('.')[0]!)
    .sort()
    .at(-1)
  const name = `${latest}.${ulid()}_0.parquet`
  for (const view of views) {
    const own = files.filter((file) => file.view === view.view)
    if (own.length === 0) continue
    const place = join(aside, view.view, `day=${day}`)
    mkdirSync(place, { recursive: true })
    await connection.run(
      `COPY (${viewSql(view, listSql(own), 'parts')} ORDER BY run)
       TO ${quoteText(join(place, name))} (FORMAT parquet, COMPRESSION zstd)`,
    )
  }
}

function exchange(
  folder: string,
  aside: string,
  day: string,
  old: readonly LakeFile[],
  views: readonly View[],
): void {
  const made = listFiles(
    aside,
    views.map(({ view }) => view),
  ).filter((file) => file.day === day)
  const runsLast = (a: LakeFile, b: LakeFile) => Number(a.view === 'runs') - Number(b.view === 'runs')
  for (const { path, view } of made.sort(runsLast)) {
    takeOut(path, join(folder, view, `day=${day}`, basename(path)))
  }
  for (const { path } of [...old].sort((a, b) => runsLast(b, a))) rmSync(path, { force: true })
}

/** How many rows of `runs` a later export replaced, and the files that hold them. */
async function findReplaced(
  connection: DuckDBConnection,
  runs: readonly LakeFile[],
): Promise<{ runs: number; files: Set<string> }> {
  const result = await connection.runAndReadAll(
    `SELECT filename, count(*)::INTEGER FROM read_parquet(${listSql(runs)}, filename = true) AS f
     ANTI JOIN parts AS c ON f.run = c.run AND ${PART_SQL} = c.part GROUP BY filename`,
  )
  const rows = result.getRows() as [string, number][]
  return {
    runs: rows.reduce((sum, [, count]) => sum + count, 0),
    files: new Set(rows.map(([file]) => file)),
  }
}

function removeStale(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^\.(compact-|.*\.part$)/.test(name)) continue
    const path = join(folder, name)
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (written !== undefined && Date.now() - written > STALE_MILLISECONDS) {
      rmSync(path, { recursive: true, force: true })
    }
  }
}

function listSql(files: readonly LakeFile[]): string {
  return `[${files.map(({ path }) => quoteText(path)).join(', ')}]`
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
