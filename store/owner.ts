import type { PlainSettings } from '../replay/plain-settings.ts'
import { inspectBackup, writeBackup } from './backup.ts'
import { type Database, openDatabase } from './database.ts'
import { Derivation, markAllStale } from './derivation.ts'
import type { DuckDBConnection } from './duckdb.ts'
import type { QueryParameter } from './duckdb-values.ts'
import { ownerGone, StoreError, translateError } from './errors.ts'
import { exportParquet } from './export.ts'
import { findFiles } from './find-files.ts'
import { Gate } from './gate.ts'
import { importFiles } from './import.ts'
import { importStaleTraces, markAllTracesStale } from './import-traces.ts'
import { readInfo } from './info.ts'
import { ingestSpool } from './ingest.ts'
import { Judges } from './judges.ts'
import { Loader } from './load.ts'
import type { StorePaths } from './paths.ts'
import { pruneStore } from './prune.ts'
import type { PruneBounds } from './prune-plan.ts'
import { freeName } from './put-in-place.ts'
import { type Emit, setVariables, streamQuery } from './query.ts'
import { verifyReadOnly } from './read-only.ts'
import { type ReadBounds, readBehind } from './readers.ts'

/** How far a long act has come: bytes read, or runs derived. */
export type Progress = { phase: 'read' | 'derive'; done: number; total: number }

/** What can be asked of an owner, by the same names here and over the socket. `signal` ends when nobody waits any more. */
export type Method = (
  parameters: Record<string, unknown>,
  emit: Emit,
  signal: AbortSignal,
) => Promise<unknown>

// How long nothing was written before the write-ahead log is folded into the file.
const IDLE_MILLISECONDS = 2000
// How long those who read may keep the file from being exchanged.
const READERS_MILLISECONDS = 30_000

