import type { Item } from '../model/items.ts'
import { jsonText } from '../model/json-text.ts'
import { Remembered } from './remembered.ts'
import type { Receipt } from './run.ts'

/** One place at the receiver where words stand. */
export type PayloadText = { path: string; text: string; item?: Item | undefined }

// Every rule, result and approval is looked for in the same words.
const textsOfReceipts = new Remembered<Receipt, readonly PayloadText[]>()

/** Everything the receiver's model could read: the items with their arguments, and the instructions. */
export function payloadTexts(receipt: Receipt): readonly PayloadText[] {
  let texts = textsOfReceipts.get(receipt)
  if (texts === undefined) {
    texts = makeTexts(receipt)
    textsOfReceipts.set(receipt, texts)
  }
  return texts
}

function makeTexts(receipt: Receipt): PayloadText[] {
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
 * long value with more than letters in it that a line break or a space cuts in two, or that is written without its own
 * spaces. Values under three characters are never found.
 */
export function containsValue(text: string, value: string): boolean {
  return holds({ text }, value)
}

/** The first place that holds the value. */
export function findValue(texts: readonly PayloadText[], value: string): PayloadText | undefined {
  return texts.find((place) => placeHolds(place, value))
}

/** The same as `containsValue`; what has to be made of the text is made once, however many values are looked for. */
export function placeHolds(place: PayloadText, value: string): boolean {
  let forms = formsOfPlaces.get(place)
  if (forms === undefined) {
    forms = { text: place.text }
    formsOfPlaces.set(place, forms)
  }
  return holds(forms, value)
}

/** `joined`: the text without its white space; empty if it has none. */
type Forms = { text: string; unescaped?: string; joined?: string }

const formsOfPlaces = new Remembered<PayloadText, Forms>()

function holds(forms: Forms, value: string): boolean {
  const needle = value.trim()
  if (needle.length < SHORTEST) return false
  const { text } = forms
  if (containsWord(text, needle)) return true
  if (text.includes('\\')) {
    forms.unescaped ??= text.replace(/\\+(["\\/])/g, '$1').replace(/\\+[nrt]/g, ' ')
    if (containsWord(forms.unescaped, needle)) return true
  }
  const joined = needle.replace(/\s+/gu, '')
  if (joined.length < LONG_ENOUGH_TO_REJOIN || /^\p{L}+$/u.test(needle)) return false
  if (joined !== needle && containsWord(text, joined)) return true
  forms.joined ??= SPACE.test(text) ? text.replace(/\s+/gu, '') : ''
  return containsCut(text, forms.joined, joined)
}

const WORD = /[\p{L}\p{N}_]/u
const SPACE = /\s/u

function containsWord(text: string, needle: string): boolean {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    if (isWord(text, at, at + needle.length)) return true
  }
  return false
}

/** True if the value stands in the text with white space inside it, and nothing joined to either end. */
function containsCut(text: string, joined: string, needle: string): boolean {
  let at = joined.indexOf(needle)
  // Hardly any value is there, and only for one that is does it matter where.
  const places = at < 0 ? [] : placesOfCharacters(text)
  for (; at >= 0; at = joined.indexOf(needle, at + 1)) {
    const start = places[at]!
    const end = places[at + needle.length - 1]! + 1
    if (end - start > needle.length && isWord(text, start, end)) return true
  }
  return false
}

/** Where each character that is no white space stands. */
function placesOfCharacters(text: string): number[] {
  const places: number[] = []
  for (let at = 0; at < text.length; at++) if (!SPACE.test(text[at]!)) places.push(at)
  return places
}

function isWord(text: string, start: number, end: number): boolean {
  const joinsBefore = start > 0 && WORD.test(text[start]!) && WORD.test(text[start - 1]!)
  const joinsAfter = end < text.length && WORD.test(text[end - 1]!) && WORD.test(text[end]!)
  return !joinsBefore && !joinsAfter
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
