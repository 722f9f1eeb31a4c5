import { availableParallelism } from 'node:os'
import type { PlainSettings } from '../replay/plain-settings.ts'
import { appendTables, type Columns } from './append.ts'
import { type DuckDBConnection, listValue } from './duckdb.ts'
import { type Judged, judgeBatch, type Task } from './judge-batch.ts'
import type { Judges } from './judges.ts'
import { markLinkedStale } from './linked-runs.ts'
import type { Stored } from './load.ts'
import { inBatches, markRelatedStale, planStale, readTogether } from './run-lines.ts'
import { DERIVED_TABLES } from './schema.ts'
import { SharedMemory } from './shared-memory.ts'
import type { Transaction } from './transaction.ts'
import { type WholeRun, WholeRuns } from './whole-runs.ts'

/** Less than this is judged before a thread would have started. */
const IN_PLACE_BYTES = 512 * 1024
/** Batches that are stored in one transaction: to end one takes as long as to store several. */
const STORED_TOGETHER = 16
/** Batches that are held in memory at a time, judged or not. */
const MOST_BATCHES = 4 * STORED_TOGETHER

/** Runs that were given out to be judged. `changed`: those that got events since. `held`: memory to be given back. */
type Given = {
  runs: string[]
  held: Uint8Array[]
  changed: Set<string>
  judging: Promise<Judged>
  judged?: Judged
}

/**
 * Derives anew every run that has events younger than its derived rows, and the runs that are judged together with those,
 * under the settings of whoever asks. Runs are judged in batches in other threads, while this one reads on and stores those
 * before. They are stored in one transaction with the end of their marks: killed in between, the rest stays marked.
 */
export class Derivation {
  readonly #connection: DuckDBConnection
  readonly #columns: Columns
  readonly #transaction: Transaction
  readonly #settings: PlainSettings
  readonly #judges: Judges
  readonly #memory = new SharedMemory()
  readonly #reading = new WholeRuns(this.#memory)
  #whole: WholeRun[] = []
  /** In the order in which they were given out. */
  #given: Given[] = []
  readonly #derived = new Set<string>()
  #sharesCores = false

  constructor(
    connection: DuckDBConnection,
    columns: Columns,
    transaction: Transaction,
    settings: PlainSettings,
    judges: Judges,
  ) {
    this.#connection = connection
    this.#columns = columns
    this.#transaction = transaction
    this.#settings = settings
    this.#judges = judges
  }

  /** To be called with the bytes that will be read: a thread takes as long to start as the first of them to be stored. */
  startReading(bytes: number): void {
    if (bytes > IN_PLACE_BYTES) this.#judges.start()
  }

