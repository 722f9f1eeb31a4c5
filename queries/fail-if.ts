import type { Metric, MetricColumn } from './metric.ts'
import { readTime } from './time-window.ts'

const OPERATORS = ['<=', '>=', '<>', '!=', '==', '<', '>', '='] as const
type Operator = (typeof OPERATORS)[number]

/** What must not hold of any row: one column compared with a number or a quoted text. */
export type Condition = { column: string; operator: Operator; value: number | string; text: string }

/** A condition that cannot be read, and what one looks like. */
export class ConditionError extends Error {
  readonly remedy: string
  constructor(message: string, remedy: string) {
    super(message)
    this.name = 'ConditionError'
    this.remedy = remedy
  }
}

const FORM =
  /^\s*([A-Za-z_]\w*)\s*(<=|>=|<>|!=|==|<|>|=)\s*(?:(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|'([^']*)')\s*$/i

/**
 * Reads `value < 0.99` or `change = 'vanished'` for a metric with these columns; a time as an end of a window is given.
 * Throws ConditionError.
 */
export function readCondition(text: string, columns: readonly MetricColumn[], now = new Date()): Condition {
  const match = FORM.exec(text)
  if (match === null) {
    throw new ConditionError(
      `'${text}' is no condition.`,
      "Write one column, a comparison and a number or quoted text: value < 0.99, change = 'vanished'.",
    )
  }
  const [, name, operator, number, word] = match
  const column = columns.find((one) => one.name === name!.toLowerCase())
  if (column === undefined) {
    throw new ConditionError(
      `There is no column '${name}' in this metric.`,
      `Its columns are ${columns.map((one) => one.name).join(', ')}.`,
    )
  }
  const isText = column.unit === 'text' || column.unit === 'time'
  if (isText !== (word !== undefined)) {
    throw new ConditionError(
      `The column ${column.name} holds ${isText ? 'text' : 'a number'}, and '${text}' compares it with ${isText ? 'a number' : 'text'}.`,
      isText ? `Write ${column.name} = 'text'.` : `Write ${column.name} ${operator} 1, without quotes.`,
    )
  }
  return {
    column: column.name,
    operator: operator as Operator,
    value: word === undefined ? Number(number) : column.unit === 'time' ? timeOf(word, now) : word,
    text: text.trim(),
  }
}

/** As DuckDB reads a TIMESTAMP, which has no zone: in UTC. */
function timeOf(word: string, now: Date): string {
  const time = readTime(word, now)
  if (time !== undefined) return time.replace('Z', '')
  throw new ConditionError(
    `'${word}' is no time.`,
    'Say how long ago (24h, 7d), a day (2031-03-04), or a time with its zone (2031-03-04T09:00:00Z).',
  )
}

/**
 * A query over all rows of a metric, for DuckDB to judge: one row, with how many rows have a value (`judged`), of how many
 * the condition holds (`failing`), and the first `named` of those: the `slice`, with what else names a row, and the `value`. An
 * empty value compares with nothing.
 */
export function judgingSql(
  { sql, columns }: Pick<Metric, 'sql' | 'columns'>,
  condition: Condition,
  named: number,
): string {
  const { column, operator, value } = condition
  const type = typeOf(columns.find(({ name }) => name === column)!)
  return `WITH answer AS (
${sql.trimEnd().replace(/;$/, '')}
), judged AS (SELECT concat_ws(', ', ${namesOf(columns, column).join(', ')}) AS slice, "${column}" AS value, coalesce(CAST("${column}" AS ${type}) ${operator} CAST('${value}' AS ${type}), false) AS fails FROM answer)
SELECT count(value) AS judged, count(*) FILTER (fails) AS failing,
  (list({'slice': slice, 'value': value}) FILTER (fails))[:${named}] AS first FROM judged`
}

/** The columns that name a row: the slice, and the texts before the first number that follows `value`. */
function namesOf([slice, , ...rest]: readonly MetricColumn[], judged: string): string[] {
  const end = rest.findIndex(({ unit }) => unit !== 'text')
  const others = rest.slice(0, end === -1 ? rest.length : end).filter(({ name }) => name !== judged)
  return [slice!, ...others].map(({ name }) => `"${name}"`)
}

/** As what a column is compared. */
function typeOf({ unit }: MetricColumn): string {
  if (unit === 'time') return 'TIMESTAMP'
  return unit === 'text' ? 'VARCHAR' : 'DOUBLE'
}
