import type { Item } from '../model/items.ts'
import { jsonText } from '../model/json-text.ts'
import type { Receipt } from './run.ts'

/** One place at the receiver where words stand. */
export type PayloadText = { path: string; text: string; item?: Item | undefined }

/** Everything the receiver's model could read: the items with their arguments, and the instructions. */
export function payloadTexts(receipt: Receipt): PayloadText[] {
  const texts = (receipt.items ?? []).map((item) => ({ path: item.path, text: readableText(item), item }))
  return receipt.instructions === undefined
    ? texts
    : [...texts, { path: 'instructions', text: receipt.instructions }]
}

/** What a model reads in an item: its text, and the arguments of a call. */
export function readableText(item: Item): string {
  return item.args === undefined ? item.text : `${item.text} ${jsonText(item.args)}`
}

// Shorter needles stand in ordinary text by accident; nothing is concluded from them.
const SHORTEST = 3
const LONG_ENOUGH_TO_REJOIN = 8

/**
 * True if the text holds the value as a word of its own. Also found: a value inside JSON that stands in a string, and a
 * long value that a line break or a space cuts in two. Values under three characters are never found.
 */
export function containsValue(text: string, value: string): boolean {
  const needle = value.trim()
  if (needle.length < SHORTEST) return false
  if (containsWord(text, needle)) return true
  if (
    text.includes('\\') &&
    containsWord(text.replace(/\\+(["\\/])/g, '$1').replace(/\\+[nrt]/g, ' '), needle)
  )
    return true
  if (needle.length < LONG_ENOUGH_TO_REJOIN) return false
  const joined = needle.replace(/\s+/gu, '')
  return joined.length >= LONG_ENOUGH_TO_REJOIN && containsWord(text.replace(/\s+/gu, ''), joined, false)
}

/** The first place that holds the value. */
export function findValue(texts: readonly PayloadText[], value: string): PayloadText | undefined {
  return texts.find(({ text }) => containsValue(text, value))
}

const WORD = /[\p{L}\p{N}_]/u

function containsWord(text: string, needle: string, bounded = true): boolean {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    if (!bounded) return true
    const before = at === 0 || !(WORD.test(needle[0]!) && WORD.test(text[at - 1]!))
    const end = at + needle.length
    const after = end === text.length || !(WORD.test(needle.at(-1)!) && WORD.test(text[end]!))
    if (before && after) return true
  }
  return false
}

/** The distinct words of a text in lower case, for any script that separates words; others count by character. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const match of text
    .normalize('NFC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    const word = match[0]
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u.test(word)) {
      for (const char of word) words.add(char)
    } else words.add(word)
  }
  return words
}

/** 0 to 1: shared words over all words of both texts (Jaccard index). */
export function similarity(a: string, b: string): number {
  const left = wordsOf(a)
  const right = wordsOf(b)
  if (left.size === 0 || right.size === 0) return 0
  let shared = 0
  for (const word of left) if (right.has(word)) shared++
  return shared / (left.size + right.size - shared)
}
