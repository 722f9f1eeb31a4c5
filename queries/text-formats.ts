import { escapeText } from '../model/escape.ts'
import type { Column, QueryAnswer } from '../store/index.ts'
import type { Unit } from './metric.ts'

/**
 * Comma-separated values as RFC 4180 has them: a heading, lines that end in CR LF, quotes where they are needed. `shown`: a
 * text as it is to be written.
 */
export function toCsv(
  { columns, rows }: Pick<QueryAnswer, 'columns' | 'rows'>,
  shown: (text: string) => string = (text) => text,
): string {
  const line = (cells: readonly string[]) => `${cells.map((cell) => quoted(shown(cell))).join(',')}\r\n`
  return (
    line(names(columns)) + rows.map((row) => line(columns.map(({ name }) => plainText(row[name])))).join('')
  )
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A table in Markdown. Captured text is escaped, also so that it makes no cell or markup of its own. */
export function toMarkdown(
  { columns, rows }: Pick<QueryAnswer, 'columns' | 'rows'>,
  unitOf: (column: string) => Unit | undefined,
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const isNumber = (column: Column) => !['text', 'time'].includes(unitOf(column.name) ?? 'text')
  return (
    line(names(columns)) +
    `|${columns.map((column) => (isNumber(column) ? '---:|' : '---|')).join('')}\n` +
    rows.map((row) => line(columns.map(({ name }) => inMarkdown(readable(row[name], unitOf(name)))))).join('')
  )
}

function inMarkdown(text: string): string {
  return escapeText(text).replace(/[\\`*_[\]<>|&]/g, (mark) => `\\${mark}`)
}

/** A value as a person reads it: no more digits than say something, nothing for what is empty. */
export function readable(value: unknown, unit: Unit | undefined): string {
  if (typeof value !== 'number') return plainText(value)
  if (unit === 'share' || unit === 'ratio') return String(Number(value.toFixed(3)))
  return String(Number(value.toFixed(1)))
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function names(columns: readonly Column[]): string[] {
  return columns.map(({ name }) => name)
}
