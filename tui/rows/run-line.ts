import { cutMiddle, fitLine, type Line } from '../lines.ts'
import type { RunRow } from '../source.ts'

type Column = { title: string; width: number }

/** Columns for a width: what finds a run stays longest. */
export function runColumns(width: number): Column[] {
  const wide = width >= 110
  const fixed: Column[] = [
    { title: 'started (UTC)', width: wide ? 20 : 15 },
    { title: 'handoffs', width: 9 },
    { title: 'in doubt', width: 9 },
    { title: 'findings', width: wide ? 26 : 12 },
  ]
  const rest = width - 2 - fixed.reduce((sum, column) => sum + column.width, 0)
  const id = Math.max(8, Math.min(38, Math.floor(rest * (wide ? 0.6 : 0.5))))
  return [
    { title: 'run', width: id },
    fixed[0]!,
    { title: 'agents', width: Math.max(0, rest - id) },
    ...fixed.slice(1),
  ]
}

export function runHeading(width: number): Line {
  return [
    { text: '  ' },
    ...runColumns(width).flatMap((column) => fitLine([{ text: column.title, tone: 'faint' }], column.width)),
  ]
}

/** A run as a row; undefined while its page is being read. */
export function runLine(row: RunRow | undefined, width: number, selected: boolean): Line {
  const sign = { text: selected ? '› ' : '  ', tone: 'key' as const }
  if (row === undefined) return [sign, { text: '…', tone: 'faint' }]
  const columns = runColumns(width)
  const tone = selected ? ('selected' as const) : undefined
  const cell = (at: number, text: string, own?: Line[number]['tone']) =>
    [
      ...fitLine(
        [{ text: at === 0 ? cutMiddle(text, columns[0]!.width - 1) : text, tone: own }],
        columns[at]!.width - 1,
      ),
      { text: ' ' },
    ].map((span) => ({ ...span, tone: tone ?? span.tone }))
  // The year is what a narrow list can do without.
  const at = row.startedAt?.slice(columns[1]!.width < 20 ? 5 : 0, 19).replace('T', ' ') ?? 'not stated'
  return [
    sign,
    ...cell(0, row.run),
    ...cell(1, at, 'faint'),
    ...cell(2, row.agents.join(', '), 'agent'),
    ...cell(3, String(row.handoffs)),
    ...cell(4, row.inDoubt === 0 ? '·' : String(row.inDoubt), row.inDoubt > 0 ? 'warning' : 'faint'),
    ...cell(
      5,
      findingsText(row, columns[5]!.width),
      row.errors > 0 ? 'error' : row.warnings > 0 ? 'warning' : 'faint',
    ),
  ]
}

/** `2 errors, 1 warning`; `2✗ 1!` where there is no room. */
function findingsText({ errors, warnings, findings }: RunRow, width: number): string {
  if (findings === 0) return 'none'
  const info = findings - errors - warnings
  const parts: [number, string, string][] = [
    [errors, errors === 1 ? ' error' : ' errors', '✗'],
    [warnings, warnings === 1 ? ' warning' : ' warnings', '!'],
    [info, ' info', 'i'],
  ]
  const there = parts.filter(([count]) => count > 0)
  return width >= 20
    ? there.map(([count, word]) => `${count}${word}`).join(', ')
    : there.map(([count, , sign]) => `${count}${sign}`).join(' ')
}

/** A run under the names that `runs --json` and the view `runs` have. */
export function runJson({ startedAt, inDoubt, ...rest }: RunRow): Record<string, unknown> {
  return { ...rest, started_at: startedAt, in_doubt: inDoubt }
}
