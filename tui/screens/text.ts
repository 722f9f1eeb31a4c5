import { jsonDocument } from '../../report/json-document.ts'
import type { Act } from '../act.ts'
import { Cursor } from '../cursor.ts'
import { block, fitLine, type Line, plainText, rule, textOfLine, wrap } from '../lines.ts'
import type { Exported, Screen, Size } from '../screen.ts'

/** Lines to be read and scrolled: the help, the definition of a check. */
export class TextScreen implements Screen {
  readonly name = 'text'
  readonly #what: string
  readonly #make: (width: number) => readonly Line[]
  readonly #cursor = new Cursor()
  #shown: readonly Line[] = []

  constructor(what: string, make: (width: number) => readonly Line[]) {
    this.#what = what
    this.#make = make
  }

  title(): Line {
    return [{ text: this.#what, tone: 'strong' }]
  }

  lines({ width, height }: Size): Line[] {
    this.#shown = this.#make(width - 2)
    const { start, end } = this.#cursor.window(height - 1, this.#shown.length)
    const rows = this.#shown
      .slice(start, end)
      .map(
        (row, index): Line => [
          { text: start + index === this.#cursor.at ? '› ' : '  ', tone: 'key' },
          ...row,
        ],
      )
    return [rule(this.#what, width, true), ...block(rows, width, height - 1)]
  }

  act(act: Act): void {
    this.#cursor.move(act, this.#shown.length)
  }

  search(text: string, direction: 1 | -1): boolean {
    const needle = text.toLowerCase()
    for (let at = this.#cursor.at + direction; at >= 0 && at < this.#shown.length; at += direction) {
      if (!textOfLine(this.#shown[at]!).toLowerCase().includes(needle)) continue
      this.#cursor.to(at, this.#shown.length)
      return true
    }
    return false
  }

  copied() {
    return { text: plainText(this.#make(100)), what: this.#what }
  }

  exported(): Exported {
    const lines = (width: number) => this.#make(width).map((row) => fitLine(row, width))
    return {
      title: this.#what,
      lines,
      json: () => jsonDocument('text', { title: this.#what, lines: plainText(lines(100)).split('\n') }),
    }
  }
}

/** Paragraphs with headings, wrapped. */
export function textLines(parts: readonly { heading?: string; text: string }[], width: number): Line[] {
  return parts.flatMap(({ heading, text }) => [
    ...(heading === undefined ? [] : [[{ text: heading, tone: 'title' as const }]]),
    ...wrap(text, width).map((part): Line => [{ text: part }]),
    [],
  ])
}
