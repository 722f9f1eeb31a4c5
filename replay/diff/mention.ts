import { argumentValues } from '../argument-values.ts'
import { Remembered } from '../remembered.ts'
import type { Operation } from '../run.ts'
import { containsValue, type PayloadText, wordsOf } from '../text.ts'

/*
 * Narration that a call went out ("Reserving forty now") names neither the tool nor the key. It is found by the stem of a
 * word in the tool's name, or by an argument value that does not stand in ordinary text. This is a guess: the matched
 * sentence is shown with it, and no check concludes from a mention that a key crossed.
 */

/** What narrates the call, and the sentence. */
export type Mention = { text: PayloadText; matched: string }

/**
 * Looks for narration by an agent, or in a brief; what the user asked for is a wish, not an account of a call. The act (the
 * first word of the tool's name) says more than its object, and that more than an argument value. `wished` holds the words of
 * the user: a brief that only repeats them gives no account of a call.
 */
export function findMention(
  operation: Operation,
  texts: readonly PayloadText[],
  wished: ReadonlySet<string>,
): Mention | undefined {
  const [act, ...objects] = toolStems(operation.tool)
  const values = argumentValues(operation.args).filter(isDistinctive)
  const weigh = ({ text: sentence, words }: Sentence, brief: boolean): number => {
    const names = (stem: string) =>
      words.some((word) => word.startsWith(stem) && !(brief && wished.has(word)))
    if (act !== undefined && names(act)) return 3
    if (objects.some(names)) return 2
    return !brief && values.some((value) => containsValue(sentence, value)) ? 1 : 0
  }
  let best: Mention | undefined
  let bestWeight = 0
  for (const text of texts) {
    if (text.item === undefined || !narrates(text)) continue
    for (const sentence of sentencesOf(text)) {
      const weight = weigh(sentence, text.item.role === 'user')
      if (weight > bestWeight) {
        best = { text, matched: sentence.text.trim() }
        bestWeight = weight
      }
    }
  }
  return best
}

function narrates({ item }: PayloadText): boolean {
  if (item === undefined) return false
  if (item.type === 'summary' || item.type === 'note') return true
  if (item.type !== 'message' || item.role === 'system' || item.role === 'developer') return false
  return item.role !== 'user' || isBrief(item.text)
}

/** A brief stands in the user's role but gives an account in the first person of an agent or in labelled lines. */
function isBrief(text: string): boolean {
  return /(^|\n)\s*(context|task|background|summary|status|done|so far)\s*:/iu.test(text)
}

/** Word stems of a tool's name: `reserve_stock` gives `reserv` and `stock`, `sendInvoice` gives `send` and `invoic`. */
export function toolStems(tool: string): string[] {
  return tool
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= 4)
    .map((word) => (word.length > 5 ? word.slice(0, word.length - 1) : word.replace(/e$/u, '')))
}

/** Long enough, or with a digit among other characters: `A-7` and `acc-3` stand out, `40` and `yes` do not. */
function isDistinctive(value: string): boolean {
  return value.length >= 6 || (value.length >= 3 && /\p{N}/u.test(value) && /[^\p{N}.,]/u.test(value))
}

type Sentence = { text: string; words: string[] }

const sentencesOfPlaces = new Remembered<PayloadText, Sentence[]>()

/** The sentences of a place with their words, taken apart once however many operations are looked for. */
function sentencesOf(place: PayloadText): Sentence[] {
  let sentences = sentencesOfPlaces.get(place)
  if (sentences === undefined) {
    sentences = place.text
      .split(/(?<=[.!?。！？])\s+|\n/u)
      .filter((text) => text.trim() !== '')
      .map((text) => ({ text, words: [...wordsOf(text)] }))
    sentencesOfPlaces.set(place, sentences)
  }
  return sentences
}
