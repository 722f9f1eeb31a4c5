import { fitLine, type Line, type Span, wrapIndented, wrapStatement } from '../lines.ts'
import { type DiffRow, MARK_TONE } from './diff-row.ts'

type Layout = {
  /** Cells for the sender, the verdict and the receiver; 0 if the receiver has a pane of its own. */
  left: number
  middle: number
  right: number
  /** Index of the selected row; -1 if the cursor is elsewhere. */
  selected: number
  /** Rows that are lit because of where the cursor is on the other side. */
  lit: ReadonlySet<number>
  top: number
  height: number
  empty: string
}

export type CrossingRows = { lines: Line[]; top: number }

const MOST_LINES_OF_A_ROW = 6

/** The visible rows: the sender's side, the verdict, and the receiver's side where it stands in the same row. */
export function crossingRows(rows: readonly DiffRow[], layout: Layout): CrossingRows {
  if (rows.length === 0) return { lines: [[{ text: `  ${layout.empty}`, tone: 'faint' }]], top: 0 }
  const starts: number[] = []
  let total = 0
  for (const row of rows) {
    starts.push(total)
    total += heightOf(row, layout)
  }
  const top = scrolled(starts, total, layout)
  const lines: Line[] = []
  for (let index = rowAt(starts, top); index < rows.length && starts[index]! < top + layout.height; index++) {
    const row = rowLines(rows[index]!, index, layout)
    lines.push(...row.slice(Math.max(0, top - starts[index]!)))
  }
  return { lines: lines.slice(0, layout.height), top }
}

/** As little as possible is scrolled for the selected row to be whole. */
function scrolled(starts: readonly number[], total: number, { selected, top, height }: Layout): number {
  let first = top
  if (selected >= 0) {
    const end = starts[selected + 1] ?? total
    if (starts[selected]! < first) first = starts[selected]!
    if (end > first + height) first = Math.min(starts[selected]!, end - height)
  }
  return Math.max(0, Math.min(first, total - height))
}

function rowAt(starts: readonly number[], line: number): number {
  const after = starts.findIndex((start) => start > line)
  return after < 0 ? starts.length - 1 : after - 1
}

/** A row of one line on either side is cut; one of several is wrapped, since it is what the screen is for. */
function sideLines(lines: readonly string[], width: number): string[] {
  if (lines.length < 2 || width < 4) return [...lines]
  const wrapped = lines.flatMap((text) => wrapIndented(text, width, MOST_LINES_OF_A_ROW + 1))
  if (wrapped.length <= MOST_LINES_OF_A_ROW) return wrapped
  return [...wrapped.slice(0, MOST_LINES_OF_A_ROW - 1), '…']
}

function heightOf(row: DiffRow, { left, right }: Layout): number {
  return Math.max(
    1,
    sideLines(row.left, left - 2).length,
    right === 0 ? 0 : sideLines(row.right, right - 1).length,
  )
}

function rowLines(row: DiffRow, index: number, layout: Layout): Line[] {
  const { left, middle, right, selected, lit } = layout
  const own = sideLines(row.left, left - 2)
  const other = right === 0 ? [] : sideLines(row.right, right - 1)
  const verdict = verdictLines(row, middle)
  const here = index === selected
  return Array.from({ length: heightOf(row, layout) }, (_, at): Line => {
    const sign = at > 0 ? '  ' : here ? '› ' : lit.has(index) ? '▶ ' : '  '
    const tone: Span['tone'] = here
      ? 'selected'
      : lit.has(index)
        ? 'lit'
        : row.mark === '·'
          ? 'faint'
          : undefined
    const text = fitLine([{ text: `${sign}${own[at] ?? ''}` }], left)
    return [
      { text: text.map((span) => span.text).join(''), tone },
      ...fitLine(verdict[at] ?? [], middle),
      ...(right === 0 ? [] : fitLine([{ text: ` ${other[at] ?? ''}` }], right)),
    ]
  })
}

/** The sign alone, or with its words and the way that it goes. */
function verdictLines({ mark, verdict }: DiffRow, middle: number): Line[] {
  const tone = MARK_TONE[mark]
  if (middle < 8) return [[{ text: ` ${mark} `, tone }]]
  const [first = '', ...more] = wrapStatement(verdict, middle - 4)
  return [[{ text: ` ${mark} ${first}`, tone }], ...more.map((text): Line => [{ text: `   ${text}`, tone }])]
}
