import { plural } from '../../model/counts.ts'
import { escapeText } from '../../model/escape.ts'
import { severityColour } from './colours.ts'
import { layTable } from './columns.ts'

/** Rows of the view `runs` as a table; the id stands first and whole, to be pasted into the next command. */
export function runsTable(rows: readonly Record<string, unknown>[]): string[] {
  const lines = layTable(
    ['run', 'started (UTC)', 'agents', 'handoffs', 'in doubt', 'findings'],
    rows.map((row) => [
      escapeText(String(row.run)),
      typeof row.started_at === 'string' ? row.started_at.slice(0, 19).replace('T', ' ') : '',
      escapeText((row.agents as string[]).join(', ')),
      String(row.handoffs),
      String(row.in_doubt),
      findingsCell(row),
    ]),
  )
  return lines.map((line, index) =>
    index === 0 ? line : severityColour(String(rows[index - 1]!.worst))(line),
  )
}

function findingsCell({ errors, warnings, findings, suppressed }: Record<string, unknown>): string {
  const info = Number(findings) - Number(errors) - Number(warnings)
  const parts = [
    [Number(errors), 'error', 'errors'],
    [Number(warnings), 'warning', 'warnings'],
    [info, 'info', 'info'],
    [Number(suppressed), 'suppressed', 'suppressed'],
  ] as const
  const there = parts.filter(([count]) => count > 0).map(([count, noun, many]) => plural(count, noun, many))
  return [...(Number(findings) === 0 ? ['none'] : []), ...there].join(', ')
}
