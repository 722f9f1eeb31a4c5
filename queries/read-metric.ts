import type { Metric, MetricColumn, MetricParameter, Unit } from './metric.ts'

/** A metric's file whose header cannot be read: names file and line. */
export class MetricFileError extends Error {
  readonly remedy = 'queries/metrics/*.sql begin with a header; docs/queries.md says what stands in it.'
  constructor(file: string, line: number, message: string) {
    super(`${file}, line ${line}: ${message}`)
    this.name = 'MetricFileError'
  }
}

const UNITS = new Set<string>(['text', 'time', 'count', 'share', 'ratio', 'bytes', 'tokens', 'ms'])
const ONCE = ['name', 'title', 'question', 'agent', 'schema']

type Entry = { line: number; field: string; value: string }

/**
 * Reads a metric from its file. The header is the comment at the top, one field a line (`-- field: value`): name, title,
 * question, agent and schema once; note, parameter and column as often as needed. Throws MetricFileError.
 */
export function readMetric(sql: string, file: string): Metric {
  const entries = headerOf(sql, file)
  const once = (field: string): Entry => {
    const found = entries.filter((entry) => entry.field === field)
    if (found.length === 0) throw new MetricFileError(file, 1, `the header has no ${field}.`)
    if (found.length > 1)
      throw new MetricFileError(file, found[1]!.line, `${field} stands here a second time.`)
    return found[0]!
  }
  const all = (field: string) => entries.filter((entry) => entry.field === field)
  const columns = all('column').map((entry) => columnOf(entry, file))
  if (columns[0]?.name !== 'slice' || columns[1]?.name !== 'value') {
    throw new MetricFileError(
      file,
      all('column')[0]?.line ?? 1,
      'the first columns have to be slice and value.',
    )
  }
  return {
    name: nameOf(once('name'), file),
    title: once('title').value,
    question: once('question').value,
    notes: all('note').map(({ value }) => value),
    agent: sideOf(once('agent'), file),
    schema: versionOf(once('schema'), file),
    parameters: all('parameter').map((entry) => parameterOf(entry, file)),
    columns,
    sql,
  }
}

function headerOf(sql: string, file: string): Entry[] {
  const entries: Entry[] = []
  for (const [index, text] of sql.split('\n').entries()) {
    if (!text.startsWith('--')) break
    const match = /^-- ([a-z]+): (\S.*)$/.exec(text)
    if (match === null) throw new MetricFileError(file, index + 1, `'${text}' is not '-- field: value'.`)
    const [, field, value] = match
    if (![...ONCE, 'note', 'parameter', 'column'].includes(field!)) {
      throw new MetricFileError(file, index + 1, `there is no field '${field}'.`)
    }
    entries.push({ line: index + 1, field: field!, value: value! })
  }
  if (entries.length === 0) throw new MetricFileError(file, 1, 'there is no header.')
  return entries
}

function nameOf({ line, value }: Entry, file: string): string {
  if (/^[a-z]+(-[a-z]+)*$/.test(value)) return value
  throw new MetricFileError(file, line, `'${value}' is no name: small letters with hyphens.`)
}

function sideOf({ line, value }: Entry, file: string): 'sender' | 'receiver' {
  if (value === 'sender' || value === 'receiver') return value
  throw new MetricFileError(file, line, `agent is sender or receiver, not '${value}'.`)
}

function versionOf({ line, value }: Entry, file: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value)
  throw new MetricFileError(file, line, `schema is a whole number, not '${value}'.`)
}

/** `column: name [unit]: meaning` */
function columnOf({ line, value }: Entry, file: string): MetricColumn {
  const match = /^([a-z][a-z0-9_]*) \[([a-z]+)\]: (.+)$/.exec(value)
  if (match === null)
    throw new MetricFileError(file, line, `a column is 'name [unit]: meaning', not '${value}'.`)
  const [, name, unit, meaning] = match
  if (!UNITS.has(unit!)) {
    throw new MetricFileError(file, line, `${unit} is no unit; units are ${[...UNITS].join(', ')}.`)
  }
  return { name: name!, unit: unit as Unit, meaning: meaning! }
}

/** `parameter: name TYPE = default: meaning` */
function parameterOf({ line, value }: Entry, file: string): MetricParameter {
  const match = /^([a-z][a-z_]*) ([A-Z]+) = (.+?): (.+)$/.exec(value)
  if (match === null) {
    throw new MetricFileError(file, line, `a parameter is 'name TYPE = default: meaning', not '${value}'.`)
  }
  const [, name, type, fallback, meaning] = match
  return { name: name!, type: type!, fallback: fallback!, meaning: meaning! }
}
