import { normaliseText } from '../../model/hash.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run } from '../run.ts'
import { wordsOf } from '../text.ts'

type Sentence = { text: string; words: Set<string> }

/** A text as it is compared: in one spelling, and, when somebody asks, sentence by sentence. */
export class Reading {
  readonly plain: string
  readonly #text: string
  #sentences: Sentence[] | undefined

  constructor(text: string) {
    this.plain = normaliseText(text)
    this.#text = text
  }

  get sentences(): readonly Sentence[] {
    this.#sentences ??= sentencesOf(this.#text).map((text) => ({ text, words: wordsOf(text) }))
    return this.#sentences
  }
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
