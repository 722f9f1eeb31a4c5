import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Backoff, type BackoffLimits, DEFAULT_BACKOFF } from './backoff.ts'
import { readEntries } from './batch.ts'
import { bury } from './dead-letters.ts'
import { advance, deliver, type Later, type SendCounters } from './delivery.ts'
import type { SentContent } from './outgoing-line.ts'
import { Pause } from './pause.ts'
import { Connection, type Target } from './post.ts'
import { readSegment } from './segment-lines.ts'
import { listSegments, type SpoolSegment } from './segments.ts'
import { SentOffsets } from './sent-offsets.ts'

/** How a spool is drained. `directory` is the directory of the captures. */
export type SpoolSenderOptions = {
  directory: string
  target: Target
  content: SentContent
  hashKey?: string | undefined
  /** About how much of a segment goes into one request, in bytes. */
  batchBytes: number
  /** Attributes of the sending process, `service.name` among them. */
  resource: Record<string, string>
  /** Neither timers nor sockets keep the process alive. */
  background: boolean
  /** Told once for each new reason why nothing gets through, and when something does again. */
  report: (level: 'warn' | 'info', message: string) => void
  backoff?: BackoffLimits
}

/** What one look at the spool came to: something was settled, there was nothing to do, or the server has to be waited for. */
export type Round = 'moved' | 'idle' | Later

const POLL_MS = 500
const SMALLEST_BATCH_BYTES = 16 * 1024
const NO_LIMIT = Number.POSITIVE_INFINITY

/**
 * Sends what is in the spool to a server, one request at a time, until it is stopped. The offset of a segment is its
 * progress: it moves only over lines that were acknowledged or buried. Nothing that is thrown gets out.
 */
export class SpoolSender {
  readonly counters: SendCounters = { pending: 0, sent: 0, dead: 0, retries: 0, bytes: 0 }
  readonly #options: SpoolSenderOptions
  readonly #spool: string
  readonly #connection: Connection
  readonly #offsets: SentOffsets
  readonly #backoff: Backoff
  readonly #pause: Pause
  readonly #abort = new AbortController()
  readonly #trust: { of: 'none' | 'doubted' | 'earned' } = { of: 'none' }
  #batchBytes: number
  /** Records a request while one is searched for that the server will not have. */
  #atMost = NO_LIMIT
  #current = ''
  #stopped = false
  #complaint: string | undefined
  #rounds = 0
  #hurry = false
  readonly #onRound = new Set<(round: Round) => void>()

  constructor(options: SpoolSenderOptions) {
    this.#options = options
    this.#spool = path.join(options.directory, 'spool')
    this.#connection = new Connection(options.target, options.background)
    this.#offsets = new SentOffsets(options.directory, options.target.url)
    this.#backoff = new Backoff(options.backoff ?? DEFAULT_BACKOFF)
    this.#pause = new Pause(options.background)
    this.#batchBytes = options.batchBytes
  }

  /** Tries of the last request that failed. */
  get failures(): number {
    return this.#backoff.failures
  }

