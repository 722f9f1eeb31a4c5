import { receiverOf } from '../../replay/phrase.ts'
import type { Act } from '../act.ts'
import { Cursor } from '../cursor.ts'
import { block, fitLine, type Line, line, plainText, rule } from '../lines.ts'
import { runLine } from '../rows/run-line.ts'
import { runTitle } from '../rows/run-title.ts'
import type { Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'
import type { RunRow } from '../source.ts'
import type { Side } from './compare.ts'

/** Something to choose, or a heading over such rows. */
type Row = { heading: string } | { heading?: undefined; side: Side } | { heading?: undefined; run: RunRow }

const MOST_RUNS = 200

export type Picked = { side: Side } | { run: string }

/** Chooses what a handoff is compared with: another one of its run, or one of another run with the same agents. */
export class PickScreen implements Screen {
  readonly name = 'pick'
  readonly #session: Session
  readonly #of: Side
  readonly #picked: (picked: Picked) => void
  readonly #cursor = new Cursor()
  #rows: Row[]

  /** `among`: the handoffs of one run to choose from; left out, those of the own run and other runs. */
  constructor(session: Session, of: Side, picked: (picked: Picked) => void, among?: readonly Side[]) {
    this.#session = session
    this.#of = of
    this.#picked = picked
    const own = among ?? of.analysis.diffs.map((diff) => ({ analysis: of.analysis, diff }))
    const sides = own.filter(({ diff }) => diff !== of.diff)
    const title =
      among === undefined ? 'other handoffs of this run' : `handoffs of ${among[0]?.analysis.run.id}`
    this.#rows = sides.length === 0 ? [] : [{ heading: title }, ...sides.map((side) => ({ side }))]
    const like = this.#rows.findIndex(
      (row) => 'side' in row && row.side.diff.handoff.id === of.diff.handoff.id,
    )
    this.#cursor.to(Math.max(1, like), this.#rows.length)
    if (among === undefined) void this.#readRuns()
  }

  title(): Line {
    return runTitle(this.#of.analysis)
  }

  lines({ width, height }: Size): Line[] {
    const { start, end } = this.#cursor.window(height - 2, this.#rows.length)
    const rows = this.#rows
      .slice(start, end)
      .map((row, index) => rowLine(row, width, start + index === this.#cursor.at))
    return [
      rule(`compare ${this.#of.diff.handoff.id} with`, width, true),
      ...block(
        rows.length === 0 ? [line('  nothing else with these agents is here', 'strong')] : rows,
        width,
        height - 2,
      ),
      fitLine(line('  x types the id of a run, or the path of a run-log file', 'faint'), width),
    ]
  }

  act(act: Act): void {
    const row = this.#rows[this.#cursor.at]
    if (act === 'compare') this.#session.ask('command', 'compare ')
    else if (act === 'open' && row !== undefined && row.heading === undefined)
      this.#picked('side' in row ? row : { run: row.run.run })
    else this.#cursor.move(act, this.#rows.length)
  }

  disabled(act: Act): string | undefined {
    if (act !== 'open') return undefined
    if (this.#rows.length === 0) return 'there is nothing to choose; x types an id or a path'
    const heading = this.#rows[this.#cursor.at]?.heading
    return heading === undefined ? undefined : 'this is a heading; the rows below can be chosen'
  }

  search(text: string, direction: 1 | -1): boolean {
    const needle = text.toLowerCase()
    const { at } = this.#cursor
    for (let next = at + direction; next >= 0 && next < this.#rows.length; next += direction) {
      if (
        !plainText([rowLine(this.#rows[next]!, 400, false)])
          .toLowerCase()
          .includes(needle)
      )
        continue
      this.#cursor.to(next, this.#rows.length)
      return true
    }
    return false
  }

  async #readRuns(): Promise<void> {
    const { analysis, diff } = this.#of
    const agents = [diff.handoff.from, diff.receipt?.event.by ?? diff.handoff.to]
    const terms = agents
      .filter((agent) => agent !== undefined)
      .map((value) => ({ field: 'agent' as const, value, negated: false }))
    const asked = this.#session.source.page({ terms, sort: 'time' }, 0, MOST_RUNS)
    await this.#session.during('reading runs', asked, (runs) => {
      const others = runs.filter(({ run }) => run !== analysis.run.id)
      if (others.length === 0) return
      const heading = `runs of the same agents, newest first${runs.length < MOST_RUNS ? '' : ` (${MOST_RUNS} of them)`}`
      this.#rows = [...this.#rows, { heading }, ...others.map((run) => ({ run }))]
      if (this.#cursor.at === 0) this.#cursor.to(1, this.#rows.length)
    })
  }
}

function rowLine(row: Row, width: number, selected: boolean): Line {
  if (row.heading !== undefined) return [{ text: `${selected ? '› ' : '  '}${row.heading}`, tone: 'title' }]
  if ('run' in row) return runLine(row.run, width, selected)
  const { handoff } = row.side.diff
  const attempt = handoff.attempt > 1 ? `  attempt ${handoff.attempt}` : ''
  const reason = handoff.reason === undefined ? '' : `  "${handoff.reason}"`
  return [
    { text: selected ? '› ' : '  ', tone: 'key' },
    {
      text: `${handoff.id}  ${handoff.from ?? '?'} → ${receiverOf(handoff)}  ${handoff.mode}${attempt}`,
      tone: selected ? 'selected' : undefined,
    },
    { text: reason, tone: 'faint' },
  ]
}
