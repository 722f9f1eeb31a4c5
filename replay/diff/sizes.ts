import { isObject } from '../../model/json.ts'
import { jsonText } from '../../model/json-text.ts'
import type { TokenCounter } from '../../model/tokens.ts'
import { recordText } from '../facts/record-text.ts'
import type { Receipt, Sent } from '../run.ts'
import type { Sizes } from './handoff-diff.ts'

/** Sizes of both sides, in bytes of the verbatim compact JSON and in tokens of the same text. */
export function diffSizes(
  sent: Sent | undefined,
  receipt: Receipt | undefined,
  counter: TokenCounter,
): Sizes {
  const measure = (text: string) => {
    const bytes = byteLength(text)
    return { bytes, tokens: counter.ofBytes?.(bytes) ?? counter.count(text) }
  }
  const value = (captured: unknown) =>
    captured === undefined ? undefined : measure(jsonText(captured) ?? '')
  const list = (items: readonly Measured[] | undefined) => {
    if (items === undefined) return undefined
    // The list as compact JSON, with its brackets and commas.
    const bytes = items.reduce((sum, item) => sum + item.bytes + 1, items.length === 0 ? 2 : 1)
    const whole = () => `[${items.map(({ text }) => text).join(',')}]`
    return { bytes, tokens: counter.ofBytes?.(bytes) ?? counter.count(whole()), count: items.length }
  }
  const record: unknown = receipt?.event.record
  const received = receipt?.event.items?.map(measured)
  return {
    itemsBefore: list(sent?.event.items_before?.map(measured)),
    items: list(received),
    record: isObject(record) ? measure(recordText({ raw: record })) : value(record),
    instructions: value(receipt?.event.instructions),
    tokenMethod: counter.method,
    statedTokens: { sent: sent?.event.tokens, received: receipt?.event.tokens },
    largest: largest(receipt, received ?? []),
  }
}

type Measured = { text: string; bytes: number }

/** One item as it stands in the compact JSON of its list. */
function measured(item: unknown): Measured {
  const text = jsonText(item) ?? 'null'
  return { text, bytes: byteLength(text) }
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
