import { cells, fitLine, type Line, safe } from '../lines.ts'

const WIDEST = 40

/** Rows of an answer as cells of text. */
export type TextTable = { columns: string[]; rows: string[][] }

export function textTable(
  columns: readonly { name: string }[],
  rows: readonly Record<string, unknown>[],
): TextTable {
  return {
    columns: columns.map(({ name }) => name),
    rows: rows.map((row) => columns.map(({ name }) => cellText(row[name]))),
  }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
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
