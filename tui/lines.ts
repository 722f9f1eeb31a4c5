import stringWidth from 'string-width'
import { escapeText } from '../model/escape.ts'
import type { Tone } from './tone.ts'

/*
 * Everything on a screen is lines of spans. A screen returns them and knows nothing of ink, so the same lines are painted
 * in the terminal, printed where there is none, and written to a file. Captured text is escaped here, on the way into a
 * line of a fixed width, so that no screen can forget it.
 */

/**
 * A piece of text with a meaning; the theme decides how that looks. `link` is where a terminal leads from it: an address
 * made by us, never captured text.
 */
export type Span = { text: string; tone?: Tone | undefined; link?: string | undefined }
export type Line = readonly Span[]

// Printable ASCII and the signs of the screens themselves are one cell a character: nearly all text, and measuring is slow.
const NARROW = /^[\x20-\x7e·…—→←↑↓─━│┃▒●◆◇•✓✗›»▾▸▁-█]*$/u

// Kana, Han and Hangul without what can combine with them: two cells a character. A text without spaces is long.
const WIDE = /^[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]+$/u

/** Cells that a text takes in a terminal. */
export function cells(text: string): number {
  if (NARROW.test(text)) return text.length
  return WIDE.test(text) ? 2 * text.length : stringWidth(text)
}

/** The text as it may be shown. What could not fit into `width` cells anyway is not looked at. */
export function safe(text: string, width = 10_000): string {
  // A character with its marks is seldom over four code units a cell; one that is gets cut early.
  const near = text.length > width * 4 + 8 ? text.slice(0, width * 4 + 8) : text
  return NARROW.test(near) ? near : escapeText(near)
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The beginning of a safe text that fits, with an ellipsis if something is left out. */
export function cut(text: string, width: number): string {
  if (width <= 0) return ''
  if (cells(text) <= width) return text
  if (NARROW.test(text)) return `${text.slice(0, width - 1)}…`
  let out = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const more = cells(segment)
    if (used + more > width - 1) break
    out += segment
    used += more
  }
  return `${out}…`
}

/** An id or path: the middle is left out, since both ends tell it from others. */
export function cutMiddle(text: string, width: number): string {
  const shown = safe(text)
  if (cells(shown) <= width) return shown
  if (width < 5 || !NARROW.test(shown)) return cut(shown, width)
  const head = Math.ceil((width - 1) / 2)
  return `${shown.slice(0, head)}…${shown.slice(shown.length - (width - 1 - head))}`
}

/** Exactly `width` cells: escaped, cut with an ellipsis, or filled with spaces. */
export function fitLine(line: Line, width: number): Line {
  const out: Span[] = []
  let left = width
  for (const { text, ...meaning } of line) {
    if (left === 0) break
    const whole = text.length <= left * 4 + 8
    const shown = safe(text, left)
    const piece = cut(whole ? shown : shown.padEnd(shown.length + left + 1), left)
    out.push({ ...meaning, text: piece })
    left -= cells(piece)
  }
  if (left > 0) out.push({ text: ' '.repeat(left) })
  return out
}

/** The whole line in one tone, such as that of the selection. */
export function toned(line: Line, tone: Tone): Line {
  return [{ text: textOfLine(line), tone }]
}

export function textOfLine(line: Line): string {
  return line.map(({ text }) => text).join('')
}

/** A plain line. */
export function line(text: string, tone?: Tone): Line {
  return [{ text, tone }]
}

/**
 * Text broken at spaces into lines of at most `width` cells; words that are longer are broken where they must. After
 * `most` lines an ellipsis stands for the rest. Every character is measured once, however long a word is.
 */
export function wrap(text: string, width: number, most = 1000): string[] {
  const lines: string[] = []
  for (const paragraph of safeParagraphs(text, width * most)) {
    let current = ''
    for (const word of paragraph.split(/(?<= )/)) {
      if (lines.length > most) break
      if (fits(current + word.trimEnd(), width)) {
        current += word
        continue
      }
      if (current.trim() !== '') lines.push(current.trimEnd())
      const parts = broken(word.trimEnd(), width, most + 2 - lines.length)
      current = parts.pop()! + word.slice(word.trimEnd().length)
      for (const part of parts) lines.push(part)
    }
    lines.push(current.trimEnd())
    if (lines.length > most) return [...lines.slice(0, most - 1), '…']
  }
  return lines
}

