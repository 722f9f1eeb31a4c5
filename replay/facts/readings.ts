import { normaliseText } from '../../model/hash.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run } from '../run.ts'
import { wordsOf } from '../text.ts'

type Sentence = { text: string; words: Set<string> }

const BEFORE = /^(?:[\s"'“”„«»‘’]|[-*•]\s)+/u
const AFTER = /[\s.;。।؛"'“”„«»‘’]+$/u
/** Scripts in which words stand apart and take no others into them. */
const IN_WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u
const IN_NUMBER = /\p{N}[.,]\p{N}/u

/** A text as it is compared: in one spelling, and, when somebody asks, sentence by sentence. */
export class Reading {
  readonly plain: string
  readonly #text: string
  #bare: string | undefined
  #sentences: Sentence[] | undefined

  constructor(text: string) {
    this.plain = normaliseText(text)
    this.#text = text
  }

  /** Without the stop, quotes or bullet around it, which say nothing. */
  get bare(): string {
    this.#bare ??= this.plain.replace(BEFORE, '').replace(AFTER, '')
    return this.#bare
  }

  /** True if the words of a phrase stand in it as they are: `at most 50` does not stand in `at most 500`. */
  holds(phrase: string): boolean {
    const { plain } = this
    for (let at = plain.indexOf(phrase); at >= 0; at = plain.indexOf(phrase, at + 1)) {
      if (!isCut(plain, at) && !isCut(plain, at + phrase.length)) return true
    }
    return false
  }

  get sentences(): readonly Sentence[] {
    this.#sentences ??= sentencesOf(this.#text).map((text) => ({ text, words: wordsOf(text) }))
    return this.#sentences
  }
}

/** True for a place inside a word or a number. */
function isCut(text: string, at: number): boolean {
  const [before, after] = [text[at - 1], text[at]]
  if (before === undefined || after === undefined) return false
  if (IN_WORD.test(before) && IN_WORD.test(after)) return true
  return IN_NUMBER.test(text.slice(Math.max(0, at - 2), at + 1)) || IN_NUMBER.test(text.slice(at - 1, at + 2))
}

// The same items stand in the payload of every hop; each text is read once a run.
const readings = oncePerRun(() => new Map<string, Reading>())

export function readingOf(run: Run, text: string): Reading {
  const known = readings(run)
  let reading = known.get(text)
  if (reading === undefined) {
    reading = new Reading(text)
    known.set(text, reading)
  }
  return reading
}

function sentencesOf(text: string): string[] {
  const parts = text.split(/(?<=[.!?;。！？])\s*|\n/u).filter((part) => part.trim() !== '')
  // A rule may be several sentences long.
  return parts.length > 1 && text.length <= 400 ? [...parts, text] : parts
}
