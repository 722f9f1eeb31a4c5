import { bytes } from '../../model/counts.ts'
import type { Item } from '../../model/items.ts'
import { bytesOf } from '../../model/sizes.ts'
import type { HandoffDiff, ItemFate } from '../../replay/diff/handoff-diff.ts'
import type { DiffRow, Mark } from './diff-row.ts'

/** Each item of either side and what became of it; then what survived of items that did not cross. */
export function itemRows({ items: { judged, fates, leaks } }: HandoffDiff): DiffRow[] {
  if (!judged) return []
  return [
    ...fates.map(fateRow),
    ...leaks.map(
      ({ text, from, path, sensitive }): DiffRow => ({
        id: `leak ${path} ${from}`,
        subject: path,
        left: [`${sensitive ? 'sensitive value' : 'dropped result'} of ${from}`],
        mark: '✗',
        verdict: 'leaked',
        right: [`${path} holds "${text.slice(0, 200)}"`],
        rests: [path],
        detail: [{ text: `${path} holds "${text.slice(0, 400)}" of ${from}`, tone: 'error' }],
        value: { text, from, path, sensitive },
      }),
    ),
  ]
}

function fateRow({ fate, before, after, reordered, orphaned, changes }: ItemFate, index: number): DiffRow {
  const notes = [
    ...(orphaned === undefined ? [] : [`${after?.path ?? 'it'} is ${orphaned}`]),
    ...(reordered ? ['its order changed'] : []),
    ...(changes.length === 0 ? [] : [`changed: ${changes.join(', ')}`]),
  ]
  const item = after ?? before
  return {
    id: `${index}`,
    subject: item?.id ?? item?.path ?? '',
    left: [before === undefined ? '' : itemLine(before)],
    mark: fateMark({ fate, orphaned }),
    verdict: fate,
    right: [after === undefined ? '' : itemLine(after)],
    rests: after === undefined ? [] : [after.path],
    detail: [
      { text: `${item?.path ?? ''} ${item?.type ?? ''}, ${bytes(bytesOf(item?.raw))}: ${fate}` },
      ...notes.map((text) => ({ text, tone: 'warning' as const })),
    ],
    value: item?.raw,
    change: fate === 'changed' ? { before: before?.raw, after: after?.raw } : undefined,
  }
}

/** The sign of what became of an item. */
export function fateMark({ fate, orphaned }: Pick<ItemFate, 'fate' | 'orphaned'>): Mark {
  return orphaned === undefined ? MARKS[fate] : '✗'
}

const MARKS: Record<ItemFate['fate'], Mark> = {
  kept: '·',
  changed: '~',
  dropped: '-',
  added: '+',
  duplicated: '!',
  folded: '-',
}

/** `3 assistant tool_call reserve_stock {"sku":"A-7"}`: where it stands, who speaks, what it is. */
export function itemLine(item: Item): string {
  const kind = item.type === 'message' ? '' : item.type
  const args = item.args === undefined ? '' : JSON.stringify(item.args).slice(0, 400)
  const words = [
    String(item.position),
    item.author ?? item.role,
    kind,
    item.tool,
    args,
    item.text.slice(0, 400),
  ]
  return words.filter((word) => word !== undefined && word !== '').join(' ')
}
