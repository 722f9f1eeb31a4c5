import stringWidth from 'string-width'
import { escapeText } from '../../model/escape.ts'
import type { Metric } from '../../queries/metric.ts'
import { readable } from '../../queries/text-formats.ts'
import type { QueryAnswer, QueryRow } from '../../store/index.ts'
import { layTable } from './columns.ts'
import { cut } from './diff-text.ts'

const WIDEST_CELL = 40
const BAR_CELLS = 40
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** The answer of a metric as a table, numbers to the right. */
export function metricTable(metric: Metric, { columns, rows }: QueryAnswer): string[] {
  const cells = columns.map(({ name }) => {
    const unit = unitOf(metric, name)
    const own = [name, ...rows.map((row) => cut(escapeText(readable(row[name], unit)), WIDEST_CELL))]
    if (isText(unit)) return own
    const width = Math.max(...own.map((cell) => stringWidth(cell)))
    return own.map((cell) => cell.padStart(width))
  })
  const [heading, ...lines] = cells[0]!.map((_, row) => cells.map((column) => column[row]!))
  return layTable(heading!, lines)
}

/** A bar for each row: its `value`, from 0 to 1 for a share, else from 0 to the largest. */
export function metricChart(metric: Metric, { rows }: QueryAnswer): string[] {
  const unit = unitOf(metric, 'value')
  const largest = Math.max(...rows.map((row) => Number(row.value ?? 0)), unit === 'share' ? 1 : 0)
  return layTable(
    [labelName(metric), '', `value (${unit})`],
    rows.map((row) => [
      labelOf(metric, row),
      bar(Number(row.value ?? 0), largest),
      row.value === null ? 'nothing to measure' : readable(row.value, unit),
    ]),
  )
}

function bar(value: number, largest: number): string {
  const eighths = largest > 0 ? Math.round((Math.max(0, value) / largest) * BAR_CELLS * 8) : 0
  return `${'█'.repeat(eighths >> 3)}${EIGHTHS[eighths & 7]}`.padEnd(BAR_CELLS)
}

/** Several rows may have one slice; then the other texts tell them apart. */
function labelOf(metric: Metric, row: QueryRow): string {
  const texts = textColumns(metric).map((name) => escapeText(readable(row[name], 'text')))
  return cut(texts.join('  '), WIDEST_CELL)
}

function labelName(metric: Metric): string {
  return textColumns(metric).join('  ')
}

function textColumns(metric: Metric): string[] {
  return metric.columns
    .filter(({ name, unit }) => unit === 'text' && !name.startsWith('largest'))
    .map(({ name }) => name)
}

function unitOf(metric: Metric, column: string) {
  return metric.columns.find(({ name }) => name === column)?.unit
}

function isText(unit: string | undefined): boolean {
  return unit === undefined || unit === 'text' || unit === 'time'
}
