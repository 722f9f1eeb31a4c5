import type { JsonObject } from '../model/json.ts'
import type { Clock } from './clock.ts'
import { formatTime } from './clock.ts'
import { report, type TraceContext } from './otel.ts'
import { redact } from './redaction.ts'
import type { Settings } from './settings.ts'
import { shapeFields } from './shape.ts'
import { Spool } from './spool.ts'

/** What has happened to the events of this process since start. */
export type Counters = {
  /** Events in the spool. */
  written: number
  /** Events that could not be written and are lost. */
  dropped: number
  /** Bytes in the spool, of this writer. */
  bytes: number
  /** Failures inside handspan itself; the program was not told. */
  errors: number
  /** Values replaced by redaction. */
  redacted: number
  /** Events too large to be kept in full, kept as their shape. */
  shaped: number
}

// DuckDB's JSON reader takes lines up to 16 MB; a longer one would stop the reading of the whole file.
const MAX_LINE = 12 * 1024 * 1024
const MAX_LOSSES = 64

/** The only way to the spool: gives every event its place and time, redacts it, and counts what became of it. */
export class Recorder {
  readonly counters: Counters = { written: 0, dropped: 0, bytes: 0, errors: 0, redacted: 0, shaped: 0 }
  readonly settings: Settings
  readonly clock: Clock
  readonly #spool: Spool | undefined
  #seq = 0
  /** Events lost since writing last worked, by run. */
  #losses = new Map<string, number>()
  #failing: string | undefined

  constructor(settings: Settings, clock: Clock) {
    this.settings = settings
    this.clock = clock
    this.#spool = settings.enabled
      ? new Spool(settings.directory, settings.limits, settings.fsync)
      : undefined
  }

  /** Writes one event whose fields are already JSON. Never throws. */
  write(run: string, kind: string, fields: JsonObject, trace?: TraceContext): void {
    if (this.#spool === undefined) return
    try {
      const clean = redact(fields, this.settings.redact)
      this.counters.redacted += clean.replaced
      this.#append(this.#spool, run, kind, clean.fields, trace)
    } catch (error) {
      // Fields that not even redaction could read: nothing may be written, but the loss is counted.
      this.failed(`event ${kind}`, error)
      this.#lose(run, 'error')
    }
  }

  /** Counts a failure of handspan itself. */
  failed(where: string, error: unknown): void {
    this.counters.errors++
    report('error', `${where}: ${error instanceof Error ? error.message : typeof error}`)
  }

  close(): void {
    this.#spool?.close()
  }

  #append(
    spool: Spool,
    run: string,
    kind: string,
    fields: JsonObject,
    trace: TraceContext | undefined,
  ): void {
    const shape = this.settings.content === 'shape'
    const hash = { key: this.settings.hashKey }
    let line = this.#line(spool, run, kind, shape ? shapeFields(fields, hash) : fields, trace)
    if (line.length > MAX_LINE) {
      this.counters.shaped++
      line = this.#line(
        spool,
        run,
        kind,
        { ...shapeFields(fields, hash), too_large: line.length },
        trace,
        true,
      )
    }
    const refusal = spool.append(line)
    if (refusal !== undefined) {
      this.#lose(run, refusal.reason)
      return
    }
    this.counters.written++
    this.counters.bytes += line.length
    if (this.#failing !== undefined) this.#recovered(spool)
  }

  #line(
    spool: Spool,
    run: string,
    kind: string,
    fields: JsonObject,
    trace: TraceContext | undefined,
    again = false,
  ): Buffer {
    // A lost event leaves a gap in seq: the loss shows even where it could not be told.
    if (!again) this.#seq++
    const event = {
      v: 1,
      run,
      seq: this.#seq,
      at: formatTime(this.clock.tick()),
      writer: spool.writer,
      kind,
      ...(trace === undefined ? {} : { trace }),
    }
    return Buffer.from(`${JSON.stringify(Object.assign({}, event, fields, event))}\n`)
  }

  #lose(run: string, reason: string): void {
    this.counters.dropped++
    const at = this.#losses.has(run) || this.#losses.size < MAX_LOSSES ? run : ''
    this.#losses.set(at, (this.#losses.get(at) ?? 0) + 1)
    if (this.#failing === undefined) {
      report(
        'error',
        `captures are not written (${reason}), events are being lost: ${this.#spool?.directory}`,
      )
    }
    this.#failing = reason
  }

  /** Writing works again: says in the log of every run that suffered how much is missing. */
  #recovered(spool: Spool): void {
    const reason = this.#failing!
    const losses = this.#losses
    this.#failing = undefined
    this.#losses = new Map()
    let lost = 0
    for (const [run, events] of losses) {
      lost += events
      const line = this.#line(spool, run || 'unknown', 'spool.loss', { lost: events, reason }, undefined)
      if (spool.append(line) === undefined) {
        this.counters.written++
        this.counters.bytes += line.length
      } else {
        // Not told yet: keep the number for the next time.
        this.#losses.set(run, events)
        this.#failing = reason
      }
    }
    report('warn', `captures are written again, ${lost} events were lost (${reason})`)
  }
}
