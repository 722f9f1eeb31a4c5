import { plural } from '../../model/counts.ts'
import { jsonDocument } from '../../report/json-document.ts'
import type { Act } from '../act.ts'
import { Cursor, placeOf } from '../cursor.ts'
import { parseFilter } from '../filter.ts'
import { block, fitLine, type Line, line, rule, wrapLine } from '../lines.ts'
import { runHeading, runJson, runLine } from '../rows/run-line.ts'
import type { Exported, Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'
import { type RunQuery, type RunRow, SORTS } from '../source.ts'

const PAGE = 100

type ListQuery = RunQuery & { filterText: string }

/** The recorded runs, newest first. Only the pages that are looked at are read. */
export class RunsScreen implements Screen {
  readonly name = 'runs'
  readonly #session: Session
  readonly #cursor = new Cursor()
  #query: ListQuery = { terms: [], filterText: '', sort: 'time' }
  /** What the rows on the screen answer: until the answer to another query is there, they stay. */
  #shown = this.#query
  #openWhenShown = false
  #total: number | undefined
  #pages = new Map<number, RunRow[]>()
  #asked = new Set<number>()
  /** Counts questions, so that a late answer to an old one is not shown. */
  #question = 0
  #hint = true

  constructor(session: Session) {
    this.#session = session
  }

  title(): Line {
    const following = this.#session.follower.on ? '  following' : ''
    const count = this.#total === undefined ? 'reading …' : plural(this.#total, 'run')
    return [
      { text: `${count}`, tone: 'strong' },
      { text: `  ${this.#session.source.name}`, tone: 'faint' },
      { text: following, tone: 'good' },
    ]
  }

  lines({ width, height }: Size): Line[] {
    const total = this.#total ?? 0
    const hint = this.#hint && height > 8 && total > 0 ? 1 : 0
    const { start, end } = this.#cursor.window(height - 2 - hint, total)
    this.#ensure(start, end)
    const rows = Array.from({ length: end - start }, (_, index) =>
      runLine(this.#rowAt(start + index), width, start + index === this.#cursor.at),
    )
    const { sort, filterText } = this.#shown
    const filter = filterText === '' ? '' : ` · filter ${filterText}`
    const place = total === 0 ? '' : `${placeOf(this.#cursor.at + 1, total)} · `
    return [
      rule(`runs · ${place}by ${sort}${filter}`, width, true),
      fitLine(runHeading(width), width),
      ...block(
        this.#total === 0 ? this.#empty().flatMap((one) => wrapLine(one, width)) : rows,
        width,
        height - 2 - hint,
      ),
      ...(hint === 0
        ? []
        : [
            fitLine(
              line(
                '  s puts findings first · Enter opens a run · e its problem · Enter what crossed',
                'faint',
              ),
              width,
            ),
          ]),
    ]
  }

  #empty(): Line[] {
    if (this.#shown.filterText !== '')
      return [line('  no run passes the filter; f changes it, and an empty one shows all', 'warning')]
    return [
      line('  no runs yet', 'strong'),
      line('  6 opens the lab, which records one', 'faint'),
      line("  or record your own with start() from 'handspan'", 'faint'),
      line(`  or take in a run log: ${this.#session.paste(['import', 'FILE'])}`, 'faint'),
    ]
  }

  act(act: Act): void {
    if (act === 'sort')
      this.#ask({ ...this.#query, sort: SORTS[(SORTS.indexOf(this.#query.sort) + 1) % SORTS.length]! })
    else if (act === 'open') this.#open()
    else this.#cursor.move(act, this.#total ?? 0)
  }

  disabled(act: Act): string | undefined {
    return act === 'open' && this.#total === 0 ? 'there is no run to open' : undefined
  }

  /** Pressed right behind `s` or a filter it means a row of the new answer, not the one that still stands there. */
  #open(): void {
    this.#openWhenShown = this.#shown !== this.#query
    const row = this.#rowAt(this.#cursor.at)
    if (this.#openWhenShown || row === undefined) return
    this.#hint = false
    this.#session.openRun(row.run)
  }

  /** Another query: from its first row. */
  #ask(query: ListQuery): void {
    this.#query = query
    this.#openWhenShown = false
    this.#cursor.at = 0
    this.#cursor.top = 0
    void this.reload()
  }

  filter = {
    text: '',
    set: (text: string): string | undefined => {
      const read = parseFilter(text, Date.now())
      if (read.error !== undefined) return read.error
      this.filter.text = text.trim()
      this.#ask({ ...this.#query, terms: read.terms, filterText: this.filter.text })
      return undefined
    },
  }

  async search(text: string, direction: 1 | -1, fresh: boolean): Promise<boolean> {
    const from = fresh ? this.#cursor.at : this.#cursor.at + direction
    const at = await this.#session.source.find(this.#query, text, from, direction)
    if (at === undefined) return false
    this.#cursor.to(at, this.#total ?? at + 1)
    return true
  }

  copied() {
    const row = this.#rowAt(this.#cursor.at)
    return row === undefined ? undefined : { text: row.run, what: `the id ${row.run}` }
  }

  exported(): Exported {
    const rows = [...this.#pages].sort(([a], [b]) => a - b).flatMap(([, page]) => page)
    return {
      title: 'Runs',
      lines: (width) => [
        fitLine(runHeading(width), width),
        ...rows.map((row) => fitLine(runLine(row, width, false), width)),
      ],
      json: () => jsonDocument('runs', { runs: rows.map(runJson), total: this.#total ?? 0 }),
    }
  }

  /** Asks anew for the number of runs and for what is visible; what is shown stays until the answer is there. */
  async reload(): Promise<void> {
    const question = ++this.#question
    const { source } = this.#session
    const query = this.#query
    const first = Math.floor(this.#cursor.top / PAGE)
    const answer = Promise.all([source.count(query), source.page(query, first * PAGE, PAGE)])
    answer.catch(() => {
      if (question === this.#question) this.#stay()
    })
    await this.#session.during('reading runs', answer, ([total, page]) => {
      if (question !== this.#question) return
      const grown = total - (this.#total ?? total)
      // New runs come in at the top: whoever has moved down stays on the same run.
      if (grown > 0 && this.#cursor.at > 0 && query.sort === 'time')
        this.#cursor.to(this.#cursor.at + grown, total)
      this.#total = total
      this.#pages = new Map([[first, page]])
      this.#asked = new Set([first])
      this.#shown = query
      const open = this.#openWhenShown
      this.#openWhenShown = false
      if (open && this.#session.screen === this) this.#open()
    })
  }

  /** There is no answer: what stands there is what is asked for again, and nothing waits for more. */
  #stay(): void {
    this.#openWhenShown = false
    this.#query = this.#shown
    this.filter.text = this.#shown.filterText
  }

  #rowAt(at: number): RunRow | undefined {
    return this.#pages.get(Math.floor(at / PAGE))?.[at % PAGE]
  }

  #ensure(start: number, end: number): void {
    for (let page = Math.floor(start / PAGE); page * PAGE < end; page++) {
      if (this.#asked.has(page) || this.#total === undefined) continue
      this.#asked.add(page)
      const question = this.#question
      const asked = this.#session.source.page(this.#query, page * PAGE, PAGE)
      void this.#session.during('reading runs', asked, (rows) => {
        if (question === this.#question) this.#pages.set(page, rows)
      })
    }
  }
}
