import { nearestNames } from '../queries/catalogue.ts'
import { type Condition, readCondition } from '../queries/fail-if.ts'
import type { Metric } from '../queries/metric.ts'
import { SLICES, type Slice } from '../queries/run-metric.ts'
import { readTime, type TimeWindow } from '../queries/time-window.ts'
import { wholeNumber } from './numbers.ts'
import { UsageError } from './output.ts'
import type { SharedOptions } from './shared-options.ts'

const FORMATS = ['table', 'json', 'csv', 'md', 'parquet'] as const
export type QueryFormat = (typeof FORMATS)[number]

/** Options of `handspan query` as they are given. */
export type QueryOptions = SharedOptions & {
  since?: string
  until?: string
  by?: string
  format: string
  output?: string
  limit: string
  timeout: string
  chart?: boolean
  watch?: string | true
  failIf?: string
  sql?: boolean
  db?: string
}

/** What is asked of a metric, read and checked. */
export type QueryRequest = {
  since?: string | undefined
  until?: string | undefined
  by?: Slice | undefined
  format: QueryFormat
  output?: string | undefined
  limit: number
  timeoutMs: number
  chart: boolean
  watchSeconds?: number | undefined
  failIf?: Condition | undefined
}

const WATCH_SECONDS = '2'

export function findMetric(name: string, catalogue: readonly Metric[]): Metric {
  const names = catalogue.map((metric) => metric.name)
  const found = catalogue.find((metric) => metric.name === name)
  if (found !== undefined) return found
  const near = nearestNames(name, names)
  throw new UsageError(
    `There is no metric '${name}'.`,
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'handspan query lists them all.',
  )
}

const FOR_A_METRIC = ['since', 'until', 'by', 'output', 'chart', 'watch', 'failIf', 'sql', 'db'] as const

/** A check in CI whose metric was left out must not pass: the list takes no option of a metric. Throws UsageError. */
export function refuseWithoutMetric(options: QueryOptions): void {
  const name = FOR_A_METRIC.find((one) => options[one] !== undefined)
  if (name === undefined) return
  throw new UsageError(
    `--${name === 'failIf' ? 'fail-if' : name} is for a metric, and none is named.`,
    'handspan query lists them all.',
  )
}

/** Reads the options. Throws UsageError, or ConditionError for --fail-if. */
export function readRequest(metric: Metric, options: QueryOptions, now = new Date()): QueryRequest {
  const given = oneOf('--format', options.format, FORMATS)
  if (options.json && given !== 'table' && given !== 'json') {
    throw new UsageError(`--json and --format ${given} say two things.`, 'Leave one out.')
  }
  const format = options.json ? 'json' : given
  const limit = wholeNumber('--limit', options.limit, 1)
  const { since, until } = windowOf(options, now)
  if (options.chart && format !== 'table') {
    throw new UsageError(
      `--chart draws in the terminal; --format ${format} cannot hold it.`,
      'Leave one out.',
    )
  }
  if (format === 'parquet' && options.output === undefined) {
    throw new UsageError('--format parquet needs a file.', 'Name one: --output metric.parquet')
  }
  const failIf = options.failIf === undefined ? undefined : readCondition(options.failIf, metric.columns)
  const by = options.by === undefined ? undefined : oneOf('--by', options.by, SLICES)
  return {
    since,
    until,
    by: by ?? (options.chart ? 'day' : undefined),
    format,
    output: options.output,
    limit,
    timeoutMs: wholeNumber('--timeout', options.timeout, 1) * 1000,
    chart: options.chart === true,
    watchSeconds: watchOf(options.watch),
    failIf,
  }
}

/** Reads `--since` and `--until`. Throws UsageError. */
export function windowOf(options: { since?: string; until?: string }, now: Date): TimeWindow {
  const since = timeOf('--since', options.since, now)
  const until = timeOf('--until', options.until, now)
  // Without the zone, which is UTC in both, of two times that differ only in their digits the shorter one is the earlier.
  if (since !== undefined && until !== undefined && since.replace('Z', '') >= until.replace('Z', '')) {
    throw new UsageError('--since is not before --until: no time lies between them.', 'Exchange them.')
  }
  return { since, until }
}

function watchOf(watch: string | true | undefined): number | undefined {
  if (watch === undefined) return undefined
  return wholeNumber('--watch', watch === true ? WATCH_SECONDS : watch, 1)
}

function timeOf(option: string, given: string | undefined, now: Date): string | undefined {
  if (given === undefined) return undefined
  const time = readTime(given, now)
  if (time !== undefined) return time
  throw new UsageError(
    `${option} ${given} is no time.`,
    'Say how long ago (30m, 24h, 7d, 2w), a day (2031-03-04), or a time with its zone (2031-03-04T09:00:00Z).',
  )
}

function oneOf<T extends string>(option: string, given: string, words: readonly T[]): T {
  const found = words.find((word) => word === given)
  if (found !== undefined) return found
  throw new UsageError(`${option} ${given} is not known.`, `It is one of ${words.join(', ')}.`)
}
