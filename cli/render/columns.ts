import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

/** Breaks a text into lines that fit a width in terminal cells. A line keeps its indentation when it is continued. */
export function wrapLines(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const indent = /^ */u.exec(line)![0]
    const rest = line.slice(indent.length)
    const room = width - indent.length
    const parts = wrapPlain(rest, room) ?? wrapAnsi(rest, room, { hard: true }).split('\n')
    return parts.map((part) => indent + part)
  })
}

// Words of one cell a character, one space apart: most of what is printed, and measuring every word costs far more.
const PLAIN = /^[!-~→…]+(?: [!-~→…]+)*$/u

/** The same for plain words that all fit the width; undefined for any other text. */
function wrapPlain(line: string, width: number): string[] | undefined {
  if (!PLAIN.test(line)) return undefined
  const rows: string[] = []
  let row = ''
  for (const word of line.split(' ')) {
    if (word.length > width) return undefined
    if (row === '') row = word
    else if (row.length + 1 + word.length <= width) row += ` ${word}`
    else {
      rows.push(row)
      row = word
    }
  }
  return [...rows, row]
}

/** Pads a line with spaces to a width in terminal cells. */
export function padEnd(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - stringWidth(line)))
}

/** A row of cells; each is wrapped to the width of its column. */
export type Row = readonly string[]

/** Lays rows of cells side by side, `│` between them, blocks of a row kept together. */
export function layColumns(rows: readonly Row[], widths: readonly number[]): string[] {
  return rows.flatMap((row) => {
    const cells = widths.map((width, column) => wrapLines(row[column] ?? '', width))
    const height = Math.max(...cells.map((lines) => lines.length))
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((lines, column) => padEnd(lines[line] ?? '', widths[column]!))
        .join(' │ ')
        .trimEnd(),
    )
  })
}

/** A plain table: a heading, then rows, each column as wide as its widest cell; the last one may be cut by the reader. */
export function layTable(heading: Row, rows: readonly Row[]): string[] {
  const widths = heading.map((title, column) =>
    Math.max(stringWidth(title), ...rows.map((row) => stringWidth(row[column] ?? ''))),
  )
  return [heading, ...rows].map((row) =>
    row
      .map((cell, column) => padEnd(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
