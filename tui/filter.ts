import { instantOf } from '../replay/fold/time.ts'

/*
 * The grammar of filters: words and `field:value`, all of which must hold; `-` before one turns it round; quotes keep spaces
 * together. `agent:bookings check:op-in-doubt-key-missing since:1h severity:error`
 */

export const FILTER_FIELDS = [
  'agent',
  'check',
  'severity',
  'since',
  'until',
  'run',
  'principal',
  'outcome',
  'is',
] as const
export type FilterField = (typeof FILTER_FIELDS)[number]

/** `field` is `text` for a bare word. For since and until the value is a time in RFC 3339. */
export type Term = { field: FilterField | 'text'; value: string; negated: boolean }

/** A run as filters see it. */
export type Filtered = {
  run: string
  agents: readonly string[]
  startedAt?: string | undefined
  principal?: string | undefined
  outcome?: string | undefined
  ended: boolean
  inDoubt: number
  findings: readonly { check: string; severity: string }[]
}

/** Reads a filter. `now` in milliseconds since the epoch; errors say what is wrong and what could stand there. */
export function parseFilter(
  text: string,
  now: number,
): { terms: Term[]; error?: undefined } | { error: string } {
  const terms: Term[] = []
  for (const [, sign, field, quoted, bare] of text.matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gu)) {
    const value = quoted ?? bare!
    if (field === undefined) {
      terms.push({ field: 'text', value: value.toLowerCase(), negated: sign === '-' })
      continue
    }
    const read = readTerm(field, value, now)
    if ('error' in read) return read
    terms.push({ ...read, negated: sign === '-' })
  }
  const open = /(?:^|\s)-?([a-z]+):(?=\s|$)/u.exec(text)
  return open === null ? { terms } : { error: `${open[1]}: needs a value` }
}

function readTerm(field: string, value: string, now: number): Omit<Term, 'negated'> | { error: string } {
  if (!(FILTER_FIELDS as readonly string[]).includes(field))
    return { error: `${field}: is no field; there are ${FILTER_FIELDS.join(', ')}` }
  const known = field as FilterField
  if (known === 'since' || known === 'until') {
    const time = readTime(value, now)
    return time === undefined
      ? { error: `${field}:${value} is no time; write 30m, 1h, 7d or 2031-03-04T09:00Z` }
      : { field: known, value: time }
  }
  if (known === 'severity' && !['error', 'warning', 'info'].includes(value))
    return { error: `severity:${value} is none of error, warning, info` }
  if (known === 'is' && !['in-doubt', 'open', 'failed'].includes(value))
    return { error: `is:${value} is none of in-doubt, open, failed` }
  return { field: known, value }
}

const UNITS: Record<string, number> = { s: 1e3, m: 60e3, h: 3600e3, d: 86400e3, w: 7 * 86400e3 }

function readTime(value: string, now: number): string | undefined {
  const ago = /^(\d+)([smhdw])$/u.exec(value)
  const instant = ago === null ? instantOf(value) : now - Number(ago[1]) * UNITS[ago[2]!]!
  // The earliest and latest times that a Date can hold.
  return instant === undefined || Math.abs(instant) > 8.64e15 ? undefined : new Date(instant).toISOString()
}

/** Whether a run passes. */
export function passes(terms: readonly Term[], run: Filtered): boolean {
  return terms.every((term) => holds(term, run) !== term.negated)
}

function holds({ field, value }: Term, run: Filtered): boolean {
  const has = (text: string | undefined) => (text ?? '').toLowerCase().includes(value.toLowerCase())
  switch (field) {
    case 'agent':
      return run.agents.some(has)
    case 'check':
      return run.findings.some(({ check }) => check === value)
    case 'severity':
      return run.findings.some(({ severity }) => severity === value)
    case 'since':
      return run.startedAt !== undefined && instantOf(run.startedAt)! >= instantOf(value)!
    case 'until':
      return run.startedAt !== undefined && instantOf(run.startedAt)! <= instantOf(value)!
    case 'run':
      return has(run.run)
    case 'principal':
      return has(run.principal)
    case 'outcome':
      return has(run.outcome)
    case 'is':
      if (value === 'in-doubt') return run.inDoubt > 0
      return value === 'open' ? !run.ended : run.outcome === 'failed'
    case 'text':
      return has(run.run) || run.agents.some(has) || has(run.principal) || has(run.outcome)
  }
}

/** The same as a condition over the view `runs`, with its parameters. */
export function filterSql(terms: readonly Term[]): { where: string; parameters: string[] } {
  const parameters: string[] = []
  const conditions = terms.map((term) => {
    parameters.push(term.value)
    const sql = conditionOf(term, `$${parameters.length}`)
    return term.negated ? `NOT coalesce(${sql}, false)` : sql
  })
  return { where: conditions.length === 0 ? 'true' : conditions.join(' AND '), parameters }
}

function conditionOf({ field }: Term, value: string): string {
  const has = (column: string) => `contains(lower(coalesce(${column}, '')), lower(${value}))`
  const principal = has("concat_ws(' ', principal_kind, principal_id)")
  switch (field) {
    case 'agent':
      return `len(list_filter(agents, a -> ${has('a')})) > 0`
    case 'check':
      return `run IN (SELECT run FROM findings WHERE check_id = ${value})`
    case 'severity':
      return `run IN (SELECT run FROM findings WHERE severity = ${value})`
    case 'since':
      return `started_at >= ${value}::TIMESTAMP`
    case 'until':
      return `started_at <= ${value}::TIMESTAMP`
    case 'run':
      return has('run')
    case 'principal':
      return principal
    case 'outcome':
      return has('outcome')
    case 'is':
      return `CASE ${value} WHEN 'in-doubt' THEN in_doubt > 0 WHEN 'open' THEN NOT ended ELSE outcome = 'failed' END`
    case 'text':
      return `(${has('run')} OR ${has("array_to_string(agents, ' ')")} OR ${principal} OR ${has('outcome')})`
  }
}
