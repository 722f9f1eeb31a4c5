import { createWriteStream, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ulid } from 'ulid'
import type { Derivation } from './derivation.ts'
import { translateError } from './errors.ts'
import { occurrenceCounter } from './event-row.ts'
import type { ImportFile } from './find-files.ts'
import { nothingToImport, readImport } from './import-read.ts'
import { type LoadCounts, type Loader, NOTHING } from './load.ts'
import type { StorePaths } from './paths.ts'
import type { Unread } from './why-unread.ts'

/** What an import did. `files`: how many were read to their end; `unread`: the others. */
export type ImportCounts = LoadCounts & { spans: number; files: number; unread: Unread[] }

/**
 * Reads whole files, the last line without a line feed included. Events that are stored already are passed over;
 * `derivation` goes on with the others. A file that cannot be read keeps no other from being read.
 */
export async function importFiles(
  files: readonly ImportFile[],
  loader: Loader,
  derivation: Derivation,
  onProgress: (done: number, total: number) => void,
): Promise<ImportCounts> {
  const counts: ImportCounts = { events: 0, spans: 0, duplicates: 0, quarantined: 0, files: 0, unread: [] }
  const total = files.reduce((sum, { path }) => sum + sizeOf(path), 0)
  derivation.startReading(total)
  let done = 0
  for (const { path, name, unread } of files) {
    if (unread !== undefined) {
      counts.unread.push(unread)
      continue
    }
    const from = { source: name, kind: 'import' as const }
    const occurrence = occurrenceCounter()
    let offset = 0
    let lines = 0
    let good = 0
    let fault: Unread | undefined
    for await (const batch of readImport(path, name)) {
      if ('reason' in batch) {
        fault = batch
        break
      }
      const loaded =
        'rows' in batch
          ? { events: 0, ...NOTHING, ...(await loader.loadSpans(from, batch)) }
          : { spans: 0, ...(await loader.load(from, batch, occurrence)) }
      counts.events += loaded.events
      counts.spans += loaded.spans
      counts.duplicates += loaded.duplicates
      counts.quarantined += loaded.quarantined
      lines += 'rows' in batch ? batch.rows.length + batch.bad.length : batch.lines.length
      good += loaded.events + loaded.spans + loaded.duplicates
      done += batch.next.offset - offset
      offset = batch.next.offset
      onProgress(done, total)
      await derivation.readOn(loaded)
    }
    if (fault === undefined && lines > 0 && good === 0) fault = nothingToImport(name, lines)
    if (fault === undefined) counts.files++
    else counts.unread.push(fault)
  }
  return counts
}

/** For the progress alone: of a file that cannot be read, why comes later. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

/**
 * Writes a stream into a file of the store, so that it can be read by whoever owns the database, and again if that
 * process ends. The caller removes it.
 */
export async function keepStream(
  stream: AsyncIterable<Uint8Array | string>,
  paths: StorePaths,
): Promise<string> {
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
