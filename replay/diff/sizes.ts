import { bytesOf } from '../../model/sizes.ts'
import type { TokenCounter } from '../../model/tokens.ts'
import type { Receipt, Sent } from '../run.ts'
import type { Sizes } from './handoff-diff.ts'

/** Sizes of both sides, in bytes of the verbatim compact JSON and in tokens of the same text. */
export function diffSizes(
  sent: Sent | undefined,
  receipt: Receipt | undefined,
  counter: TokenCounter,
): Sizes {
  const measure = (value: unknown) => ({
    bytes: bytesOf(value),
    tokens: counter.count(JSON.stringify(value) ?? ''),
  })
  const list = (value: unknown[] | undefined) =>
    value === undefined ? undefined : { ...measure(value), count: value.length }
  const record = receipt?.event.record
  return {
    itemsBefore: list(sent?.event.items_before),
    items: list(receipt?.event.items),
    record: record === undefined ? undefined : measure(record),
    instructions: receipt?.event.instructions === undefined ? undefined : measure(receipt.event.instructions),
    tokenMethod: counter.method,
    statedTokens: { sent: sent?.event.tokens, received: receipt?.event.tokens },
    largest: largest(receipt),
  }
}

function largest(receipt: Receipt | undefined): Sizes['largest'] {
  const types = new Map((receipt?.items ?? []).map((item) => [item.position, item.type]))
  return (receipt?.event.items ?? [])
    .map((item, index) => ({
      path: `items[${index}]`,
      type: types.get(index) ?? 'unknown',
      bytes: bytesOf(item),
    }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 5)
}
