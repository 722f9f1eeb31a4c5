import type { QueryRow } from '../store/index.ts'
import type { MetricColumn } from './metric.ts'

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

/** The rows of which it holds. An empty value compares with nothing. */
export function rowsThatFail(condition: Condition, rows: readonly QueryRow[]): QueryRow[] {
  return rows.filter((row) => {
    const given = row[condition.column]
    if (given === null || given === undefined) return false
    return typeof condition.value === 'string'
      ? compare(String(given), condition.operator, condition.value)
      : compare(Number(given), condition.operator, condition.value)
  })
}

function compare<T extends number | string>(left: T, operator: Operator, right: T): boolean {
  switch (operator) {
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    case '>=':
      return left >= right
    case '=':
    case '==':
      return left === right
    case '<>':
    case '!=':
      return left !== right
  }
}
