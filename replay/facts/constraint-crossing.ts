import { canonicalJson } from '../../model/hash.ts'
import { isObject, listOf, textOf } from '../../model/json.ts'
import type { RecordConstraint } from '../../model/record.ts'
import type { ConstraintDegree } from '../diff/handoff-diff.ts'
import { Remembered } from '../remembered.ts'
import type { Constraint, Receipt, Run } from '../run.ts'
import { payloadTexts, wordsOf } from '../text.ts'
import { readingOf } from './readings.ts'

// Below this share of common words two sentences are not taken for one rule in other words.
const REWORDED_FROM = 0.5
// A longer sentence that holds nearly all words of a rule is the rule with something around it.
const HELD_FROM = 0.85
const HELD_WORDS = 4

/** How a rule stands in a payload, and where. */
export type ConstraintFound = {
  degree: ConstraintDegree
  similarity?: number
  received?: { text?: string | undefined; path: string }
}

const found = new Remembered<Receipt, Map<string, ConstraintFound>>()

/** Looks for a rule in the record, among the items, and in the words. */
export function findConstraint(run: Run, constraint: Constraint, receipt: Receipt): ConstraintFound {
  const known = found.get(receipt) ?? new Map<string, ConstraintFound>()
  found.set(receipt, known)
  const name = `${constraint.id}\u0000${constraint.hash}`
  let result = known.get(name)
  if (result === undefined) {
    result = inRecord(run, constraint, receipt) ??
      inItem(run, constraint, receipt) ??
      inWords(run, constraint, receipt) ?? { degree: 'absent' }
    known.set(name, result)
  }
  return result
}

function inRecord(run: Run, constraint: Constraint, receipt: Receipt): ConstraintFound | undefined {
  const entries = receipt.record?.constraints ?? []
  const same = entries.find((entry) => isSame(run, entry, constraint))
  if (same !== undefined) return { degree: 'same', received: { text: same.text, path: same.path } }
  const byId = entries.find((entry) => entry.id === constraint.id)
  if (byId !== undefined) {
    const received = { text: byId.text, path: byId.path }
    return { degree: 'reworded', similarity: shareOf(run, byId.text ?? '', constraint), received }
  }
  return closest(
    run,
    constraint,
    entries.map((entry) => ({ text: entry.text ?? '', path: entry.path })),
  )
}

function isSame(run: Run, entry: RecordConstraint, constraint: Constraint): boolean {
  const { hash, text, id, check } = constraint
  if (entry.hash === hash || entry.text === id) return true
  if (entry.text !== undefined && text !== '')
    return readingOf(run, entry.text).bare === readingOf(run, text).bare
  if (entry.id !== undefined) return entry.id === id && entry.text === undefined
  return check !== undefined && canonicalJson(entry.check ?? null) === canonicalJson(check)
}

/** An item made for the rule, which names it; or the message in which it was said. */
function inItem(run: Run, constraint: Constraint, receipt: Receipt): ConstraintFound | undefined {
  const { event } = constraint.versions[0]!.value
  const source = textOf(event.message) ?? textOf(event.source) ?? textOf(event.item)
  const item = receipt.items?.find(({ id, type, raw }) => {
    if (id !== undefined && id === source) return true
    if (!isObject(raw)) return false
    if (raw.constraint === constraint.id || listOf(raw.constraints).includes(constraint.id)) return true
    return type === 'constraint' && raw.id === constraint.id
  })
  if (item === undefined) return undefined
  const received = { text: item.text, path: item.path }
  const wanted = readingOf(run, constraint.text).bare
  const verbatim = readingOf(run, item.text).holds(wanted)
  if (item.text === '' || verbatim || item.id === source) return { degree: 'same', received }
  return { degree: 'reworded', similarity: shareOf(run, item.text, constraint), received }
}

function inWords(run: Run, constraint: Constraint, receipt: Receipt): ConstraintFound | undefined {
  const wanted = readingOf(run, constraint.text).bare
  if (wanted === '') return undefined
  const texts = payloadTexts(receipt)
  const verbatim = texts.find(({ text }) => readingOf(run, text).holds(wanted))
  if (verbatim !== undefined)
    return { degree: 'in words only', received: { text: verbatim.text, path: verbatim.path } }
  return closest(run, constraint, texts)
}

function closest(
  run: Run,
  constraint: Constraint,
  places: readonly { text: string; path: string }[],
): ConstraintFound | undefined {
  const wanted = wordsOf(constraint.text)
  let best: ConstraintFound | undefined
  for (const { text, path } of places) {
    for (const sentence of readingOf(run, text).sentences) {
      const share = overlap(sentence.words, wanted)
      const jaccard = share / (sentence.words.size + wanted.size - share)
      const held = wanted.size >= HELD_WORDS && share / wanted.size >= HELD_FROM
      if ((jaccard >= REWORDED_FROM || held) && jaccard > (best?.similarity ?? 0)) {
        best = { degree: 'reworded', similarity: jaccard, received: { text: sentence.text, path } }
      }
    }
  }
  return best
}

function shareOf(run: Run, text: string, constraint: Constraint): number {
  const wanted = wordsOf(constraint.text)
  const shares = readingOf(run, text).sentences.map(({ words }) => {
    const share = overlap(words, wanted)
    return share / (words.size + wanted.size - share || 1)
  })
  return Math.max(0, ...shares)
}

function overlap(words: ReadonlySet<string>, wanted: ReadonlySet<string>): number {
  let share = 0
  for (const word of wanted) if (words.has(word)) share++
  return share
}
