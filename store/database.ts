import { existsSync, renameSync, rmSync } from 'node:fs'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { type Columns, readColumns } from './append.ts'
import { notWritable, StoreError, translateError } from './errors.ts'
import { claimForProcess, removeLeftOverClaims } from './guard.ts'
import type { StorePaths } from './paths.ts'
import { CAPTURED_TABLES, createSchema, SCHEMA_VERSION, schemaVersion } from './schema.ts'

/** The open database. Only its owner has one. */
export type Database = {
  instance: DuckDBInstance
  /** The only connection that writes. */
  writer: DuckDBConnection
  columns: Columns
  /** Path of the backup, if an older file was rebuilt while it was opened: everything derived is then stale. */
  backup?: string | undefined
  close(): Promise<void>
}

const OPTIONS = {
  // Older files store text uncompressed, whatever the column says.
  storage_compatibility_version: 'v1.5.0',
  // The default of 16 MB stalls writing for seconds; the owner checkpoints when it is idle.
  checkpoint_threshold: '256MB',
  // Nothing may depend on the network.
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
}

/**
 * Opens the database for writing, creates it if there is none, and rebuilds it if its schema is older. Throws
 * StoreError: open-twice, not-writable, not-a-database, newer-schema, older-schema, disk-full. A lock error of DuckDB
 * comes as it is: another process has the file.
 */
export async function openDatabase(paths: StorePaths): Promise<Database> {
  const release = claim(paths)
  let instance: DuckDBInstance | undefined
  try {
    instance = await DuckDBInstance.create(paths.database, OPTIONS)
    removeLeftOverClaims(paths.directory)
    let writer = await instance.connect()
    const version = await schemaVersion(writer, paths.database)
    let backup: string | undefined
    if (version === 'empty') await createSchema(writer)
    else if (version < SCHEMA_VERSION) {
      backup = await rebuildOlder(writer, paths, version)
      instance.closeSync()
      instance = await DuckDBInstance.create(paths.database, OPTIONS)
      writer = await instance.connect()
    }
    // From here on no query of anybody reaches another file. (DuckDB still allows its own: read-only.ts refuses that.)
    await writer.run('SET enable_external_access = false')
    const columns = await readColumns(writer)
    const opened = instance
    return {
      instance,
      writer,
      columns,
      backup,
      close: async () => {
        try {
          await writer.run('CHECKPOINT')
        } finally {
          writer.closeSync()
          opened.closeSync()
          release()
        }
      },
    }
  } catch (error) {
    instance?.closeSync()
    release()
    throw translateError(error, paths.database)
  }
}

function claim(paths: StorePaths): () => void {
  try {
    return claimForProcess(paths.directory)
  } catch (error) {
    if (error instanceof StoreError) throw error
    // Every other error here is one of the file system refusing a new file.
    throw notWritable(paths.directory, error as Error)
  }
}

/**
 * Makes a file of the present version from what an older one captured, and keeps the older one beside it. Returns the
 * backup's path. The new file is complete before it takes the old one's name.
 */
async function rebuildOlder(old: DuckDBConnection, paths: StorePaths, version: number): Promise<string> {
  const backup = freeName(`${paths.database}.v${version}.backup`)
  const next = `${paths.database}.next`
  rmSync(next, { force: true })
  await old.run(`ATTACH '${next.replaceAll("'", "''")}' AS next (STORAGE_VERSION 'v1.5.0')`)
  const [from] = (await old.runAndReadAll('SELECT current_database()')).getRows()[0] as [string]
  const source = `"${from.replaceAll('"', '""')}"`
  await old.run('USE next')
  await createSchema(old)
  try {
    for (const table of CAPTURED_TABLES) {
      await old.run(`INSERT INTO next.base.${table} BY NAME SELECT * FROM ${source}.base.${table}`)
    }
  } catch (error) {
    await old.run(`USE ${source}`)
    await old.run('DETACH next')
    rmSync(next, { force: true })
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
  await old.run('INSERT INTO next.base.stale_runs SELECT DISTINCT run FROM next.base.events')
  await old.run(`USE ${source}`)
  // A checkpoint leaves no write-ahead log beside either file: both can be renamed as they are.
  await old.run('CHECKPOINT next')
  await old.run('DETACH next')
  await old.run('CHECKPOINT')
  renameSync(paths.database, backup)
  renameSync(next, paths.database)
  return backup
}

function freeName(wanted: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}.${n}`
    if (!existsSync(name)) return name
  }
}