  /** Runs until `stop()`, or until `until` says of a round that it was the last. */
  async run(until: (round: Round) => boolean = () => false): Promise<void> {
    while (!this.#stopped) {
      this.#rounds++
      const round = await this.#safely()
      for (const told of [...this.#onRound]) told(round)
      if (this.#stopped || until(round)) break
      if (round !== 'moved') await this.#wait(round)
    }
    this.#connection.close()
  }

  /** Resolves with true when everything that is in the spool now is settled, with false when the time is up. */
  flush(timeoutMs: number): Promise<boolean> {
    // A round under way may have looked before this call.
    const before = this.#rounds
    this.#hurry = true
    this.#pause.end()
    return new Promise((resolve) => {
      const finish = (done: boolean) => {
        clearTimeout(timer)
        this.#onRound.delete(told)
        resolve(done)
      }
      const told = (round: Round) => {
        if (round === 'idle' && this.#rounds > before) finish(true)
      }
      // Whoever waits for this keeps the process alive, and no longer than that.
      const timer = setTimeout(() => finish(false), this.#stopped ? 0 : timeoutMs)
      this.#onRound.add(told)
    })
  }

  /** Ends the loop. A request under way has until `graceMs` to be answered. */
  stop(graceMs: number): void {
    this.#stopped = true
    this.#pause.end()
    const timer = setTimeout(() => this.#abort.abort(), graceMs)
    timer.unref()
  }

  async #wait(round: 'idle' | Later): Promise<void> {
    const hurry = this.#hurry
    this.#hurry = false
    // Several senders that look at one spool should not do it at the same moment.
    const ms =
      round === 'idle' ? POLL_MS * (0.75 + Math.random() / 2) : this.#backoff.failed(round.retryAfter)
    if (!hurry) await this.#pause.for(ms)
    if (round !== 'idle' && !this.#stopped) this.counters.retries++
  }

  async #safely(): Promise<Round> {
    try {
      const round = await this.#round()
      this.#tell(round)
      return round
    } catch (error) {
      const later: Later = { kind: 'later', reason: (error as Error).message, fault: true }
      this.#tell(later)
      return later
    }
  }

  async #round(): Promise<Round> {
    const segments = await listSegments(this.#spool)
    await this.#offsets.refresh()
    this.counters.pending = segments.reduce(
      (sum, { name, size }) => sum + Math.max(0, size - this.#offsets.of(name)),
      0,
    )
    // Stays with a segment until it is done. Several senders share the work best if each begins somewhere else.
    const current = segments.findIndex(({ name }) => name === this.#current)
    const start = current >= 0 ? current : Math.floor(Math.random() * segments.length)
    for (const segment of [...segments.slice(start), ...segments.slice(0, start)]) {
      this.#current = segment.name
      const round = await this.#sendFrom(segment)
      if (round !== 'idle') return round
    }
    await this.#removeSent(segments)
    return 'idle'
  }

  async #sendFrom(segment: SpoolSegment): Promise<Round> {
    const from = this.#offsets.of(segment.name)
    if (from >= segment.size) return 'idle'
    const { lines, next, torn } = await readSegment(segment.path, from, this.#batchBytes)
    const sent = this.#sent()
    if (next === from) {
      if (torn === 0 || !segment.ended) return 'idle'
      // Whoever wrote half a line is gone; nobody will write the rest of it.
      await bury(this.#options.directory, segment, {
        offset: from,
        bytes: torn,
        reason: 'the line breaks off: its writer has ended',
      })
      this.counters.dead++
      await advance(segment, from + torn, sent)
      return 'moved'
    }
    const chosen = lines.slice(0, this.#atMost)
    const { content, hashKey } = this.#options
    const entries = readEntries(segment.name, chosen, content, hashKey)
    const outcome = entries.length === 0 ? undefined : await deliver(segment, entries, sent)
    if (outcome?.kind === 'later') return outcome
    if (outcome?.kind === 'several') {
      this.#atMost = Math.max(1, entries.length >> 1)
      if (outcome.status === 413) this.#batchBytes = Math.max(SMALLEST_BATCH_BYTES, this.#batchBytes >> 1)
      return 'moved'
    }
    this.#atMost = chosen.length < lines.length ? this.#atMost * 2 : NO_LIMIT
    if (chosen.length === lines.length) await advance(segment, next, sent)
    return 'moved'
  }

  #sent() {
    return {
      directory: this.#options.directory,
      connection: this.#connection,
      offsets: this.#offsets,
      resource: this.#options.resource,
      counters: this.counters,
      signal: this.#abort.signal,
      trust: this.#trust,
      complain: (message: string) => this.#options.report('warn', message),
    }
  }

  /** Where a local database stands, the store reads the spool and removes it itself. */
  async #removeSent(segments: readonly SpoolSegment[]): Promise<void> {
    const kept = new Set(segments.map(({ name }) => name))
    await this.#offsets.keepOnly(kept)
    if (existsSync(path.join(this.#options.directory, 'handspan.duckdb'))) return
    for (const { name, path: file, size, ended } of segments) {
      if (!ended || size === 0 || this.#offsets.of(name) < size) continue
      if (!(await this.#offsets.reachedEverywhere(name, size))) continue
      if ((await stat(file).catch(() => undefined))?.size === size) await rm(file, { force: true })
    }
  }

  /** Complains once for each new reason, and takes it back when something gets through. */
  #tell(round: Round): void {
    if (typeof round === 'string') {
      if (round === 'moved') this.#backoff.succeeded()
      if (round === 'moved' && this.#complaint !== undefined) {
        this.#complaint = undefined
        this.#options.report('info', `events get through to ${this.#options.target.url.host} again`)
      }
    } else if (round.reason !== this.#complaint && !this.#stopped) {
      this.#complaint = round.reason
      const { origin, pathname } = this.#options.target.url
      this.#options.report(
        'warn',
        `${origin}${pathname}: ${round.reason}. Nothing is lost: it is sent again${remedy(round)}.`,
      )
    }
  }
}

function remedy({ fault, reason }: Later): string {
  if (!fault) return ''
  if (/^40[13]/.test(reason)) return ', once the token is right (HANDSPAN_TOKEN or --token-file)'
  return ', once this is put right'
}
