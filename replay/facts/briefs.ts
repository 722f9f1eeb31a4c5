import { normaliseText } from '../../model/hash.ts'
import { type Item, textOfContent } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import { originKind } from '../../model/principal.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Handoff, Receipt, Run, Sent } from '../run.ts'
import { similarity } from '../text.ts'
import { Reading } from './readings.ts'

// A brief that shares this much of its words with what arrived is taken for the same, reworded.
const SAME_FROM = 0.4

/** The brief that the sender wrote, as text; undefined if none. A brief may be an object of several texts. */
export function briefOf(sent: Sent | undefined): string | undefined {
  const text = textOfContent(sent?.event.brief).trim()
  return text === '' ? undefined : text
}

/** True if the text (or, for a brief of several fields, most of them) stands in the items, instructions or record. */
export function holdsBrief(brief: string, receipt: Receipt): boolean {
  const places = [
    ...(receipt.items ?? []).map((item) => item.text),
    receipt.instructions ?? '',
    ...textsIn(receipt.record?.raw),
  ]
  const readings = places.map((place) => new Reading(place))
  const holds = (text: string) => {
    const wanted = normaliseText(text)
    return readings.some((place) => place.holds(wanted))
  }
  if (holds(brief)) return true
  const parts = partsOf(brief)
  if (parts.length > 1 && parts.filter(holds).length * 2 >= parts.length) return true
  return places.some((place) => similarity(place, brief) >= SAME_FROM && !hasOtherFigures(place, brief))
}

/** True if both name figures and none is the same: words about offers 5 and 7 are no brief for 55 and 78. */
function hasOtherFigures(text: string, brief: string): boolean {
  const wanted = figuresIn(brief)
  const found = figuresIn(text)
  return wanted.length > 0 && found.length > 0 && !wanted.some((figure) => found.includes(figure))
}

/** With and without what separates thousands, cents and minutes. */
function figuresIn(text: string): string[] {
  const figures = text.match(/\p{N}+(?:[.,:]\p{N}+)*/gu) ?? []
  return figures.flatMap((figure) => [figure.replace(/[.,:]/gu, ''), ...figure.split(/[.,:]/u)])
}

/** True if some helper of the run was asked in these words. */
export function isKnownBrief(run: Run, text: string): boolean {
  return briefsOf(run).has(normaliseText(text))
}

const briefsOf = oncePerRun((run) => {
  const delegated = run.handoffs.filter(({ mode }) => mode === 'delegate')
  return new Set(
    delegated.flatMap(({ from, sent, receipts }) => [
      normaliseText(textOfContent(sent?.event.brief)),
      ...receipts.flatMap(({ items }) =>
        (items ?? []).flatMap(({ role, author, text }) =>
          role === 'user' && (author === undefined || author === from) ? [normaliseText(text)] : [],
        ),
      ),
    ]),
  )
})

/** The texts in a brief that is JSON, or its lines. */
function partsOf(brief: string): string[] {
  if (!brief.startsWith('{')) return brief.split('\n').filter((line) => line.trim() !== '')
  try {
    return textsIn(JSON.parse(brief))
  } catch {
    return [brief]
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

/** What the record says of the task in its own words. */
export function recordStatesTask({ record }: Receipt): boolean {
  return ['task', 'intent'].some((field) => textOf(record?.raw[field]) !== undefined)
}

/**
 * Items that were written for the receiver: new to it, by the sender (or by nobody named), and more than a notice of the
 * framework's.
 */
export function writtenForReceiver(handoff: Handoff, receipt: Receipt): Item[] {
  const before = new Set(
    (handoff.sent?.items ?? []).flatMap((item) =>
      item.id === undefined ? [item.text] : [item.id, item.text],
    ),
  )
  return (receipt.items ?? []).filter((item) => {
    if (item.text.trim() === '' || (item.id !== undefined && before.has(item.id)) || before.has(item.text))
      return false
    if (item.type === 'tool_call' || item.type === 'tool_result' || item.type === 'reasoning') return false
    const kind = item.origin?.kind === undefined ? undefined : originKind(item.origin.kind)
    return kind === undefined || kind === 'agent' || kind === 'human'
  })
}
