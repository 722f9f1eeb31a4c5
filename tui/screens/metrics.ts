import { readCatalogue } from '../../queries/catalogue.ts'
import type { Metric } from '../../queries/metric.ts'
import { SLICES, type Slice } from '../../queries/run-metric.ts'
import { jsonDocument } from '../../report/json-document.ts'
import type { QueryAnswer } from '../../store/index.ts'
import type { Act } from '../act.ts'
import { Cursor } from '../cursor.ts'
import { block, cut, excerpt, type Line, line, rule, wrap } from '../lines.ts'
import { needsStore } from '../paste.ts'
import { trendLine } from '../rows/sparkline.ts'
import type { Exported, Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'
import { TableScreen } from './table.ts'
import { textLines } from './text.ts'

const COLUMN_NAMES = 24

/** How long the cursor stays before more is asked. */
const REST_MS = 200

/** The catalogue of metrics; each is run when it is opened. */
export class MetricsScreen implements Screen {
  readonly name = 'metrics'
  readonly #session: Session
  readonly #metrics: Metric[]
  readonly #cursor = new Cursor()
  #by: Slice | undefined
  /** Days of the metrics that were looked at; undefined while they are asked for. */
  readonly #trends = new Map<string, QueryAnswer | undefined>()
  #resting: NodeJS.Timeout | undefined

  constructor(session: Session) {
    this.#session = session
    this.#metrics = readCatalogue()
    this.#rest()
  }

  title(): Line {
    return [
      { text: 'metrics', tone: 'strong' },
      { text: `  of all runs${this.#by === undefined ? '' : `, by ${this.#by}`}`, tone: 'faint' },
    ]
  }

  lines({ width, height }: Size): Line[] {
    const below = Math.max(6, Math.floor(height * 0.4))
    const { start, end } = this.#cursor.window(height - 1 - below, this.#metrics.length)
    const rows = this.#metrics.slice(start, end).map(({ name, title }, index): Line => {
      const selected = start + index === this.#cursor.at
      return [
        { text: selected ? '› ' : '  ', tone: 'key' },
        { text: name.padEnd(30), tone: selected ? 'selected' : undefined },
        { text: title, tone: 'faint' },
      ]
    })
    const metric = this.#metrics[this.#cursor.at]!
    const { name, question, notes, columns } = metric
    const about = [
      ...textLines([{ text: question }], width - 2),
      ...this.#trend(metric, width - 2),
      ...columns.flatMap((column) => columnLines(column, width - 2)),
      ...textLines(
        notes.map((text) => ({ text })),
        width - 2,
      ),
    ]
    const split = this.#by === undefined ? '' : ` · by ${this.#by}`
    return [
      rule(`what to ask${split}`, width, true),
      ...block(rows, width, height - 1 - below),
      rule(name, width),
      ...excerpt(
        about.map((one): Line => [{ text: ' ' }, ...one]),
        width,
        below - 1,
      ),
    ]
  }

  act(act: Act): void {
    const metric = this.#metrics[this.#cursor.at]!
    if (act === 'group') this.#by = SLICES[this.#by === undefined ? 0 : SLICES.indexOf(this.#by) + 1]
    else if (act === 'open') this.#run(metric)
    else if (this.#cursor.move(act, this.#metrics.length)) this.#rest()
  }

  disabled(act: Act): string | undefined {
    if (act !== 'open' || this.#session.source.metric !== undefined) return undefined
    return needsStore('metrics need', this.#session)
  }

  exported(): Exported {
    return {
      title: 'Metrics',
      lines: () => this.#metrics.map(({ name, title }) => line(`${name.padEnd(30)} ${title}`)),
      json: () => jsonDocument('query', { metrics: this.#metrics.map(({ sql: _, ...metric }) => metric) }),
    }
  }

  close(): void {
    clearTimeout(this.#resting)
  }

  async reload(): Promise<void> {
    this.#trends.clear()
    this.#rest()
  }

  /** Asks for the days of the metric once the cursor stays on it: a query on each that is passed would be too much. */
  #rest(): void {
    clearTimeout(this.#resting)
    const metric = this.#metrics[this.#cursor.at]!
    const { source } = this.#session
    if (source.metric === undefined || this.#trends.has(metric.name)) return
    this.#resting = setTimeout(() => {
      this.#trends.set(metric.name, undefined)
      void this.#session.during(
        `asking for the days of ${metric.name}`,
        source.metric!(metric, 'day'),
        (answer) => this.#trends.set(metric.name, answer),
      )
    }, REST_MS)
  }

  #trend(metric: Metric, width: number): Line[] {
    const answer = this.#trends.get(metric.name)
    const trend = answer && trendLine(metric, answer, width)
    return trend === undefined ? [] : [trend, []]
  }

  #run(metric: Metric): void {
    const by = this.#by
    const what = by === undefined ? metric.name : `${metric.name} by ${by}`
    void this.#session.during(`asking for ${what}`, this.#session.source.metric!(metric, by), (answer) =>
      this.#session.push(new TableScreen(this.#session, what, answer, metric)),
    )
  }
}

/** What a column holds, beside its name. */
function columnLines({ name, meaning, unit }: Metric['columns'][number], width: number): Line[] {
  const names = Math.min(COLUMN_NAMES, Math.floor(width / 2))
  return wrap(`${meaning} (${unit})`, width - names).map((part, at) => [
    { text: (at === 0 ? cut(name, names - 1) : '').padEnd(names), tone: 'key' },
    { text: part, tone: 'faint' },
  ])
}
