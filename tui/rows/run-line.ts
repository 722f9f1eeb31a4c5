import { cutMiddle, fitLine, type Line, type Span } from '../lines.ts'
import type { RunRow } from '../source.ts'

type Title = 'run' | 'started (UTC)' | 'agents' | 'handoffs' | 'in doubt' | 'findings'

type Column = { title: Title; width: number }

/** Cells that an id and the agents share at least, before other columns are left out, and before the agents are. */
const LEAST_FOR_NAMES = 24
const LEAST_FOR_AGENTS = 20
const LEAST_BESIDE_ID = 8
const DROPPED_FIRST: readonly Title[] = ['handoffs', 'in doubt']

/** Columns for a width: what finds a run stays longest. `id`: cells that an id has at least, where it must not be cut. */
export function runColumns(width: number, id = 0): Column[] {
  const wide = width >= 110
  const fixed: Column[] = [
    { title: 'started (UTC)', width: wide ? 20 : 15 },
    { title: 'handoffs', width: 9 },
    { title: 'in doubt', width: 9 },
    { title: 'findings', width: wide ? 26 : 12 },
  ]
  const taken = () => fixed.reduce((sum, column) => sum + column.width, 2)
  for (const title of DROPPED_FIRST) {
    if (width - taken() >= Math.max(LEAST_FOR_NAMES, id + LEAST_BESIDE_ID)) break
    fixed.splice(
      fixed.findIndex((column) => column.title === title),
      1,
    )
  }
  const rest = width - taken()
  if (rest < Math.max(LEAST_FOR_AGENTS, id + LEAST_BESIDE_ID))
    return [{ title: 'run', width: Math.max(8, rest) }, ...fixed]
  const ids = Math.max(id, Math.min(38, Math.floor(rest * (wide ? 0.6 : 0.5))))
  return [{ title: 'run', width: ids }, fixed[0]!, { title: 'agents', width: rest - ids }, ...fixed.slice(1)]
}

export function runHeading(width: number, id?: number): Line {
  return [
    { text: '  ' },
    ...runColumns(width, id).flatMap((column) =>
      fitLine([{ text: column.title, tone: 'faint' }], column.width),
    ),
  ]
}

/** A run as a row; undefined while its page is being read. */
export function runLine(row: RunRow | undefined, width: number, selected: boolean, id?: number): Line {
  const sign = { text: selected ? '› ' : '  ', tone: 'key' as const }
  if (row === undefined) return [sign, { text: '…', tone: 'faint' }]
  const columns = runColumns(width, id)
  const tone = selected ? ('selected' as const) : undefined
  return [sign, ...columns.flatMap((column) => cell(cellOf(row, column), column.width, tone))]
}

/** A cell and the space after it; the tone of the selection wins over its own. */
function cell(content: Span, width: number, tone: Span['tone']): Line {
  return [...fitLine([content], width - 1), { text: ' ' }].map((span) => ({
    ...span,
    tone: tone ?? span.tone,
  }))
}

function cellOf(row: RunRow, { title, width }: Column): Span {
  const { run, agents, handoffs, inDoubt, errors, warnings } = row
  switch (title) {
    case 'run':
      return { text: cutMiddle(run, width - 1) }
    case 'started (UTC)':
      // The year is what a narrow list can do without.
      return {
        text: row.startedAt?.slice(width < 20 ? 5 : 0, 19).replace('T', ' ') ?? 'not stated',
        tone: 'faint',
      }
    case 'agents':
      return { text: agents.join(', '), tone: 'agent' }
    case 'handoffs':
      return { text: String(handoffs) }
    case 'in doubt':
      return inDoubt === 0 ? { text: '·', tone: 'faint' } : { text: String(inDoubt), tone: 'warning' }
    case 'findings':
      return {
        text: findingsText(row, width),
        tone: errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'faint',
      }
  }
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
