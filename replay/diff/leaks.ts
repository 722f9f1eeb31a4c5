import type { Item } from '../../model/items.ts'
import { isObject, listOf } from '../../model/json.ts'
import { jsonText } from '../../model/json-text.ts'
import type { Operation, Receipt } from '../run.ts'
import { containsValue, type PayloadText } from '../text.ts'
import type { Leak } from './handoff-diff.ts'

// A dropped result is recognised in other words only by a stretch of its own text that is unlikely to recur by chance.
const LINE_FROM = 20
const LINES_AT_MOST = 50

/**
 * What got past a filter: values marked sensitive, in whatever item, in the instructions or in the record, and text of a
 * dropped tool result that survives elsewhere.
 */
export function findLeaks(
  operations: Iterable<Operation>,
  before: readonly Item[] | undefined,
  receipt: Receipt,
  texts: readonly PayloadText[],
): Leak[] {
  return [
    ...sensitiveLeaks(sensitiveValues(operations, before ?? []), receipt, texts),
    ...droppedResults(before ?? [], receipt.items ?? [], texts),
  ]
}

type Sensitive = { value: string; from: string }

/** Values that an operation, or an item of the sender, marks as not to travel on. */
function sensitiveValues(operations: Iterable<Operation>, before: readonly Item[]): Sensitive[] {
  const values: Sensitive[] = []
  for (const operation of operations) {
    for (const value of new Set(operation.sensitive)) values.push({ value, from: operation.op })
  }
  for (const item of before) {
    if (!isObject(item.raw) || item.raw.sensitive === undefined) continue
    const marked = item.raw.sensitive === true ? [item.text] : listOf(item.raw.sensitive)
    for (const value of marked)
      if (typeof value === 'string') values.push({ value, from: item.op ?? item.path })
  }
  return values
}

function sensitiveLeaks(
  values: readonly Sensitive[],
  receipt: Receipt,
  texts: readonly PayloadText[],
): Leak[] {
  if (values.length === 0) return []
  const places = everyPlace(receipt, texts)
  return values.flatMap(({ value, from }) =>
    places
      .filter(({ text }) => containsValue(text, value))
      .map(({ path }) => ({ text: value, from, path, sensitive: true })),
  )
}

/** Every place at the receiver where a value may stand: items, instructions and the record. */
export function everyPlace(receipt: Receipt, texts: readonly PayloadText[]): PayloadText[] {
  return [...texts.map(whole), ...recordTexts(receipt.event.record, 'record')]
}

/** Hosted items keep their output in fields that are no text; a secret there has crossed all the same. */
function whole({ path, text, item }: PayloadText): PayloadText {
  if (item === undefined || item.type === 'message') return { path, text }
  return { path, text: `${text} ${jsonText(item.raw)}` }
}

/** The texts in a record with their paths. With a stack of its own: a record may be nested to any depth. */
function recordTexts(record: unknown, root: string): PayloadText[] {
  const texts: PayloadText[] = []
  const rest = [{ value: record, path: root }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { value, path } = next
    if (typeof value === 'string') texts.push({ path, text: value })
    else if (Array.isArray(value))
      for (const [index, entry] of value.entries()) rest.push({ value: entry, path: `${path}[${index}]` })
    else if (isObject(value))
      for (const [name, entry] of Object.entries(value)) rest.push({ value: entry, path: `${path}.${name}` })
  }
  return texts.reverse()
}

function droppedResults(
  before: readonly Item[],
  after: readonly Item[],
  texts: readonly PayloadText[],
): Leak[] {
  const crossed = new Set(
    after.flatMap((item) => (item.type === 'tool_result' && item.call !== undefined ? [item.call] : [])),
  )
  return before.flatMap((item) => {
    if (item.type !== 'tool_result' || (item.call !== undefined && crossed.has(item.call))) return []
    const stretches = item.text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.length >= LINE_FROM)
      .slice(0, LINES_AT_MOST)
    return stretches.flatMap((text) => {
      const place = texts.find((candidate) => candidate.text.includes(text))
      return place === undefined ? [] : [{ text, from: item.path, path: place.path, sensitive: false }]
    })
  })
}
