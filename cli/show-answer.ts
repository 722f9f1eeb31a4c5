import { writeFileSync } from 'node:fs'
import { plural } from '../model/counts.ts'
import { escapeText } from '../model/escape.ts'
import type { Metric } from '../queries/metric.ts'
import { toCsv, toMarkdown } from '../queries/text-formats.ts'
import type { QueryAnswer } from '../store/index.ts'
import { jsonDocument, note } from './output.ts'
import { putFile } from './put-file.ts'
import type { QueryRequest } from './query-request.ts'
import { metricChart, metricTable } from './render/metric-table.ts'

/** Prints the answer of a metric, or writes it into a file, and says when it was cut. */
export async function showAnswer(metric: Metric, request: QueryRequest, answer: QueryAnswer): Promise<void> {
  const { rows, truncated } = answer
  if (request.output === undefined) {
    if (request.watchSeconds !== undefined && process.stdout.isTTY) process.stdout.write('\x1b[2J\x1b[H')
    process.stdout.write(textOf(metric, request, answer))
  } else await writeAnswer(metric, request, answer, request.output)
  if (rows.length === 0) note('Nothing to measure: no handoff in this window has what this metric counts.')
  if (truncated) note(`Cut after ${plural(rows.length, 'row')}. --limit sets another bound.`)
}

async function writeAnswer(
  metric: Metric,
  request: QueryRequest,
  answer: QueryAnswer,
  path: string,
): Promise<void> {
  if (request.format === 'parquet') {
    const { writeParquet } = await import('../queries/write-parquet.ts')
    await putFile(path, (place) => writeParquet(answer, place))
  } else await putFile(path, (place) => writeFileSync(place, textOf(metric, request, answer)))
}

function textOf(metric: Metric, request: QueryRequest, answer: QueryAnswer): string {
  switch (request.format) {
    case 'json':
      return `${jsonOf(metric, request, answer)}\n`
    case 'csv':
      // Another program gets every character as it was captured; a terminal would obey some.
      return toCsv(answer, process.stdout.isTTY && request.output === undefined ? escapeText : undefined)
    case 'md':
      return toMarkdown(answer, (column) => metric.columns.find(({ name }) => name === column)?.unit)
    default: {
      if (answer.rows.length === 0) return ''
      const lines = request.chart ? metricChart(metric, answer) : metricTable(metric, answer)
      return `${lines.join('\n')}\n`
    }
  }
}

function jsonOf(
  metric: Metric,
  { since, until, by }: QueryRequest,
  { columns, rows, truncated }: QueryAnswer,
): string {
  const units = new Map(metric.columns.map(({ name, unit }) => [name, unit]))
  return jsonDocument('query', {
    metric: metric.name,
    since: since ?? null,
    until: until ?? null,
    by: by ?? null,
    columns: columns.map(({ name, type }) => ({ name, unit: units.get(name), type })),
    rows,
    truncated,
  })
}
