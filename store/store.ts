import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readStoredEvent } from '../model/parse-event.ts'
import type { RunEvent } from '../model/run-log.ts'
import { joinOrphans } from '../replay/join-orphans.ts'
import { type PlainSettings, plainSettings, settingsHash } from '../replay/plain-settings.ts'
import type { Settings } from '../replay/settings.ts'
import type { BackupReport } from './backup.ts'
import type { QueryParameter } from './duckdb-values.ts'
import { StoreError } from './errors.ts'
import { bringIn, refusePlace, takeOut } from './files-across.ts'
import { type ImportCounts, keepStream } from './import.ts'
import type { StoreInfo } from './info.ts'
import type { SpoolCounts } from './ingest.ts'
import type { Progress } from './owner.ts'
import { type StorePaths, storePaths } from './paths.ts'
import type { PruneReport } from './prune.ts'
import type { PruneBounds } from './prune-plan.ts'
import type { Column, Emit, QueryPart, QueryRow } from './query.ts'
import { type Seat, takeSeat } from './seat.ts'

export type OnProgress = (progress: Progress) => void

/** `runs`: how many were derived anew. */
export type IngestReport = SpoolCounts & { runs: number }
export type ImportReport = ImportCounts & { runs: number }

/** `kept`: where the database that was there before is now. */
export type RestoreReport = BackupReport & { kept?: string | undefined }

/** `truncated`: there were more rows than the limit. */
export type QueryAnswer = { columns: Column[]; rows: QueryRow[]; truncated: boolean }

/** `memoryBytes`: what the query may take beyond what is taken already. */
export type QueryBounds = {
  limit: number
  timeoutMs: number
  memoryBytes?: number
  variables?: Readonly<Record<string, QueryParameter>>
}

/** One store, whether this process owns its database or asks the one that does. Every method may be used at any time. */
export interface Store {
  readonly paths: StorePaths
  /** Where the older database is that was rebuilt when this store was opened; everything derived waits for `ingest`. */
  readonly rebuiltFrom?: string | undefined
  /** Reads what is new in the spool and derives what it changes. */
  ingest(onProgress?: OnProgress): Promise<IngestReport>
  /**
   * Imports run-log files, files of spans, and of folders the .jsonl and .ndjson files and the .json files with spans. Every
   * event once, however often. A file that cannot be read keeps no other from being read: it is told under `unread`.
   */
  importPaths(paths: readonly string[], onProgress?: OnProgress): Promise<ImportReport>
  /** Imports one run log from a stream; `name` is what it is called in reports. */
  importStream(
    stream: AsyncIterable<Uint8Array | string>,
    name?: string,
    onProgress?: OnProgress,
  ): Promise<ImportReport>
  /** Derives everything anew from the events, under the settings of this store. */
  rebuild(onProgress?: OnProgress): Promise<{ runs: number }>
  /** All rows of a query that only reads; parameters as $1, $2 … Values as plain JSON, see docs/store.md. */
  query(sql: string, parameters?: readonly QueryParameter[]): Promise<QueryRow[]>
  /**
   * The same with bounds: at most `limit` rows, ended after `timeoutMs` milliseconds. `variables` are what
   * `getvariable('name')` gives in the query, as after SET VARIABLE in the DuckDB shell.
   */
  readOnlyQuery(sql: string, options: QueryBounds): Promise<QueryAnswer>
  /**
   * The events of a run, with those of orphans that were joined into it, in the order in which they were stored; none if
   * there is no such run.
   */
  readRun(run: string): Promise<RunEvent[]>
  /** How many runs were judged under other settings than this store has; `rebuild` judges them anew. */
  judgedOtherwise(): Promise<number>
  info(): Promise<StoreInfo>
  /**
   * Removes whole runs, oldest first, and the spool segments that hold nothing else; the space goes back to the disk.
   * With `dryRun` it only says what would go.
   */
  prune(bounds: PruneBounds & { dryRun: boolean }): Promise<PruneReport>
  /**
   * Writes one state of the database into a file of its own, while others go on storing and asking. Throws StoreError:
   * not-empty (there is a file, and it is not to be overwritten), unreadable, disk-full.
   */
  backup(file: string, options?: { overwrite?: boolean }): Promise<BackupReport>
  /**
   * Puts a backup in the place of the database; what the spool holds beyond it is read again by the next ingest. The
   * present database is kept under another name. Throws StoreError: not-empty (it holds events, and is not to be
   * overwritten), not-a-backup, newer-schema, unreadable, busy.
   */
  restore(file: string, options?: { overwrite?: boolean }): Promise<RestoreReport>
  /**
   * Writes runs as Parquet files, one folder a view and in it one a day (`day=2031-03-04`), into a new folder of the
   * store that the caller takes away. Returns its path.
   */
  exportParquet(runs: readonly string[]): Promise<{ path: string }>
  /** Gives the database up, after what is being written. */
  close(): Promise<void>
}

export type OpenOptions = { create?: boolean; settings?: Settings }

/**
 * Opens the store in a directory: asks its owner, or becomes it. `create` makes the directory if it is missing; whatever
 * this store derives is judged under `settings`, also where another process has the database.
 * Throws StoreError: directory-missing, not-writable, not-a-database, newer-schema, older-schema, disk-full, locked,
 * owner-silent.
 */
export async function openStore(directory: string, options: OpenOptions = {}): Promise<Store> {
  const paths = storePaths(directory, options)
  return new SeatedStore(paths, await takeSeat(paths), plainSettings(options.settings ?? {}))
}

