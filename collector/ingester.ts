import { setTimeout as wait } from 'node:timers/promises'
import { type OpenOptions, openStore, type Store, StoreError } from '../store/index.ts'

/** How far the database is. */
export type IngestState = {
  /** This process has it open, or another one does. Absent while it is not known. */
  owner?: boolean
  /** Stored from the spool since start, those of other writers included. */
  events: number
  spans: number
  duplicates: number
  quarantined: number
  runs: number
  /** Why the last try failed; absent when it worked. */
  error?: string
}

// Events wait for company: a small batch is mostly its commit, and gets a tenth of the process at most, as long as nobody has
// to wait for more than a second. Under load they wait as long as the last batch took, so that receiving has half of the
// process, and a run that arrives in pieces is judged less often.
const GATHER_MILLISECONDS = 200
const GATHER_TIMES = 9
const LONGEST_GATHER_OF_FEW = 1000
const LONGEST_GATHER_MILLISECONDS = 5000
// How often the spool is looked at for what local agents wrote.
const LOOK_MILLISECONDS = 2000
const RETRY_MILLISECONDS = 5000
const LOOK_FOR_OWNER_MILLISECONDS = 10_000

// A database that no waiting makes usable: the server is not worth starting.
const PERMANENT = new Set([
  'directory-missing',
  'not-writable',
  'not-a-database',
  'newer-schema',
  'older-schema',
])

/** Keeps the database up to the spool, as its owner or through the owner. Receiving never waits for it. */
export class Ingester {
  readonly state: IngestState = { events: 0, spans: 0, duplicates: 0, quarantined: 0, runs: 0 }
  readonly #directory: string
  readonly #complain: (message: string) => void
  readonly #options: Pick<OpenOptions, 'settings'>
  readonly #stopping = new AbortController()
  #store: Store | undefined
  #wake: (() => void) | undefined
  #isNew = false
  #lookedAt = 0
  #starting: Promise<void> | undefined
  #running: Promise<void> | undefined

  /** `settings`: how the runs that come in are judged. */
  constructor(
    directory: string,
    complain: (message: string) => void,
    options: Pick<OpenOptions, 'settings'> = {},
  ) {
    this.#directory = directory
    this.#complain = complain
    this.#options = options
  }

  /** Opens the store and begins. Rejects with the StoreError of a database that can never be used. */
  start(): Promise<void> {
    this.#starting = this.#start()
    return this.#starting
  }

  /** Says that the spool has grown. */
  poke(): void {
    this.#isNew = true
    this.#wake?.()
  }

  /** Ends after the batch that is being read; the rest is in the spool for whoever comes next. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#starting?.catch(() => {})
    await this.#store?.close()
    await this.#running
  }

  async #start(): Promise<void> {
    try {
      this.#store = await openStore(this.#directory, { create: true, ...this.#options })
    } catch (error) {
      if (!(error instanceof StoreError) || PERMANENT.has(error.code)) throw error
      this.#failed(error)
    }
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isNew = false
      const start = performance.now()
      const worked = await this.#ingest()
      const gather = gatherAfter(performance.now() - start)
      await this.#pause(worked ? LOOK_MILLISECONDS : RETRY_MILLISECONDS, worked)
      if (worked) await wait(gather, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
  }

  async #ingest(): Promise<boolean> {
    try {
      this.#store ??= await openStore(this.#directory, this.#options)
      // Stopped while it was being opened: nobody else would close it.
      if (this.#stopping.signal.aborted) await this.#store.close()
      const { events, spans, duplicates, quarantined, runs } = await this.#store.ingest()
      this.state.events += events
      this.state.spans += spans
      this.state.duplicates += duplicates
      this.state.quarantined += quarantined
      this.state.runs += runs
      await this.#lookForOwner(this.#store)
      if (this.state.error !== undefined) this.#complain('the database is being filled again')
      delete this.state.error
      return true
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#failed(error as Error)
      return false
    }
  }

  async #lookForOwner(store: Store): Promise<void> {
    if (Date.now() - this.#lookedAt < LOOK_FOR_OWNER_MILLISECONDS) return
    this.state.owner = (await store.info()).owner === process.pid
    this.#lookedAt = Date.now()
  }

  #failed(error: Error): void {
    if (this.state.error !== error.message) {
      this.#complain(`${error.message} What arrives is kept in the spool meanwhile.`)
    }
    this.state.error = error.message
  }

  /** Until something is new, or for so long; after a failure for so long. */
  async #pause(milliseconds: number, untilNew: boolean): Promise<void> {
    const { signal } = this.#stopping
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
      if (this.#isNew) resolve()
    })
    const timer = new AbortController()
    const over = wait(milliseconds, undefined, { signal: AbortSignal.any([signal, timer.signal]) }).catch(
      () => {},
    )
    await Promise.race(untilNew ? [over, woken] : [over])
    timer.abort()
    this.#wake = undefined
  }
}

/** Milliseconds to wait after a batch that took so long. */
function gatherAfter(took: number): number {
  const few = Math.min(GATHER_TIMES * took, LONGEST_GATHER_OF_FEW)
  return Math.min(Math.max(few, took, GATHER_MILLISECONDS), LONGEST_GATHER_MILLISECONDS)
}
