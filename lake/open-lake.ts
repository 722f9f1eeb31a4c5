import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { quoteText } from '../store/copy.ts'
import { DuckDBInstance } from '../store/duckdb.ts'
import type { QueryParameter } from '../store/duckdb-values.ts'
import { type Column, type QueryAnswer, type QueryBounds, type QueryRow, StoreError } from '../store/index.ts'
import { type QueryPart, setVariables, streamQuery } from '../store/query.ts'
import { verifyReadOnly } from '../store/read-only.ts'
import { readWithin } from '../store/readers.ts'
import { createSchema } from '../store/schema.ts'
import { runViews, type View } from '../store/views.ts'
import { type LakeFile, listFiles, MARKER, verifyLake } from './layout.ts'
import { lookAgain } from './look-again.ts'
import { chosenSql, viewSql } from './views.ts'

/** Lakes, open to be asked as a store is. */
export interface Lake {
  /** The folders. */
  readonly folders: readonly string[]
  query(sql: string, parameters?: readonly QueryParameter[]): Promise<QueryRow[]>
  readOnlyQuery(sql: string, bounds: QueryBounds): Promise<QueryAnswer>
  /** Looks again what is there: what was added since it was opened. */
  refresh(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a lake, or all lakes that a pattern names (`lakes/*`). Throws StoreError: not-a-lake, newer-schema,
 * older-schema.
 */
export async function openLake(pattern: string): Promise<Lake> {
  const folders = await findLakes(pattern)
  for (const folder of folders) verifyLake(folder)
  const views = await knownViews()
  const look = () => lookAgain(() => openViews(folders, views))
  let instance = await look()

  const ask = (
    sql: string,
    parameters: readonly QueryParameter[],
    { limit, variables, ...bounds }: Partial<QueryBounds>,
  ): Promise<QueryAnswer> =>
    lookAgain(async (times) => {
      if (times > 1) await refresh()
      let columns: Column[] = []
      const rows: QueryRow[] = []
      const { truncated } = await readWithin(
        { instance },
        new AbortController().signal,
        async (connection) => {
          await setVariables(connection, variables ?? {})
          const verified = await verifyReadOnly(connection, sql)
          const take = async (part: unknown) => {
            const { columns: head, rows: more } = part as QueryPart
            if (head !== undefined) columns = head
            for (const row of more ?? []) rows.push(row)
          }
          return streamQuery(connection, verified, parameters, take, limit)
        },
        bounds,
      )
      return { columns, rows, truncated }
    })
  const refresh = async () => {
    const before = instance
    instance = await look()
    before.closeSync()
  }
  return {
    folders,
    query: async (sql, parameters = []) => (await ask(sql, parameters, {})).rows,
    readOnlyQuery: (sql, bounds) => ask(sql, [], bounds),
    refresh,
    close: async () => instance.closeSync(),
  }
}

/** The folders of the lakes that a pattern names, or the one folder that a path names. */
async function findLakes(pattern: string): Promise<string[]> {
  if (existsSync(pattern) || !/[*?[]/.test(pattern)) return [resolve(pattern)]
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const found = await connection.runAndReadAll(
      `SELECT file FROM glob(${quoteText(`${resolve(pattern)}/${MARKER}`)}) ORDER BY file`,
    )
    const folders = found.getRows().map(([file]) => dirname(String(file)))
    if (folders.length > 0) return folders
    throw new StoreError('not-a-lake', `${pattern} names no lake.`, {
      path: pattern,
      remedy: 'Name folders that handspan export --parquet wrote.',
    })
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** The views and their columns, as a new store has them. */
export async function knownViews(): Promise<View[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await createSchema(connection)
    return await runViews(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function openViews(folders: readonly string[], views: readonly View[]): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  try {
    const names = views.map(({ view }) => view)
    const files = folders.flatMap((folder) => listFiles(folder, names))
    const runs = files.filter(({ view }) => view === 'runs')
    await connection.run('CREATE SCHEMA base')
    await connection.run(
      `CREATE TABLE base.lake_parts AS ${runs.length === 0 ? 'SELECT NULL::VARCHAR AS run, NULL::VARCHAR AS part LIMIT 0' : chosenSql(listSql(runs))}`,
    )
    // Parts that do not count cost a join; where every part counts whole, which a compaction sees to, there is none.
    const chosen = (await everyRowCounts(connection, files)) ? undefined : 'base.lake_parts'
    for (const view of views) {
      const own = files.filter((file) => file.view === view.view)
      const sql =
        own.length === 0
          ? `SELECT ${view.columns.map(({ name, type }) => `NULL::${type} AS "${name}"`).join(', ')} LIMIT 0`
          : viewSql(view, listSql(own), chosen)
      await connection.run(`CREATE VIEW ${view.view} AS ${sql}`)
    }
    await connection.run(
      `SET allowed_directories = [${folders.map((folder) => quoteText(`${folder}/`)).join(', ')}]`,
    )
    await connection.run('SET enable_external_access = false')
    return instance
  } catch (error) {
    instance.closeSync()
    throw error
  } finally {
    connection.closeSync()
  }
}

/** True if no run was exported twice, and no file belongs to an export that is not there yet. */
async function everyRowCounts(
  connection: Awaited<ReturnType<DuckDBInstance['connect']>>,
  files: readonly LakeFile[],
): Promise<boolean> {
  const runs = files.filter(({ view }) => view === 'runs')
  if (runs.length === 0) return false
  const parts = new Set(runs.map(({ day, part }) => `${day} ${part}`))
  if (files.some(({ day, part }) => !parts.has(`${day} ${part}`))) return false
  const result = await connection.runAndReadAll(
    `SELECT (SELECT count(*) FROM read_parquet(${listSql(runs)})) = (SELECT count(*) FROM base.lake_parts)`,
  )
  return result.getRows()[0]![0] === true
}

function listSql(files: readonly LakeFile[]): string {
  return `[${files.map(({ path }) => quoteText(path)).join(', ')}]`
}
