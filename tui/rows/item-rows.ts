import { bytes } from '../../model/counts.ts'
import type { Item } from '../../model/items.ts'
import { bytesOf } from '../../model/sizes.ts'
import type { HandoffDiff, ItemFate, Leak } from '../../replay/diff/handoff-diff.ts'
import type { Finding } from '../../replay/finding.ts'
import type { DiffRow, Mark } from './diff-row.ts'

/**
 * Each item of either side and what became of it; then what survived of items that did not cross, and what the user said that
 * was no item. To be dropped or changed is no fault by itself: an item crossed badly if one of `findings`, those of this
 * handoff about items, is an error about it.
 */
export function itemRows(
  { items: { judged, fates, leaks } }: HandoffDiff,
  findings: readonly Finding[],
): DiffRow[] {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const isBad = ({ subject: id }: DiffRow) => errors.some(({ subject }) => subject.id === id)
  const rows = judged ? [...fates.map(fateRow), ...leaks.map(leakRow)] : []
  const known = new Set(rows.map(({ subject }) => subject))
  return [
    ...rows.map((row) => (isBad(row) ? { ...row, mark: BAD } : row)),
    ...errors.filter(({ subject }) => subject.kind === 'message' && !known.has(subject.id)).map(unheardRow),
  ]
}

const BAD: Mark = '✗'

function leakRow({ text, from, path, sensitive }: Leak): DiffRow {
  return {
    id: `leak ${path} ${from}`,
    subject: path,
    left: [`${sensitive ? 'sensitive value' : 'dropped result'} of ${from}`],
    mark: BAD,
    verdict: 'leaked',
    right: [`${path} holds "${text.slice(0, 200)}"`],
    rests: [path],
    detail: [{ text: `${path} holds "${text.slice(0, 400)}" of ${from}`, tone: 'error' }],
    value: { text, from, path, sensitive },
  }
}

/** A turn of the user that the log holds and the sender's items do not: it is lost all the same. */
function unheardRow({ subject, message, evidence }: Finding): DiffRow {
  const text = evidence[0]?.text ?? ''
  return {
    id: 'words of the user',
    subject: subject.id,
    left: [`user "${text.slice(0, 400)}"`],
    mark: BAD,
    verdict: 'absent',
    right: [''],
    rests: [],
    detail: [{ text: message, tone: 'error' }],
    value: { text },
  }
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
  return orphaned === undefined ? MARKS[fate] : BAD
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
