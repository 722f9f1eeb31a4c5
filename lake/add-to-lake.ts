import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { quoteText } from '../store/copy.ts'
import { DuckDBInstance } from '../store/duckdb.ts'
import { translateError } from '../store/errors.ts'
import { takeOut } from '../store/files-across.ts'
import { SCHEMA_VERSION, type Store } from '../store/index.ts'
import type { View } from '../store/views.ts'
import { COLUMNS_FILE, listFiles, MARKER, verifyLake } from './layout.ts'
import { knownViews, openLake } from './open-lake.ts'
import { viewsFile } from './views.ts'

/** What an export added. `known`: runs that the lake has already, with as many events. */
export type ExportReport = { folder: string; runs: number; known: number; files: number; bytes: number }

/**
 * Adds the runs of a store to a lake; makes the lake where there is none. Runs that are there already with as many events
 * are left out, unless `all` says otherwise. Any number of writers may do so at once. Throws StoreError.
 */
export async function addToLake(
  store: Store,
  folder: string,
  { all = false }: { all?: boolean } = {},
): Promise<ExportReport> {
  const path = resolve(folder)
  const views = await knownViews()
  await makeLake(path, views)
  const own = (await store.query('SELECT run, events FROM runs')) as { run: string; events: number }[]
  const known = all ? new Map<string, number>() : await runsOf(path)
  const wanted = own.filter(({ run, events }) => (known.get(run) ?? -1) < events).map(({ run }) => run)
  const report = { folder: path, runs: wanted.length, known: own.length - wanted.length, files: 0, bytes: 0 }
  if (wanted.length === 0) return report
  const written = await store.exportParquet(wanted)
  try {
    return { ...report, ...moveIn(written.path, path, views) }
  } finally {
    rmSync(written.path, { recursive: true, force: true })
  }
}

async function runsOf(folder: string): Promise<Map<string, number>> {
  const lake = await openLake(folder)
  try {
    const rows = await lake.query('SELECT run, events FROM runs')
    return new Map(rows.map(({ run, events }) => [String(run), Number(events)]))
  } finally {
    await lake.close()
  }
}

async function makeLake(folder: string, views: readonly View[]): Promise<void> {
  if (existsSync(join(folder, MARKER))) {
    verifyLake(folder)
    return
  }
  try {
    mkdirSync(folder, { recursive: true })
    await writeColumns(folder, views)
    putText(folder, 'views.sql', viewsFile(views))
    putText(folder, MARKER, `${JSON.stringify({ format: 1, schemaVersion: SCHEMA_VERSION })}\n`)
  } catch (error) {
    throw translateError(error, folder)
  }
}

async function writeColumns(folder: string, views: readonly View[]): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    for (const { view, columns } of views) {
      const day = join(folder, view, 'day=undated')
      mkdirSync(day, { recursive: true })
      const aside = asideOf(folder, view)
      await connection.run(
        `COPY (SELECT ${columns.map(({ name, type }) => `NULL::${type} AS "${name}"`).join(', ')} LIMIT 0)
         TO ${quoteText(aside)} (FORMAT parquet)`,
      )
      takeOut(aside, join(day, COLUMNS_FILE))
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** A name that no other writer has, in this process or another one. */
function asideOf(folder: string, name: string): string {
  return join(folder, `.${name}.${randomUUID()}.part`)
}

/** Two writers that make a lake at once write the same. */
function putText(folder: string, name: string, text: string): void {
  const aside = asideOf(folder, name)
  writeFileSync(aside, text)
  takeOut(aside, join(folder, name))
}

/** `runs` comes last: from then on the export counts, all of it. */
function moveIn(from: string, folder: string, views: readonly View[]): { files: number; bytes: number } {
  const names = views.map(({ view }) => view)
  const files = listFiles(from, names).sort((a, b) => Number(a.view === 'runs') - Number(b.view === 'runs'))
  let bytes = 0
  for (const { path, view, day } of files) {
    const place = join(folder, view, `day=${day}`)
    mkdirSync(place, { recursive: true })
    bytes += takeOut(path, join(place, basename(path)))
  }
  return { files: files.length, bytes }
}
