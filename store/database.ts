import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Columns, readColumns } from './append.ts'
import { quoteText } from './copy.ts'
import { createDatabase } from './create-database.ts'
import { type DuckDBConnection, DuckDBInstance } from './duckdb.ts'
import { lockHolder, refusedBy, StoreError, translateError } from './errors.ts'
import { claimForProcess, removeLeftOverClaims } from './guard.ts'
import { interruptAtExit } from './interrupt-at-exit.ts'
import { migrateOlder } from './migrate.ts'
import type { StorePaths } from './paths.ts'
import { putInPlace } from './put-in-place.ts'
import { createSchema, SCHEMA_VERSION, schemaVersion } from './schema.ts'

/** What is open of a database file. */
type OpenFile = {
  instance: DuckDBInstance
  /** The only connection that writes. */
  writer: DuckDBConnection
  columns: Columns
  /** Once the writer is closed, nothing is to interrupt it. */
  forget: () => void
  /** Path of the backup, if an older file was rebuilt while it was opened: everything derived is then stale. */
  backup?: string | undefined
}

/** The open database. Only its owner has one. */
export type Database = OpenFile & {
  /**
   * Closes the file, puts another one in its place, and opens that one; `keep` is another name for the old one. No
   * connection but the writer may be open. Killed in between, one of the two is whole in its place.
   */
  replaceWith(next: string, keep?: string): Promise<void>
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
  try {
    const file = await openFile(paths)
    removeLeftOverClaims(paths.directory)
    removeOld(paths.outgoing)
    let isOpen = true
    const database: Database = {
      ...file,
      replaceWith: async (next, keep) => {
        await database.writer.run('CHECKPOINT')
        closeFile(database)
        isOpen = false
        try {
          refuseLog(paths.database)
          putInPlace(next, paths.database, keep)
          Object.assign(database, await openSoon(paths))
        } catch (error) {
          // What cannot be opened does not stay in the place of what could.
          if (keep !== undefined && existsSync(keep)) putInPlace(keep, paths.database)
          Object.assign(database, await openSoon(paths))
          isOpen = true
          throw error
        }
        isOpen = true
      },
      close: async () => {
        try {
          if (isOpen) await database.writer.run('CHECKPOINT')
        } catch (error) {
          throw translateError(error, paths.database)
        } finally {
          if (isOpen) closeFile(database)
          release()
        }
      },
    }
    return database
  } catch (error) {
    release()
    throw translateError(error, paths.database)
  }
}

// Whoever tries to open the file in the moment in which it is closed gives up soon, or is somebody's shell.
const PATIENCE_MILLISECONDS = 10_000

async function openSoon(paths: StorePaths): Promise<OpenFile> {
  for (const deadline = Date.now() + PATIENCE_MILLISECONDS; ; await wait(20)) {
    try {
      return await openFile(paths)
    } catch (error) {
      if (lockHolder(error) === undefined || Date.now() > deadline) throw error
    }
  }
}

async function openFile(paths: StorePaths): Promise<OpenFile> {
  if (statSync(paths.database, { throwIfNoEntry: false })?.isDirectory()) throw inTheWay(paths.database)
  mkdirSync(paths.outgoing, { recursive: true, mode: 0o700 })
  await createDatabase(paths, OPTIONS)
  let instance = await DuckDBInstance.create(paths.database, OPTIONS)
  let forget = () => {}
  try {
    let writer = await instance.connect()
    forget = interruptAtExit(writer)
    const version = await schemaVersion(writer, paths.database)
    let backup: string | undefined
    if (version === 'empty') await createSchema(writer)
    else if (version < SCHEMA_VERSION) {
      const { next, keep } = await migrateOlder(writer, paths, version)
      closeFile({ writer, instance, forget })
      putInPlace(next, paths.database, keep)
      backup = keep
      instance = await DuckDBInstance.create(paths.database, OPTIONS)
      writer = await instance.connect()
      forget = interruptAtExit(writer)
    }
    // From here on no query of anybody reaches another file, but for copies that are made for the outside. (DuckDB still
    // allows its own file: read-only.ts refuses that.)
    await writer.run(`SET allowed_directories = [${quoteText(`${paths.outgoing}/`)}]`)
    await writer.run('SET enable_external_access = false')
    return { instance, writer, columns: await readColumns(writer), forget, backup }
  } catch (error) {
    forget()
    instance.closeSync()
    throw error
  }
}

function closeFile({ writer, instance, forget }: Pick<OpenFile, 'writer' | 'instance' | 'forget'>): void {
  forget()
  writer.closeSync()
  instance.closeSync()
}

// Long past what anybody still takes out of the store.
const LEFT_OVER_MILLISECONDS = 3600 * 1000

/** What was on its way out of the store when its process was killed. */
function removeOld(outgoing: string): void {
  for (const name of readdirSync(outgoing)) {
    const path = join(outgoing, name)
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (written !== undefined && Date.now() - written > LEFT_OVER_MILLISECONDS) {
      rmSync(path, { recursive: true, force: true })
    }
  }
}

function inTheWay(path: string): StoreError {
  return new StoreError('not-a-database', `${path} is a directory, where the database has to be.`, {
    path,
    remedy: 'Move it away. A new database is built from the spool.',
  })
}

/** A write-ahead log that outlived its file's closing belongs to that file, and would ruin the next one. */
function refuseLog(database: string): void {
  if ((statSync(`${database}.wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  throw new StoreError('busy', `${database} could not be closed whole; it stays as it is.`, {
    path: database,
    remedy: 'Run the command again.',
  })
}

function claim(paths: StorePaths): () => void {
  try {
    return claimForProcess(paths.directory)
  } catch (error) {
    throw refusedBy(error, paths.directory)
  }
}
