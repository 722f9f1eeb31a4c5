import { escapeText } from '../../model/escape.ts'
import { layTable } from './columns.ts'
import { cut } from './diff-text.ts'

const WIDEST_CELL = 60

/** The answer of a query as a table. Nothing is hidden but the rest of a long cell, which `--json` shows whole. */
export function answerTable(
  columns: readonly { name: string }[],
  rows: readonly Record<string, unknown>[],
): string[] {
  return layTable(
    columns.map(({ name }) => escapeText(name)),
    rows.map((row) => columns.map(({ name }) => cut(escapeText(cellText(row[name])), WIDEST_CELL))),
  )
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
