import { normaliseText } from '../../model/hash.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run } from '../run.ts'
import { wordsOf } from '../text.ts'

/** A text as it is compared: in one spelling, and sentence by sentence. */
export type Reading = { plain: string; sentences: { text: string; words: Set<string> }[] }

// The same items stand in the payload of every hop; each text is read once a run.
const readings = oncePerRun(() => new Map<string, Reading>())

export function readingOf(run: Run, text: string): Reading {
  const known = readings(run)
  let reading = known.get(text)
  if (reading === undefined) {
    reading = makeReading(text)
    known.set(text, reading)
  }
  return reading
}

function makeReading(text: string): Reading {
  let sentences: Reading['sentences'] | undefined
  return {
    plain: normaliseText(text),
    get sentences() {
      sentences ??= sentencesOf(text).map((sentence) => ({ text: sentence, words: wordsOf(sentence) }))
      return sentences
    },
  }
}

function sentencesOf(text: string): string[] {
  const parts = text.split(/(?<=[.!?;。！？])\s*|\n/u).filter((part) => part.trim() !== '')
  // A rule may be several sentences long.
  return parts.length > 1 && text.length <= 400 ? [...parts, text] : parts
}
