import { plural } from '../../model/counts.ts'
import type { Metric } from '../../queries/metric.ts'
import { jsonDocument } from '../../report/json-document.ts'
import type { QueryAnswer } from '../../store/index.ts'
import type { Act } from '../act.ts'
import { Cursor } from '../cursor.ts'
import { block, fitLine, type Line, line, rule } from '../lines.ts'
import { trendLine } from '../rows/sparkline.ts'
import { columnWidths, tableLine, textTable } from '../rows/table-lines.ts'
import type { Exported, Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'
import { ViewerScreen } from './viewer.ts'

/** The answer of a query. A row that names a run leads to it. */
export class TableScreen implements Screen {
  readonly name = 'table'
  readonly #session: Session
  readonly #what: string
  readonly #answer: QueryAnswer
  readonly #table: ReturnType<typeof textTable>
  readonly #metric: Metric | undefined
  readonly #cursor = new Cursor()
  #from = 0

  /** `metric`: what it is the answer of, where it is no question of the user's own. */
  constructor(session: Session, what: string, answer: QueryAnswer, metric?: Metric) {
    this.#metric = metric
    this.#session = session
    this.#what = what
    this.#answer = answer
    this.#table = textTable(
      answer.columns,
      answer.rows,
      (column) => metric?.columns.find(({ name }) => name === column)?.unit,
    )
  }

  title(): Line {
    const { rows, truncated } = this.#answer
    return [
      { text: plural(rows.length, 'row'), tone: 'strong' },
      { text: truncated ? '  cut: there are more' : '', tone: 'warning' },
      { text: `  ${this.#what}`, tone: 'faint' },
    ]
  }

  lines({ width, height }: Size): Line[] {
    const { columns, rows } = this.#table
    const trend = this.#metric === undefined ? undefined : trendLine(this.#metric, this.#answer, width - 4)
    const above: Line[] = trend === undefined ? [] : [fitLine([{ text: '  ' }, ...trend], width)]
    const room = height - 2 - above.length
    const { start, end } = this.#cursor.window(room, rows.length)
    const shown = rows.slice(start, end)
    const widths = columnWidths({ columns, rows: shown })
    const lines = shown.map((row, index): Line => {
      const selected = start + index === this.#cursor.at
      return [
        { text: selected ? '› ' : '  ', tone: 'key' },
        ...tableLine(row, widths, this.#from, selected ? 'selected' : undefined),
      ]
    })
    const hidden = this.#from === 0 ? '' : `  ← ${plural(this.#from, 'column')} to the left`
    return [
      rule(`${this.#what}${hidden}`, width, true),
      ...above,
      fitLine([{ text: '  ' }, ...tableLine(columns, widths, this.#from, 'title')], width),
      ...block(rows.length === 0 ? [line('  no rows', 'faint')] : lines, width, room),
    ]
  }

  act(act: Act): void {
    if (act === 'nextColumn')
      this.#from = Math.min(this.#from + 1, Math.max(0, this.#table.columns.length - 1))
    else if (act === 'previousColumn') this.#from = Math.max(0, this.#from - 1)
    else if (act === 'open') this.#session.openRun(this.#run()!)
    else if (act === 'inspect') this.#inspect()
    else this.#cursor.move(act, this.#table.rows.length)
  }

  disabled(act: Act): string | undefined {
    if (act !== 'open' || this.#run() !== undefined) return undefined
    if (this.#table.rows.length === 0) return 'there is no row to open'
    if (this.#metric !== undefined) return 'this row is made of many runs; ; asks for them in SQL'
    return 'this row names no run: add the column run to the query'
  }

  /** A cell is shown as far as its column goes; here whole. */
  #inspect(): void {
    const row = this.#answer.rows[this.#cursor.at]
    if (row === undefined) this.#session.say('there is no row to look at')
    else this.#session.push(new ViewerScreen(this.#session, `row ${this.#cursor.at + 1}`, row))
  }

  search(text: string, direction: 1 | -1): boolean {
    const needle = text.toLowerCase()
    const { rows } = this.#table
    for (let at = this.#cursor.at + direction; at >= 0 && at < rows.length; at += direction) {
      if (!rows[at]!.some((cell) => cell.toLowerCase().includes(needle))) continue
      this.#cursor.to(at, rows.length)
      return true
    }
    return false
  }

  copied() {
    const row = this.#answer.rows[this.#cursor.at]
    return row === undefined ? undefined : { text: JSON.stringify(row), what: 'the row as JSON' }
  }

  exported(): Exported {
    return {
      title: this.#what,
      lines: () => {
        const { columns, rows } = this.#table
        const widths = columnWidths({ columns, rows })
        const width = widths.reduce((sum, one) => sum + one + 2, 0)
        return [columns, ...rows].map((row) => fitLine(tableLine(row, widths, 0), width))
      },
      json: () => jsonDocument('sql', this.#answer),
    }
  }

  /** What names a run, the column `run` before others such as `replay_of`. */
  #run(): string | undefined {
    const row = this.#answer.rows[this.#cursor.at] ?? {}
    const named = [
      'run',
      'run_id',
      'replay_of',
      ...Object.keys(row).filter((name) => /(?:^|_)run$/u.test(name)),
    ]
    return named.map((name) => row[name]).find((value) => typeof value === 'string' && value !== '') as
      | string
      | undefined
  }
}
