import { isObject } from '../../model/json.ts'
import { jsonText } from '../../model/json-text.ts'
import { isShaped, isShapeOfStructure, sizeBeforeShape } from '../../model/shape.ts'
import { estimateByBytes, type TokenCounter } from '../../model/tokens.ts'
import { recordText } from '../facts/record-text.ts'
import type { Receipt, Sent } from '../run.ts'
import type { Sizes } from './handoff-diff.ts'

/**
 * Sizes of both sides, in bytes of the verbatim compact JSON and in tokens of the same text, which are counted when they are
 * asked for: that takes longer than all else, and most checks do without. What the log has by its size only
 * (`content: shape`) measures what it did before, and its tokens are estimated.
 */
export function diffSizes(sent: Sent | undefined, receipt: Receipt | undefined, exact: TokenCounter): Sizes {
  const counter = [sent, receipt].some((side) => side !== undefined && isShaped(side.event))
    ? estimateByBytes
    : exact
  const value = (side: Sent | Receipt | undefined, field: string, textOf = jsonText) => {
    const captured = side?.event[field]
    if (side === undefined || captured === undefined) return undefined
    const text = () => textOf(captured) ?? ''
    return sizeOf(sizeBeforeShape(side.event, field)?.bytes ?? byteLength(text()), text, counter)
  }
  const list = (side: Sent | Receipt | undefined, field: string, bytes: readonly number[] | undefined) => {
    if (side === undefined || bytes === undefined) return undefined
    const before = sizeBeforeShape(side.event, field)
    const text = () => jsonText(side.event[field]) ?? ''
    const size = sizeOf(before?.bytes ?? bytesOfList(bytes), text, counter)
    return Object.assign(size, { count: before?.count ?? bytes.length })
  }
  const received = receipt?.event.items?.map(bytesOfItem)
  return {
    itemsBefore: list(sent, 'items_before', sent?.event.items_before?.map(bytesOfItem)),
    items: list(receipt, 'items', received),
    record: value(receipt, 'record', (record) =>
      isObject(record) ? recordText({ raw: record }) : jsonText(record),
    ),
    instructions: value(receipt, 'instructions'),
    tokenMethod: counter.method,
    statedTokens: { sent: sent?.event.tokens, received: receipt?.event.tokens },
    largest: largest(receipt, received ?? []),
  }
}

/** `text` is what is counted, if it comes to that. */
function sizeOf(bytes: number, text: () => string, counter: TokenCounter): { bytes: number; tokens: number } {
  let counted: number | undefined
  return {
    bytes,
    get tokens() {
      counted ??= counter.ofBytes?.(bytes) ?? counter.count(text())
      return counted
    },
  }
}

/** One item as it stands in the compact JSON of its list. */
function bytesOfItem(item: unknown): number {
  return isShapeOfStructure(item) ? (item as { bytes: number }).bytes : byteLength(jsonText(item) ?? 'null')
}

/** The list as compact JSON, with its brackets and commas. */
function bytesOfList(items: readonly number[]): number {
  return items.reduce((sum, bytes) => sum + bytes + 1, items.length === 0 ? 2 : 1)
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

function largest(receipt: Receipt | undefined, items: readonly number[]): Sizes['largest'] {
  // Of a message in several parts the first tells what it is.
  const types = new Map((receipt?.items ?? []).map((item) => [item.position, item.type] as const).reverse())
  return items
    .map((bytes, index) => ({ index, bytes }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 5)
    .map(({ index, bytes }) => ({ path: `items[${index}]`, type: types.get(index) ?? 'unknown', bytes }))
}
