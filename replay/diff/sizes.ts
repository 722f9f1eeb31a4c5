import { jsonText } from '../../model/json-text.ts'
import type { TokenCounter } from '../../model/tokens.ts'
import type { Receipt, Sent } from '../run.ts'
import type { Sizes } from './handoff-diff.ts'

/** Sizes of both sides, in bytes of the verbatim compact JSON and in tokens of the same text. */
export function diffSizes(
  sent: Sent | undefined,
  receipt: Receipt | undefined,
  counter: TokenCounter,
): Sizes {
  const measure = (text: string) => ({ bytes: byteLength(text), tokens: counter.count(text) })
  const value = (captured: unknown) =>
    captured === undefined ? undefined : measure(jsonText(captured) ?? '')
  const list = (texts: readonly string[] | undefined) =>
    texts === undefined ? undefined : { ...measure(`[${texts.join(',')}]`), count: texts.length }
  const received = receipt?.event.items?.map(itemText)
  return {
    itemsBefore: list(sent?.event.items_before?.map(itemText)),
    items: list(received),
    record: value(receipt?.event.record),
    instructions: value(receipt?.event.instructions),
    tokenMethod: counter.method,
    statedTokens: { sent: sent?.event.tokens, received: receipt?.event.tokens },
    largest: largest(receipt, received ?? []),
  }
}

/** One item as it stands in the compact JSON of its list. */
function itemText(item: unknown): string {
  return jsonText(item) ?? 'null'
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

function largest(receipt: Receipt | undefined, texts: readonly string[]): Sizes['largest'] {
  // Of a message in several parts the first tells what it is.
  const types = new Map((receipt?.items ?? []).map((item) => [item.position, item.type] as const).reverse())
  return texts
    .map((text, index) => ({ index, bytes: byteLength(text) }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 5)
    .map(({ index, bytes }) => ({ path: `items[${index}]`, type: types.get(index) ?? 'unknown', bytes }))
}
