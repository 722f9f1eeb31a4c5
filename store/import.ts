import { createWriteStream, existsSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ulid } from 'ulid'
import type { Derivation } from './derivation.ts'
import { StoreError, translateError } from './errors.ts'
import { occurrenceCounter } from './event-row.ts'
import { readLines } from './lines.ts'
import { type LoadCounts, type Loader, NOTHING, type Stored } from './load.ts'
import { logsBelow } from './log-files.ts'
import type { StorePaths } from './paths.ts'
import { readSpanFile, recogniseFile, type SpanFile } from './span-files.ts'

/** A run-log file to import. `name` is what it is called in quarantine and reports. */
export type ImportFile = { path: string; name: string }

/** What an import did. */
export type ImportCounts = LoadCounts & { spans: number; files: number }

/**
 * The files that paths name: a file as it is, of a folder every .jsonl and .ndjson below it, in the order of their
 * names. Throws `unreadable` if a path is not there, and for the database itself.
 */
export async function findFiles(paths: readonly string[], database: string): Promise<ImportFile[]> {
  const found = await Promise.all(paths.map((path) => filesBelow(resolve(path), database)))
  return found.flat().map((path) => ({ path, name: path }))
}

async function filesBelow(path: string, database: string): Promise<string[]> {
  if (!existsSync(path)) {
    throw new StoreError('unreadable', `${path} does not exist.`, { path, remedy: 'Check the path.' })
  }
  const real = realpathSync(path)
  const files = statSync(real).isDirectory() ? await logsBelow(real) : [real]
  for (const file of files) refuseDatabase(file, database)
  return files
}

/**
 * Opening and closing the database file in the process that owns it would drop DuckDB's lock and let a second writer in.
 * Compared by device and inode, so that no other name for it gets through.
 */
export function refuseDatabase(path: string, database: string): void {
  const one = statSync(path)
  for (const own of [database, `${database}.wal`]) {
    const other = statSync(own, { throwIfNoEntry: false })
    if (other !== undefined && other.ino === one.ino && other.dev === one.dev) {
      throw new StoreError('unreadable', `${path} is the database of this store itself.`, {
        path,
        remedy: 'Name another file.',
      })
    }
  }
}

/**
 * Reads whole files, the last line without a line feed included. Events that are stored already are passed over;
 * `derivation` goes on with the others.
 */
export async function importFiles(
  files: readonly ImportFile[],
  loader: Loader,
  derivation: Derivation,
  onProgress: (done: number, total: number) => void,
): Promise<ImportCounts> {
  const counts = { events: 0, spans: 0, duplicates: 0, quarantined: 0, files: files.length }
  const total = files.reduce((sum, file) => sum + statSync(file.path).size, 0)
  derivation.startReading(total)
  let done = 0
  for (const { path, name } of files) {
    const file = await open(path, 'r').catch((error) => {
      throw unreadable(path, error)
    })
    try {
      for await (const { loaded, read } of loadFile(file, path, name, loader)) {
        counts.events += loaded.events
        counts.spans += loaded.spans
        counts.duplicates += loaded.duplicates
        counts.quarantined += loaded.quarantined
        done += read
        onProgress(done, total)
        await derivation.readOn(loaded)
      }
    } finally {
      await file.close()
    }
  }
  return counts
}

type Loaded = { loaded: LoadCounts & Stored & { spans: number }; read: number }

/** A file as what it is: a run log line by line, or spans. */
async function* loadFile(
  file: FileHandle,
  path: string,
  name: string,
  loader: Loader,
): AsyncGenerator<Loaded> {
  const from = { source: name, kind: 'import' as const }
  const form = await recogniseFile(file, path)
  const occurrence = occurrenceCounter()
  let offset = 0
  const batches = form === 'run-log' ? readLines(file, { offset: 0, number: 1 }, { final: true }) : undefined
  for await (const batch of batches ?? readSpanFile(file, form as SpanFile, name)) {
    const loaded =
      'rows' in batch
        ? { events: 0, ...NOTHING, ...(await loader.loadSpans(from, batch)) }
        : { spans: 0, ...(await loader.load(from, batch, occurrence)) }
    yield { loaded, read: batch.next.offset - offset }
    offset = batch.next.offset
  }
}

function unreadable(path: string, error: unknown): unknown {
  const { message } = error as Error
  return new StoreError('unreadable', `${path} cannot be read: ${message}`, {
    path,
    remedy: 'Make it readable for this user.',
    cause: error,
  })
}

/**
 * Writes a stream into a file of the store, so that it can be read by whoever owns the database, and again if that
 * process ends. The caller removes it.
 */
export async function keepStream(stream: NodeJS.ReadableStream, paths: StorePaths): Promise<string> {
  const folder = join(paths.directory, 'incoming')
  const path = join(folder, `${ulid()}.part`)
  try {
    await mkdir(folder, { recursive: true })
    await pipeline(stream, createWriteStream(path, { mode: 0o600 }))
    return path
  } catch (error) {
    await rm(path, { force: true })
    throw translateError(error, path)
  }
}