  /**
   * To be called with what was stored of a long reading: gives out the runs that are whole by now, and stores those that
   * were judged meanwhile, in the transaction of the reading. Runs that get more events all the same are derived again at
   * the end.
   */
  async readOn({ stored, known }: Stored): Promise<void> {
    if (this.#judges.size === 0) return
    const grown = new Set(stored.map(({ run }) => run))
    for (const { runs, changed } of this.#given) {
      for (const run of runs) if (grown.has(run)) changed.add(run)
    }
    this.#whole.push(...this.#reading.add(stored, known))
    if (this.#judged().length >= STORED_TOGETHER) await this.#storeJudged()
    const batches = [...inBatches(this.#whole)]
    // The last one may still grow.
    while (this.#given.length < MOST_BATCHES && batches.length > 1) await this.#giveWhole(batches.shift()!)
    this.#whole = batches.flat()
  }

  /** To be called when all is read: what is whole by now is judged while the reading is committed. */
  async endReading(): Promise<void> {
    // A short reading gave out nothing: that is judged in place, before a thread would be warm.
    if (this.#given.length > 0) {
      for (const batch of inBatches(this.#whole)) await this.#giveWhole(batch)
    }
    this.#whole = []
  }

  /** Stores all that was given out. Whatever follows may change everything in the store. */
  async settle(): Promise<void> {
    while (this.#given.length > 0) await this.#storeNext()
    await this.#transaction.commit()
  }

  /** Derives every marked run. Returns how many runs were derived in all. */
  async finish(onProgress: (done: number, total: number) => void): Promise<number> {
    await markLinkedStale(this.#connection)
    await markRelatedStale(this.#connection)
    const plan = await planStale(this.#connection)
    const early = this.#derived.size
    const inPlace =
      this.#judges.size === 0 || plan.reduce((sum, { bytes }) => sum + bytes, 0) <= IN_PLACE_BYTES
    const atOnce = inPlace ? STORED_TOGETHER : MOST_BATCHES
    let stored = 0
    const storeNext = async () => {
      stored += await this.#storeNext()
      await this.#transaction.commit()
      onProgress(early + stored, early + plan.length)
    }
    for (const batch of inBatches(plan)) {
      await this.#give(
        batch.map(({ run }) => run),
        await readTogether(this.#connection, batch),
        { inPlace },
      )
      if (this.#given.length === atOnce) await storeNext()
    }
    while (this.#given.length > 0) await storeNext()
    return this.#derived.size
  }

  /** Ends what is still being judged. Its runs stay marked. */
  async close(): Promise<void> {
    await this.#judges.rest()
    // What this fails with is no failure of what was derived, and must not stand in the place of one.
    if (this.#sharesCores) await this.#connection.run('RESET threads').catch(() => {})
  }

  /** With more threads than cores, DuckDB's would spin for the work that the judges have. */
  async #shareCores(): Promise<void> {
    if (this.#sharesCores) return
    this.#sharesCores = true
    await this.#connection.run(`SET threads = ${Math.max(1, availableParallelism() - this.#judges.size)}`)
  }

  #giveWhole(batch: readonly WholeRun[]): Promise<void> {
    return this.#give(
      batch.map(({ run }) => run),
      {
        runs: batch.map(({ run, asWritten }) => ({ run, related: [], asWritten })),
        lines: new Map(batch.map(({ run, lines }) => [run, lines])),
      },
      { held: batch.map(({ lines }) => lines) },
    )
  }

  async #give(
    runs: string[],
    read: Omit<Task, 'settings'>,
    { inPlace = false, held = [] }: { inPlace?: boolean; held?: Uint8Array[] },
  ): Promise<void> {
    if (!inPlace) await this.#shareCores()
    const task = { ...read, settings: this.#settings }
    const given: Given = {
      runs,
      held,
      changed: new Set(),
      judging: inPlace ? Promise.resolve(judgeBatch(task)) : this.#judges.judge(task),
    }
    void given.judging.then((judged) => {
      given.judged = judged
    })
    this.#given.push(given)
  }

  /** Waits for the oldest batches. Returns the number of runs that were stored with them. */
  async #storeNext(): Promise<number> {
    await Promise.all(this.#given.slice(0, STORED_TOGETHER).map(({ judging }) => judging))
    return this.#storeJudged()
  }

  /** The oldest batches as far as they are judged. A run may stand in two, and the younger one counts: it comes later. */
  #judged(): Given[] {
    const seen = new Set<string>()
    const end = this.#given.findIndex(
      ({ judged, runs }) => judged === undefined || runs.some((run) => seen.size === seen.add(run).size),
    )
    return end < 0 ? this.#given : this.#given.slice(0, end)
  }

  async #storeJudged(): Promise<number> {
    const judged = this.#judged()
    const runs = judged.flatMap((one) => one.runs)
    const unchanged = judged.flatMap((one) => one.runs.filter((run) => !one.changed.has(run)))
    await this.#transaction.write(async () => {
      await this.#replaceRows(
        runs,
        judged.map((one) => one.judged!),
      )
      await this.#transaction.run('DELETE FROM base.stale_runs WHERE run IN (SELECT unnest($1))', [
        listValue(unchanged),
      ])
    })
    this.#given = this.#given.slice(judged.length)
    for (const lines of judged.flatMap(({ held }) => held)) this.#memory.giveBack(lines)
    for (const run of runs) this.#derived.add(run)
    return runs.length
  }

  async #replaceRows(runs: string[], answers: readonly Judged[]): Promise<void> {
    // Most runs are new: then there is nothing to delete, and no table needs to be scanned.
    const before = await this.#transaction.run('SELECT run FROM base.runs WHERE run IN (SELECT unnest($1))', [
      listValue(runs),
    ])
    const old = listValue(before.map(([run]) => run!))
    for (const table of DERIVED_TABLES) {
      if (before.length > 0) {
        await this.#transaction.run(`DELETE FROM base.${table} WHERE run IN (SELECT unnest($1))`, [old])
      }
      const added = answers.flatMap((answer) => answer.get(table) ?? [])
      if (added.length > 0) await appendTables(this.#connection, this.#columns, table, added)
    }
  }
}

/** Empties everything derived and marks every run. Whoever reads in the meantime sees the runs derived so far. */
export async function markAllStale(connection: DuckDBConnection): Promise<void> {
  await connection.run('BEGIN')
  for (const table of DERIVED_TABLES) await connection.run(`DELETE FROM base.${table}`)
  await connection.run('DELETE FROM base.stale_runs')
  await connection.run('INSERT INTO base.stale_runs SELECT DISTINCT run FROM base.events')
  await connection.run('COMMIT')
}
