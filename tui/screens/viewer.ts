import { bytes, plural } from '../../model/counts.ts'
import { escapeText } from '../../model/escape.ts'
import { jsonText } from '../../model/json-text.ts'
import { bytesOf } from '../../model/sizes.ts'
import type { Act } from '../act.ts'
import { Cursor, placeOf } from '../cursor.ts'
import { block, type Line, line, rule, wrap } from '../lines.ts'
import { flatten, type JsonRow, pathsThatHold, type TreePath } from '../rows/json-rows.ts'
import { wordChanges } from '../rows/word-changes.ts'
import type { Exported, Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'

/** A captured value as it is, folded and searched; for what changed, the words that did. */
export class ViewerScreen implements Screen {
  readonly name = 'viewer'
  readonly #session: Session
  readonly #what: string
  readonly #value: unknown
  readonly #size: number
  readonly #change: { before: unknown; after: unknown } | undefined
  readonly #cursor = new Cursor()
  /** Paths that differ from the usual: folded if near the root, unfolded if deep. */
  #turned = new Set<TreePath>()
  #depth = 2
  #rows: JsonRow[]
  #matches: TreePath[] = []
  #needle = ''
  #changes = false
  #text: { value: unknown; text: string } = { value: undefined, text: '' }

  constructor(session: Session, what: string, value: unknown, change?: { before: unknown; after: unknown }) {
    this.#session = session
    this.#what = what
    this.#value = value
    this.#size = bytesOf(value)
    this.#change = change
    this.#rows = this.#flat()
  }

  title(): Line {
    return [
      { text: this.#what, tone: 'strong' },
      { text: `  ${bytes(this.#size)}`, tone: 'faint' },
    ]
  }

  lines({ width, height }: Size): Line[] {
    const below = Math.max(3, Math.min(8, Math.floor(height * 0.35)))
    if (this.#changes && this.#change !== undefined) {
      return block(
        [rule('before and after, word by word', width, true), ...wordChanges(this.#change, width)],
        width,
        height,
      )
    }
    const { start, end } = this.#cursor.window(height - 1 - below, this.#rows.length)
    const rows = this.#rows
      .slice(start, end)
      .map((row, index) => this.#line(row, start + index === this.#cursor.at))
    const found =
      this.#matches.length === 0
        ? ''
        : `  ${plural(this.#matches.length, 'match', 'matches')} of ${this.#needle}`
    return [
      rule(`line ${placeOf(this.#cursor.at + 1, this.#rows.length)}${found}`, width, true),
      ...block(rows, width, height - 1 - below),
      ...this.#whole(width, below),
    ]
  }

  #line({ path, depth, key, text, kind, size }: JsonRow, selected: boolean): Line {
    const fold = kind === 'open' ? '▾ ' : kind === 'folded' ? '▸ ' : '  '
    const hit = this.#needle !== '' && this.#matches.includes(path)
    const tone = selected ? 'selected' : hit ? 'found' : undefined
    return [
      { text: `${selected ? '›' : ' '}${'  '.repeat(depth)}${fold}`, tone: tone ?? 'faint' },
      { text: key === undefined ? '' : `${key}: `, tone: tone ?? 'key' },
      { text, tone },
      { text: size === undefined ? '' : `  ${bytes(size)}`, tone: 'faint' },
    ]
  }

  /** The selected value, as much as there is room for. */
  #whole(width: number, height: number): Line[] {
    const row = this.#rows[this.#cursor.at]
    const lines = wrap(this.#textOf(row?.value), width - 1, height).map((part) => line(` ${part}`))
    return [
      rule(row?.path === '' ? 'the whole' : (row?.path ?? ''), width),
      ...block(lines, width, height - 1),
    ]
  }

  act(act: Act): void {
    const row = this.#rows[this.#cursor.at]
    if (act === 'changes') this.#changes = !this.#changes
    else if (act === 'unfold' && row?.kind === 'folded') this.#turn(row.path)
    else if (act === 'unfold' && row?.kind === 'open') this.#cursor.move('down', this.#rows.length)
    else if (act === 'unfold' && typeof row?.value === 'string') this.#showText(row)
    else if (act === 'fold' && row !== undefined) this.#fold(row)
    else if (act === 'foldAll') this.#foldAll()
    else this.#cursor.move(act, this.#rows.length)
  }

  disabled(act: Act): string | undefined {
    return act === 'changes' && this.#change === undefined
      ? 'nothing changed here: there is one form only'
      : undefined
  }

  search(text: string, direction: 1 | -1, fresh: boolean): boolean {
    if (fresh || text !== this.#needle) {
      this.#needle = text
      this.#matches = pathsThatHold(this.#value, text)
    }
    if (this.#matches.length === 0) return false
    const here = this.#rows[this.#cursor.at]?.path ?? ''
    const at = this.#matches.indexOf(here)
    const from = at < 0 ? (direction > 0 ? -1 : this.#matches.length) : at
    const next = this.#matches[from + direction]
    if (next === undefined) return false
    this.#reveal(next)
    return true
  }

  copied() {
    const row = this.#rows[this.#cursor.at]
    if (row === undefined) return undefined
    return {
      text: this.#textOf(row.value),
      what: `${row.path || 'everything'}, ${bytes(bytesOf(row.value))}`,
    }
  }

  exported(): Exported {
    return {
      title: this.#what,
      // Whole: whoever writes a value to a file wants to have it.
      lines: () =>
        indented(this.#value)
          .split('\n')
          .map((text) => line(escapeText(text))),
      // The value itself: what was captured, as it was captured.
      json: () => indented(this.#value),
    }
  }

  /** Made once for a value: large ones stay on the screen for many frames. */
  #textOf(value: unknown): string {
    if (typeof value === 'string') return value
    if (this.#text.value !== value) this.#text = { value, text: jsonText(value) ?? '' }
    return this.#text.text
  }

  #flat(): JsonRow[] {
    return flatten(this.#value, (path, depth) => depth < this.#depth !== this.#turned.has(path))
  }

  #turn(path: TreePath): void {
    if (!this.#turned.delete(path)) this.#turned.add(path)
    this.#rows = this.#flat()
  }

  /** Folds what is open; from inside, goes to what holds it. */
  #fold(row: JsonRow): void {
    if (row.kind === 'open') this.#turn(row.path)
    else {
      const holder = this.#rows.findLastIndex(
        ({ depth }, index) => index < this.#cursor.at && depth < row.depth,
      )
      if (holder >= 0) this.#cursor.to(holder, this.#rows.length)
    }
  }

  #foldAll(): void {
    this.#depth = this.#depth === 1 ? Number.POSITIVE_INFINITY : 1
    this.#turned.clear()
    this.#rows = this.#flat()
    this.#cursor.to(0, this.#rows.length)
  }

  #reveal(path: TreePath): void {
    let at = this.#rows.findIndex((row) => row.path === path)
    for (let tries = 0; at < 0 && tries < 1000; tries++) {
      const holder = this.#rows.findLast((row) => row.kind === 'folded' && holds(row.path, path))
      if (holder === undefined) return
      this.#turn(holder.path)
      at = this.#rows.findIndex((row) => row.path === path)
    }
    this.#cursor.to(at, this.#rows.length)
  }

  #showText(row: JsonRow): void {
    // Opened as its lines: a long text is read better than scrolled sideways.
    const lines = (row.value as string).split(/\r\n|\n/)
    if (lines.length > 1)
      this.#session.push(new ViewerScreen(this.#session, `${this.#what} ${row.path}`, lines))
    else this.#session.say('the text stands below as far as there is room; y copies all of it')
  }
}

/** Indented, unless it is nested deeper than JSON.stringify can follow. */
function indented(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? 'null'
  } catch {
    return jsonText(value) ?? 'null'
  }
}

function holds(outer: TreePath, inner: TreePath): boolean {
  return outer === '' || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
}
