import { type Item, readItems } from '../../model/items.ts'
import { textOf } from '../../model/json.ts'
import { isPlumbing } from '../facts/plumbing.ts'
import { readableText } from '../text.ts'
import type { FilterInput, FilterOutput } from './filter.ts'

/** Built-in ways to hand over, as filters. They work on any form of items; a kept item stays verbatim. */
export const STYLES = {
  /** Everything, as the sender had it. */
  full: ({ items }) => items,
  /** What the sender's model said last, and what came after it. */
  'last-pair': ({ items }) => keep(items, (item, all) => item.position >= lastAnswer(all)),
  /** Without calls, results and whatever else tools leave in a conversation. */
  'no-tools': ({ items }) => keep(items, (item) => !isPlumbing(item) && item.type !== 'reasoning'),
  /** One message: the reason of the handoff and the last request of the user. */
  brief: ({ items, context: { reason } }) => [briefOf(readItems(items), reason)],
  /** One message that retells the whole conversation as text. */
  nested: ({ items }) => [nestedIn(readItems(items))],
  /** What the user said, and the record that the operations log gives. */
  record: ({ items, context: { known } }) => ({
    items: keep(items, ({ role, type }) => role === 'user' && type === 'message'),
    record: known,
  }),
} satisfies Record<string, (input: FilterInput) => FilterOutput>

/** The name of a built-in style. */
export type StyleName = keyof typeof STYLES

/** The verbatim items of which a part fits. A message that also holds calls stays whole only if none is to go. */
function keep(items: readonly unknown[], fits: (item: Item, all: readonly Item[]) => boolean): unknown[] {
  const all = readItems(items)
  const unfit = new Set(all.filter((item) => !fits(item, all)).map(({ position }) => position))
  return items.filter((_, position) => !unfit.has(position))
}

function lastAnswer(items: readonly Item[]): number {
  return items.findLast(({ type, role }) => type === 'message' && role === 'assistant')?.position ?? 0
}

function briefOf(items: readonly Item[], reason: string | undefined): unknown {
  const asked = items.findLast(({ type, role }) => type === 'message' && role === 'user')?.text
  const parts = [textOf(reason), asked && `The user asked: ${asked}`].filter((part) => part)
  return { type: 'message', role: 'user', content: parts.join('\n') }
}

function nestedIn(items: readonly Item[]): unknown {
  const lines = items.map((item, index) => {
    const tool = item.tool === undefined ? '' : ` ${item.tool}`
    return `${index + 1}. ${item.author ?? item.role ?? item.type}${tool}: ${readableText(item)}`
  })
  return { type: 'message', role: 'assistant', content: `The conversation so far:\n${lines.join('\n')}` }
}
