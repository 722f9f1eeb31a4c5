import type { Unit } from '../../queries/metric.ts'
import { readable } from '../../queries/text-formats.ts'
import { cells, fitLine, type Line, safe } from '../lines.ts'

const WIDEST = 40

/** Rows of an answer as cells of text. */
export type TextTable = { columns: string[]; rows: string[][] }

/** `unitOf` says what a column holds, where it is known: then no more digits are shown than say something. */
export function textTable(
  columns: readonly { name: string }[],
  rows: readonly Record<string, unknown>[],
  unitOf: (column: string) => Unit | undefined,
): TextTable {
  return {
    columns: columns.map(({ name }) => name),
    rows: rows.map((row) =>
      columns.map(({ name }) => {
        const unit = unitOf(name)
        return unit === undefined ? whole(row[name]) : readable(row[name], unit)
      }),
    ),
  }
}

/** A value of a question of the user's own: every digit of it. */
function whole(value: unknown): string {
  return typeof value === 'number' ? String(value) : readable(value, undefined)
}

/** Widths from the rows that are looked at; each as wide as its widest cell, within reason. */
export function columnWidths({ columns, rows }: TextTable, most = WIDEST): number[] {
  return columns.map((name, at) =>
    Math.min(most, Math.max(cells(safe(name)), ...rows.map((row) => cells(safe(row[at] ?? '', most))))),
  )
}

/** A row from a column on; what is further right comes with → */
export function tableLine(
  row: readonly string[],
  widths: readonly number[],
  from: number,
  tone?: Line[number]['tone'],
): Line {
  return row
    .slice(from)
    .flatMap((cell, at) => [...fitLine([{ text: cell, tone }], widths[from + at]!), { text: '  ', tone }])
}