/** One statement broken into lines: an id in it that holds a line feed begins no line of its own, which could say anything. */
export function wrapStatement(text: string, width: number, most = 1000): string[] {
  return wrap(safe(text, width * most), width, most)
}

/** A line that is too long as several, all in the tone that it begins with. */
export function wrapLine(long: Line, width: number): Line[] {
  const text = textOfLine(long)
  if (fits(safe(text), width)) return [long]
  const tone = long.find((span) => span.tone !== undefined)?.tone
  return wrapIndented(text, width).map((part) => line(part, tone))
}

/** As `wrapStatement` does, each line as far in as the text begins. */
export function wrapIndented(text: string, width: number, most?: number): string[] {
  const indent = /^ */u.exec(text)![0]
  return wrapStatement(text.slice(indent.length), width - indent.length, most).map((part) => indent + part)
}

/** True if a text takes at most so many cells. Of a long one only the beginning is measured. */
function fits(text: string, width: number): boolean {
  const near = text.length > width * 4 + 8 ? beginning(text, width) : text
  return near.length === text.length && cells(near) <= width
}

function safeParagraphs(text: string, enough: number): string[] {
  return text
    .slice(0, enough * 4 + 8)
    .split(/\r\n|\n/)
    .map((paragraph) => escapeText(paragraph.replaceAll('\t', '  ')))
}

/** As much of a text as fits, at least one character. */
function beginning(text: string, width: number): string {
  return pieces(text, width).next().value ?? ''
}

/** A word in pieces of at most `width` cells: at least one, and not many more than asked for. */
function broken(word: string, width: number, most: number): string[] {
  const out: string[] = []
  for (const piece of pieces(word, width)) {
    out.push(piece)
    if (out.length > most) break
  }
  return out
}

function* pieces(text: string, width: number): Generator<string, undefined> {
  if (NARROW.test(text)) {
    const step = Math.max(1, width)
    for (let at = 0; at === 0 || at < text.length; at += step) yield text.slice(at, at + step)
    return
  }
  let start = 0
  let used = 0
  for (const { segment, index } of graphemes.segment(text)) {
    const more = cells(segment)
    if (used + more > width && index > start) {
      yield text.slice(start, index)
      start = index
      used = 0
    }
    used += more
  }
  yield text.slice(start)
}

/** `lines` made into exactly `height` lines of exactly `width` cells. */
export function block(lines: readonly Line[], width: number, height: number): Line[] {
  return Array.from({ length: height }, (_, row) => fitLine(lines[row] ?? [], width))
}

/** As `block` does; where there is no room for all of them, the end of the last line says so. */
export function excerpt(lines: readonly Line[], width: number, height: number): Line[] {
  if (lines.length <= height) return block(lines, width, height)
  const last: Line = [...fitLine(lines[height - 1]!, width - 2), { text: ' …', tone: 'faint' }]
  return block([...lines.slice(0, height - 1), last], width, height)
}

/** Blocks of the same height side by side, with a text between them. */
export function beside(blocks: readonly (readonly Line[])[], between: Span): Line[] {
  return blocks[0]!.map((_, row) =>
    blocks.flatMap((lines, column) => (column === 0 ? lines[row]! : [between, ...lines[row]!])),
  )
}

/** A title in a rule: `── title ────────`. */
export function rule(title: string, width: number, focused = false): Line {
  const name = title === '' ? '' : ` ${cut(safe(title), Math.max(0, width - 6))} `
  const tone = focused ? 'focus' : 'frame'
  return fitLine(
    [
      { text: focused ? '━━' : '──', tone },
      { text: name, tone: focused ? 'strong' : 'title' },
      { text: (focused ? '━' : '─').repeat(Math.max(0, width - 2 - cells(name))), tone },
    ],
    width,
  )
}

/** The lines as plain text. */
export function plainText(lines: readonly Line[]): string {
  return lines.map((one) => textOfLine(one).trimEnd()).join('\n')
}
