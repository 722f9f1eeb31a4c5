import { plural } from '../model/counts.ts'
import { escapeText } from '../model/escape.ts'
import { judgingSql } from '../queries/fail-if.ts'
import type { Metric } from '../queries/metric.ts'
import { runMetric } from '../queries/run-metric.ts'
import { note } from './output.ts'
import type { QueryRequest } from './query-request.ts'
import type { Source } from './with-source.ts'

type Judged = { judged: number; failing: number; first: { slice: string; value: unknown }[] | null }

const NAMED = 10

/** Whether the condition of a request holds of any row of the metric, also of those that are not shown. Says of which. */
export async function fails(source: Source, metric: Metric, request: QueryRequest): Promise<boolean> {
  if (request.failIf === undefined) return false
  const { column, text } = request.failIf
  const sql = judgingSql(metric, request.failIf, NAMED)
  const { rows } = await runMetric(source, { ...metric, sql }, { ...request, limit: 1 })
  const { judged, failing, first } = rows[0] as unknown as Judged
  if (judged === 0) note(`Nothing to judge: ${column} is empty.`)
  for (const { slice, value } of first ?? []) {
    note(`failed: ${text}: ${column} is ${escapeText(String(value))} for ${escapeText(slice)}`)
  }
  if (failing > NAMED) note(`and ${plural(failing - NAMED, 'more row')}.`)
  return failing > 0
}
