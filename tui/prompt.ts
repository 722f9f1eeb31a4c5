import { cells, cut, type Line, safe } from './lines.ts'

export type PromptKind = 'command' | 'search' | 'filter' | 'sql'

/** What could stand instead of the end of a text: from which place on (in UTF-16 units), and the words, in order. */
export type Completion = { from: number; words: string[] }

const SIGN: Record<PromptKind, string> = { command: ':', search: '/', filter: 'filter ', sql: 'sql ' }

/** One line that is being typed. */
export class Prompt {
  readonly kind: PromptKind
  text: string
  #at: number
  #history: readonly string[]
  #back = 0
  /** What the last Tab offered; the next one takes the next of them. */
  #offered: { from: number; words: readonly string[]; next: number } | undefined

  constructor(kind: PromptKind, text: string, history: readonly string[]) {
    this.kind = kind
    this.text = text
    this.#at = [...text].length
    this.#history = history
  }

  insert(text: string): void {
    this.#offered = undefined
    const chars = [...this.text]
    const added = [...text.replace(/[\r\n\t]+/g, ' ')].filter((char) => char >= ' ' && char !== '\u007f')
    chars.splice(this.#at, 0, ...added)
    this.text = chars.join('')
    this.#at += added.length
  }

  /** An editing key; false if it is none. */
  press(key: string): boolean {
    this.#offered = undefined
    const chars = [...this.text]
    const set = (kept: string[], at: number) => {
      this.text = kept.join('')
      this.#at = Math.max(0, Math.min(at, kept.length))
    }
    if (key === 'backspace')
      set(chars.toSpliced(Math.max(0, this.#at - 1), this.#at > 0 ? 1 : 0), this.#at - 1)
    else if (key === 'ctrl+u') set(chars.slice(this.#at), 0)
    else if (key === 'ctrl+w') {
      const start = chars.slice(0, this.#at).join('').trimEnd().lastIndexOf(' ') + 1
      set([...chars.slice(0, start), ...chars.slice(this.#at)], start)
    } else if (key === 'left') set(chars, this.#at - 1)
    else if (key === 'right') set(chars, this.#at + 1)
    else if (key === 'home' || key === 'ctrl+a') set(chars, 0)
    else if (key === 'end' || key === 'ctrl+e') set(chars, chars.length)
    else if (key === 'up' || key === 'down') this.#recall(key === 'up' ? 1 : -1)
    else return false
    return true
  }

  /** Takes what all possible words begin with; if that is there already, one word after the other. */
  complete(completer: (before: string, whole: string) => Completion): void {
    const offered = this.#offered
    if (offered !== undefined && offered.words.length > 1) {
      this.#replace(offered.from, offered.words[offered.next]!)
      this.#offered = { ...offered, next: (offered.next + 1) % offered.words.length }
      return
    }
    const before = [...this.text].slice(0, this.#at).join('')
    const { from, words } = completer(before, this.text)
    const common = commonBeginning(words)
    if (common.length >= before.length - from && words.length > 0) this.#replace(from, common)
    this.#offered = { from, words, next: 0 }
  }

  /** Puts a word in the place of what stands between a place (in UTF-16 units) and the cursor. */
  #replace(from: number, word: string): void {
    const chars = [...this.text]
    const head = chars.slice(0, this.#at).join('').slice(0, from) + word
    this.text = head + chars.slice(this.#at).join('')
    this.#at = [...head].length
  }

  #recall(direction: 1 | -1): void {
    this.#back = Math.max(0, Math.min(this.#back + direction, this.#history.length))
    this.text = this.#back === 0 ? '' : this.#history.at(-this.#back)!
    this.#at = [...this.text].length
  }

  #hint(): string {
    if (this.#offered === undefined) return ''
    const { words } = this.#offered
    return words.length === 0 ? '  nothing begins so' : words.length === 1 ? '' : `  ${words.join(' · ')}`
  }

  line(width: number): Line {
    const sign = SIGN[this.kind]
    const chars = [...this.text]
    const before = safe(chars.slice(0, this.#at).join(''))
    const under = safe(chars[this.#at] ?? ' ')
    const after = safe(chars.slice(this.#at + 1).join(''))
    // The end of a long line stays visible while it is typed.
    const room = Math.max(1, width - cells(sign) - 2)
    let shown = before
    while (cells(shown) > room) shown = [...shown].slice(Math.max(1, cells(shown) - room)).join('')
    return [
      { text: sign, tone: 'key' },
      { text: shown },
      { text: under, tone: 'selected' },
      { text: cut(after, Math.max(0, room - cells(shown))) },
      { text: this.#hint(), tone: 'faint' },
    ]
  }
}

/** What all words begin with. */
export function commonBeginning(words: readonly string[]): string {
  const [first = '', ...others] = words
  let length = first.length
  for (const other of others) {
    while (!other.toLowerCase().startsWith(first.slice(0, length).toLowerCase())) length--
  }
  return first.slice(0, length)
}
