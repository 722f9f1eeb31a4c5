import type { EventRow } from './event-row.ts'
import { PackedLines } from './packed-lines.ts'
import type { SharedMemory } from './shared-memory.ts'

/**
 * A run of which nothing more is expected: its lines in their order, packed, and their size in bytes. `asWritten`: its events
 * are what JSON makes of them.
 */
export type WholeRun = { run: string; lines: Uint8Array; bytes: number; asWritten: boolean }

type OpenRun = {
  run: string
  lines: PackedLines
  asWritten: boolean
  ended: boolean
  alone: boolean
  underWay: Set<string>
}

/** Memory for runs that are not whole yet. A run that would take more is read from the store later. */
const MOST_BYTES = 64 * 1024 * 1024
/** A run that may be much smaller than the one before is not given more. */
const MOST_EXPECTED_BYTES = 64 * 1024

/**
 * Tells from the events as they are read which runs are whole: ended, with nothing that they handed over still to be
 * received by a process whose log may come later. Runs that are judged together with others are never named, nor any run
 * that was in the store before.
 */
export class WholeRuns {
  readonly #memory: SharedMemory
  readonly #open = new Map<string, OpenRun>()
  #bytes = 0
  /** How large the last run was: the next ones are like it. */
  #usual = 0

  constructor(memory: SharedMemory) {
    this.#memory = memory
  }

  /** Takes the next events. `known` are the runs that had some before. Returns the runs that are whole with them, whose memory is to be given back. */
  add(rows: readonly EventRow[], known: ReadonlySet<string>): WholeRun[] {
    const touched = new Set<OpenRun>()
    for (const row of rows) {
      let run = this.#open.get(row.run)
      if (run === undefined) {
        // Only of what begins here it is known that nothing came before.
        const alone = row.kind === 'run.start' && !known.has(row.run)
        const lines = new PackedLines(this.#memory, Math.min(this.#usual, MOST_EXPECTED_BYTES))
        run = { run: row.run, lines, asWritten: true, ended: false, alone, underWay: new Set() }
        this.#open.set(row.run, run)
      }
      note(run, row)
      if (run.alone) this.#hold(run, row)
      else this.#letGo(run)
      touched.add(run)
    }
    return [...touched].flatMap((run) => {
      if (!run.ended || run.underWay.size > 0 || !run.alone) return []
      const { asWritten, lines } = run
      const whole = { run: run.run, lines: lines.packed(), bytes: lines.bytes, asWritten }
      this.#usual = whole.bytes
      this.#handOn(run)
      return whole
    })
  }

  #hold(run: OpenRun, { line }: EventRow): void {
    const before = run.lines.capacity
    run.lines.add(line.data)
    this.#bytes += run.lines.capacity - before
    if (this.#bytes > MOST_BYTES) this.#letGo(run)
  }

  /** Whatever comes of it from now on does not make it whole. */
  #handOn(run: OpenRun): void {
    this.#bytes -= run.lines.capacity
    run.lines = new PackedLines(this.#memory, 0)
    run.alone = false
  }

  #letGo(run: OpenRun): void {
    const { lines } = run
    this.#handOn(run)
    lines.drop()
  }
}

function note(run: OpenRun, { kind, handoff, span, replayOf, asWritten }: EventRow): void {
  if (!asWritten) run.asWritten = false
  if (kind === 'run.end') run.ended = true
  else if (kind === 'handoff.sent') run.underWay.add(handoff!)
  else if (kind === 'handoff.received') run.underWay.delete(handoff!)
  if (replayOf !== undefined || span?.sent === false) run.alone = false
}