class SeatedStore implements Store {
  readonly paths: StorePaths
  readonly rebuiltFrom?: string | undefined
  readonly #settings: PlainSettings
  #seat: Promise<Seat>
  #closed = false

  constructor(paths: StorePaths, seat: Seat, settings: PlainSettings) {
    this.paths = paths
    this.#settings = settings
    this.rebuiltFrom = seat.backup
    this.#seat = Promise.resolve(seat)
  }

  ingest(onProgress?: OnProgress): Promise<IngestReport> {
    return this.#ask('ingest', { settings: this.#settings }, progress(onProgress)) as Promise<IngestReport>
  }

  importPaths(paths: readonly string[], onProgress?: OnProgress): Promise<ImportReport> {
    const absolute = paths.map((path) => resolve(path))
    const asked = { paths: absolute, settings: this.#settings }
    return this.#ask('import', asked, progress(onProgress)) as Promise<ImportReport>
  }

  async importStream(
    stream: AsyncIterable<Uint8Array | string>,
    name = 'stdin',
    onProgress?: OnProgress,
  ): Promise<ImportReport> {
    const kept = await keepStream(stream, this.paths)
    try {
      const asked = { paths: [kept], name, settings: this.#settings }
      return (await this.#ask('import', asked, progress(onProgress))) as ImportReport
    } finally {
      await rm(kept, { force: true })
    }
  }

  rebuild(onProgress?: OnProgress): Promise<{ runs: number }> {
    return this.#ask('rebuild', { settings: this.#settings }, progress(onProgress)) as Promise<{
      runs: number
    }>
  }

  async query(sql: string, parameters: readonly QueryParameter[] = []): Promise<QueryRow[]> {
    return (await this.#collect('query', { sql, parameters })).rows
  }

  readOnlyQuery(sql: string, options: QueryBounds): Promise<QueryAnswer> {
    return this.#collect('readOnlyQuery', { sql, ...options })
  }

  async readRun(run: string): Promise<RunEvent[]> {
    // As text: a JSON column would be parsed by the owner only to be written again.
    const sql = `SELECT line::VARCHAR AS line FROM base.events
      WHERE run IN (SELECT $1 UNION ALL SELECT orphan FROM base.joined WHERE run = $1) ORDER BY arrival`
    const events = (await this.query(sql, [run])).map((row) => readStoredEvent(row.line as string))
    return joinOrphans(events).filter((event) => event.run === run)
  }

  async judgedOtherwise(): Promise<number> {
    const sql = 'SELECT count(*) AS runs FROM base.runs WHERE settings <> $1'
    return Number((await this.query(sql, [settingsHash(this.#settings)]))[0]!.runs)
  }

  info(): Promise<StoreInfo> {
    return this.#ask('info', {}, async () => {}) as Promise<StoreInfo>
  }

  prune(bounds: PruneBounds & { dryRun: boolean }): Promise<PruneReport> {
    return this.#ask('prune', { ...bounds }, async () => {}) as Promise<PruneReport>
  }

  async backup(file: string, { overwrite = false } = {}): Promise<BackupReport> {
    refusePlace(file, this.paths, overwrite)
    const answer = await this.#ask('backup', {}, async () => {})
    const { path, ...report } = answer as BackupReport & { path: string }
    try {
      // Somebody may have put a file there meanwhile.
      refusePlace(file, this.paths, overwrite)
      takeOut(path, file)
      return report
    } finally {
      await rm(path, { force: true })
    }
  }

  async restore(file: string, { overwrite = false } = {}): Promise<RestoreReport> {
    const path = bringIn(file, this.paths)
    try {
      return (await this.#ask('restore', { path, name: file, overwrite }, async () => {})) as RestoreReport
    } finally {
      await rm(path, { force: true })
    }
  }

  exportParquet(runs: readonly string[]): Promise<{ path: string }> {
    return this.#ask('export', { runs }, async () => {}) as Promise<{ path: string }>
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#seat.then((seat) => seat.leave())
  }

  async #collect(method: string, parameters: Record<string, unknown>): Promise<QueryAnswer> {
    let columns: Column[] = []
    let rows: QueryRow[] = []
    const done = await this.#ask(method, parameters, async (part) => {
      const { columns: head, rows: more } = part as QueryPart
      if (head !== undefined) {
        // A new beginning, also when the question was asked again of another owner.
        columns = head
        rows = []
      }
      for (const row of more ?? []) rows.push(row)
    })
    return { columns, rows, truncated: (done as { truncated: boolean }).truncated }
  }

  /** Every question may be asked twice without harm, so when its owner ends before the answer, the next one is asked. */
  async #ask(method: string, parameters: Record<string, unknown>, emit: Emit): Promise<unknown> {
    for (;;) {
      if (this.#closed) throw closed(this.paths.directory)
      const seat = this.#seat
      try {
        return await (await seat).call(method, parameters, emit)
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'owner-gone' || this.#closed) throw error
        // Several questions may fail at once: the first one sees to the new seat, the others use it.
        if (this.#seat === seat) this.#seat = takeSeat(this.paths)
      }
    }
  }
}

function progress(onProgress: OnProgress | undefined): Emit {
  return async (part) => onProgress?.((part as { progress: Progress }).progress)
}

function closed(directory: string): StoreError {
  return new StoreError('owner-gone', `The store in ${directory} is closed.`, {
    path: directory,
    remedy: 'Open it again.',
  })
}