/** The one process that has the database open. Acts that write come one after the other; queries run beside them. */
export class Owner {
  readonly #paths: StorePaths
  readonly #database: Database
  readonly #gate = new Gate()
  #loader: Loader
  readonly #judges = new Judges()
  readonly #closing = new AbortController()
  #writing: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  private constructor(paths: StorePaths, database: Database) {
    this.#paths = paths
    this.#database = database
    this.#loader = new Loader(database.writer, database.columns)
  }

  /** Opens the database. Throws what `openDatabase` throws. */
  static async open(paths: StorePaths): Promise<Owner> {
    return new Owner(paths, await openDatabase(paths))
  }

  /** Where the older database is that was rebuilt when this one was opened. */
  get backup(): string | undefined {
    return this.#database.backup
  }

  readonly methods: Record<string, Method> = {
    hello: async () => ({ pid: process.pid }),
    ingest: ({ settings }, emit) =>
      this.#derive(settings, emit, (derivation) => {
        const { writer } = this.#database
        return ingestSpool(this.#paths, writer, this.#loader, derivation, this.#report(emit, 'read'))
      }),
    import: ({ paths, name, settings }, emit) =>
      this.#derive(settings, emit, async (derivation) => {
        const files = await findFiles(paths as string[], this.#paths.database)
        const named = name === undefined ? files : files.map(({ path }) => ({ path, name: name as string }))
        return importFiles(named, this.#loader, derivation, this.#report(emit, 'read'))
      }),
    rebuild: ({ settings }, emit) =>
      this.#derive(settings, emit, async () => {
        await markAllTracesStale(this.#database.writer)
        await markAllStale(this.#database.writer)
        return {}
      }),
    query: ({ sql, parameters }, emit, signal) =>
      this.#read(signal, async (connection) =>
        streamQuery(
          connection,
          await verifyReadOnly(connection, sql as string),
          (parameters ?? []) as QueryParameter[],
          emit,
        ),
      ),
    readOnlyQuery: ({ sql, limit, timeoutMs, memoryBytes, variables }, emit, signal) =>
      this.#read(
        signal,
        async (connection) => {
          await setVariables(connection, (variables ?? {}) as Record<string, QueryParameter>)
          const verified = await verifyReadOnly(connection, sql as string)
          return streamQuery(connection, verified, [], emit, limit as number)
        },
        { timeoutMs, memoryBytes } as ReadBounds,
      ),
    backup: (_, __, signal) => this.#read(signal, (connection) => writeBackup(this.#paths, connection)),
    export: ({ runs }, _, signal) =>
      this.#read(signal, (connection) => exportParquet(this.#paths, connection, runs as string[])),
    prune: (bounds) =>
      this.#write(() =>
        pruneStore(
          this.#paths,
          () => this.#database.writer,
          bounds as PruneBounds & { dryRun: boolean },
          (next) => this.#exchange(next),
        ),
      ),
    restore: ({ path, name, overwrite }) =>
      this.#write(() => this.#restore(path as string, name as string, overwrite === true)),
    info: (_, __, signal) => this.#read(signal, (connection) => readInfo(this.#paths, connection)),
  }

  /**
   * Ends what is being written after its present batch, folds the write-ahead log in and gives the file up. Whoever
   * waited for the rest gets `owner-gone`: the next owner goes on where this one stopped.
   */
  async close(): Promise<void> {
    this.#closing.abort(ownerGone())
    clearTimeout(this.#idle)
    await this.#writing.catch(() => {})
    clearTimeout(this.#idle)
    await this.#judges.close()
    await this.#database.close()
  }

  /** An act that brings in or marks what is then derived. The answer says of how many runs. */
  #derive<T extends object>(
    settings: unknown,
    emit: Emit,
    act: (derivation: Derivation) => Promise<T>,
  ): Promise<T & { runs: number }> {
    return this.#write(async () => {
      const { writer, columns } = this.#database
      const derivation = new Derivation(
        writer,
        columns,
        this.#loader.transaction,
        (settings ?? {}) as PlainSettings,
        this.#judges,
      )
      const report = this.#report(emit, 'derive')
      try {
        const reading = async () => {
          const read = await act(derivation)
          await derivation.endReading()
          return read
        }
        const done = await reading().finally(() => this.#loader.commit())
        await derivation.settle()
        await importStaleTraces(writer, columns, this.#loader, report)
        return { ...done, runs: await derivation.finish(report) }
      } finally {
        await derivation.close()
      }
    })
  }

  /** Called between batches: tells how far it is, without waiting, and is where a closing owner stops. */
  #report(emit: Emit, phase: Progress['phase']): (done: number, total: number) => void {
    return (done, total) => {
      this.#closing.signal.throwIfAborted()
      void emit({ progress: { phase, done, total } satisfies Progress })
    }
  }

  /** One writer at a time: each act waits for the one before, whether that one went well or not. */
  #write<T>(act: () => Promise<T>): Promise<T> {
    clearTimeout(this.#idle)
    const result = this.#writing
      .catch(() => {})
      .then(() => {
        this.#closing.signal.throwIfAborted()
        return act()
      })
      .catch((error) => {
        throw translateError(error, this.#paths.database)
      })
    this.#writing = result
    result.catch(() => {}).finally(() => this.#checkpointWhenIdle())
    return result
  }

  #checkpointWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      // A checkpoint that does not fit in now (a query is running) comes with the next act or at the end.
      this.#writing = this.#writing
        .catch(() => {})
        .then(() => this.#database.writer.run('CHECKPOINT').catch(() => {}))
    }, IDLE_MILLISECONDS)
    this.#idle.unref()
  }

  /** Puts another file in the place of the database, when nobody reads. */
  #exchange(next: string, keep?: string): Promise<void> {
    return this.#gate.alone(READERS_MILLISECONDS, async () => {
      await this.#database.replaceWith(next, keep)
      this.#loader = new Loader(this.#database.writer, this.#database.columns)
    })
  }

  /** Puts a copy of a backup in the place of the database. What was there keeps another name, unless it was empty. */
  async #restore(path: string, name: string, overwrite: boolean) {
    const { writer } = this.#database
    const report = await inspectBackup(writer, path, name)
    const held = await writer.runAndReadAll('SELECT count(*) FROM base.events')
    const isEmpty = Number(held.getRows()[0]![0]) === 0
    if (!isEmpty && !overwrite) throw notEmpty(this.#paths.database)
    const kept = isEmpty ? undefined : freeName(`${this.#paths.database}.replaced`)
    await this.#exchange(path, kept)
    return { ...report, kept }
  }

  #read<T>(
    signal: AbortSignal,
    act: (connection: DuckDBConnection) => Promise<T>,
    bounds?: ReadBounds,
  ): Promise<T> {
    return readBehind(this.#gate, this.#database, signal, act, bounds).catch((error) => {
      throw translateError(error, this.#paths.database)
    })
  }
}

function notEmpty(database: string): StoreError {
  return new StoreError('not-empty', `${database} holds events already.`, {
    path: database,
    remedy:
      'Restore into another directory, or say --overwrite: the present database is then kept under another name.',
  })
}
