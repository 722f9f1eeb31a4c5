import { fitLine, type Line, line, wrapStatement } from '../lines.ts'
import { type DiffRow, MARK_TONE } from './diff-row.ts'

/** A tab to be read from top to bottom, each row with all that is said of it; nothing if it has no rows. */
export function tabLines(title: string, rows: readonly DiffRow[], width: number): Line[] {
  if (rows.length === 0) return []
  return [
    line(''),
    line(title, 'title'),
    ...rows.flatMap(({ left, mark, verdict, right, detail }) => [
      fitLine(
        [
          { text: ` ${mark} `, tone: MARK_TONE[mark] },
          { text: [left[0], verdict, right.join(' ').trim()].filter(Boolean).join('  ') },
        ],
        width,
      ),
      ...detail.flatMap(({ text }) => wrapStatement(text, width - 8).map((part) => line(`      ${part}`))),
    ]),
  ]
}
