import type { Metric, MetricColumn } from './metric.ts'

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

/** Reads `value < 0.99` or `change = 'vanished'` for a metric with these columns. Throws ConditionError. */
export function readCondition(text: string, columns: readonly MetricColumn[]): Condition {
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
    value: word ?? Number(number),
    text: text.trim(),
  }
}

/**
 * A query over all rows of a metric, for DuckDB to judge: one row, with how many rows have a value (`judged`), of how many
 * the condition holds (`failing`), and the first `named` of those, as `slice` and `value`. An empty value compares with nothing.
 */
export function judgingSql(
  { sql, columns }: Pick<Metric, 'sql' | 'columns'>,
  condition: Condition,
  named: number,
): string {
  const { column, operator, value } = condition
  const given = comparable(columns.find(({ name }) => name === column)!)
  const bound = typeof value === 'string' ? `'${value}'` : `CAST('${value}' AS DOUBLE)`
  return `WITH answer AS (
${sql.trimEnd().replace(/;$/, '')}
), judged AS (SELECT slice, "${column}" AS value, coalesce(${given} ${operator} ${bound}, false) AS fails FROM answer)
SELECT count(value) AS judged, count(*) FILTER (fails) AS failing,
  (list({'slice': slice, 'value': value}) FILTER (fails))[:${named}] AS first FROM judged`
}

/** A column as it is compared: a number, or the text that an answer shows. */
function comparable({ name, unit }: MetricColumn): string {
  if (unit === 'time') return `replace(CAST("${name}" AS VARCHAR), ' ', 'T') || 'Z'`
  return `CAST("${name}" AS ${unit === 'text' ? 'VARCHAR' : 'DOUBLE'})`
}
