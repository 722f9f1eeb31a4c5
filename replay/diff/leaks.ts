import type { Item } from '../../model/items.ts'
import type { Operation } from '../run.ts'
import { containsValue, type PayloadText } from '../text.ts'
import type { Leak } from './handoff-diff.ts'

// A dropped result is recognised in other words only by a stretch of its own text that is unlikely to recur by chance.
const LINE_FROM = 20
const LINES_AT_MOST = 50

/**
 * What got past a filter: values marked sensitive, in whatever item or in the instructions, and text of a dropped tool
 * result that survives elsewhere.
 */
export function findLeaks(
  operations: Iterable<Operation>,
  before: readonly Item[] | undefined,
  after: readonly Item[],
  texts: readonly PayloadText[],
): Leak[] {
  return [...sensitiveLeaks(operations, texts), ...droppedResults(before ?? [], after, texts)]
}

function sensitiveLeaks(operations: Iterable<Operation>, texts: readonly PayloadText[]): Leak[] {
  const leaks: Leak[] = []
  for (const operation of operations) {
    for (const value of new Set(operation.sensitive)) {
      for (const place of texts) {
        if (containsValue(place.text, value))
          leaks.push({ text: value, from: operation.op, path: place.path, sensitive: true })
      }
    }
  }
  return leaks
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
