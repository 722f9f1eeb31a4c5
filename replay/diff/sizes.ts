import { isObject } from '../../model/json.ts'
import { jsonText } from '../../model/json-text.ts'
import { isShaped, isShapeOfStructure, sizeBeforeShape } from '../../model/shape.ts'
import { estimateByBytes, type TokenCounter } from '../../model/tokens.ts'
import { recordText } from '../facts/record-text.ts'
import type { Receipt, Sent } from '../run.ts'
import type { Sizes } from './handoff-diff.ts'

/**
 * Sizes of both sides, in bytes of the verbatim compact JSON and in tokens of the same text. What the log has by its size
 * only (`content: shape`) measures what it did before, and its tokens are estimated.
 */
export function diffSizes(sent: Sent | undefined, receipt: Receipt | undefined, exact: TokenCounter): Sizes {
  const counter = [sent, receipt].some((side) => side !== undefined && isShaped(side.event))
    ? estimateByBytes
    : exact
  const sized = (bytes: number, text: () => string) => ({
    bytes,
    tokens: counter.ofBytes?.(bytes) ?? counter.count(text()),
  })
  const value = (side: Sent | Receipt | undefined, field: string, textOf = jsonText) => {
    const captured = side?.event[field]
    if (side === undefined || captured === undefined) return undefined
    const before = sizeBeforeShape(side.event, field)
    const text = () => textOf(captured) ?? ''
    return sized(before?.bytes ?? byteLength(text()), text)
  }
  const list = (side: Sent | Receipt | undefined, field: string, items: readonly Measured[] | undefined) => {
    if (side === undefined || items === undefined) return undefined
    const { bytes, count = items.length } = sizeBeforeShape(side.event, field) ?? {
      bytes: bytesOfList(items),
    }
    return { ...sized(bytes, () => `[${items.map(({ text }) => text).join(',')}]`), count }
  }
  const received = receipt?.event.items?.map(measured)
  return {
    itemsBefore: list(sent, 'items_before', sent?.event.items_before?.map(measured)),
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

type Measured = { text: string; bytes: number }

/** One item as it stands in the compact JSON of its list. */
function measured(item: unknown): Measured {
  const text = jsonText(item) ?? 'null'
  return { text, bytes: isShapeOfStructure(item) ? (item as { bytes: number }).bytes : byteLength(text) }
}

/** The list as compact JSON, with its brackets and commas. */
function bytesOfList(items: readonly Measured[]): number {
  return items.reduce((sum, item) => sum + item.bytes + 1, items.length === 0 ? 2 : 1)
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

function largest(receipt: Receipt | undefined, items: readonly Measured[]): Sizes['largest'] {
  // Of a message in several parts the first tells what it is.
  const types = new Map((receipt?.items ?? []).map((item) => [item.position, item.type] as const).reverse())
  return items
    .map(({ bytes }, index) => ({ index, bytes }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 5)
    .map(({ index, bytes }) => ({ path: `items[${index}]`, type: types.get(index) ?? 'unknown', bytes }))
}
