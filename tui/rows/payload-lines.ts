import type { Cursor } from '../cursor.ts'
import { block, cells, fitLine, type Line } from '../lines.ts'
import type { DiffRow } from './diff-row.ts'
import { holdsPath, type PayloadRow } from './payload-rows.ts'

/**
 * The payload as a pane. `row` is what is selected at the sender: what it rests on is lit. Without one the cursor is here.
 */
export function payloadLines(
  payload: readonly PayloadRow[],
  { width, height, cursor, row }: { width: number; height: number; cursor: Cursor; row: DiffRow | undefined },
): Line[] {
  const { start, end } = cursor.window(height, payload.length)
  const lines = payload.slice(start, end).map((part, index): Line => {
    const lit = row?.rests.some((path) => holdsPath(part, path)) === true
    const here = row === undefined && start + index === cursor.at
    const text = `${here ? '› ' : lit ? '◀ ' : '  '}${part.heading ? '' : '  '}${part.text}`
    if (here) return [{ text: text.padEnd(width), tone: 'selected' }]
    if (lit) return litLine(text, row?.verdict ?? '', width)
    return [{ text, tone: part.heading ? 'title' : undefined }]
  })
  return block(lines, width, height)
}

/** Cells from which on there is room for the verdict as well, which stands between the panes anyway. */
const ROOM_FOR_VERDICT = 50

/** What the verdict rests on, with the verdict beside it. */
function litLine(text: string, verdict: string, width: number): Line {
  const said = `  ${verdict}`
  const room = width < ROOM_FOR_VERDICT ? width : width - cells(said)
  return [...fitLine([{ text, tone: 'lit' }], room), { text: said, tone: 'lit' }]
}
