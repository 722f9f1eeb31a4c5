import type { HandoffComparison } from '../../replay/compare.ts'
import type { HandoffDiff, ItemFate } from '../../replay/diff/handoff-diff.ts'
import { fateBetween } from '../../report/comparison-words.ts'
import type { DiffRow } from './diff-row.ts'
import { fateMark, itemLine } from './item-rows.ts'
import { sizeText } from './size-rows.ts'

/** Where two handoffs differ: how things crossed, how large the payloads are, and which items only one of them has. */
export function compareRows({ a, b, pairs, items }: HandoffComparison): DiffRow[] {
  return [
    ...pairs.map(
      ({ subject, before, after }): DiffRow => ({
        ...row(subject, `${subject}  ${before}`, after, before === after ? '' : 'differs'),
        mark: before === after ? '·' : '!',
        detail: [{ text: `${subject}: ${before} in a, ${after} in b` }],
        value: { subject, a: before, b: after },
      }),
    ),
    ...sizes(a, b),
    ...items.map(itemRow),
  ]
}

function row(id: string, left: string, right: string, verdict: string): DiffRow {
  return {
    id,
    subject: id,
    left: [left],
    mark: '·',
    verdict,
    right: [right],
    rests: [],
    detail: [],
    value: undefined,
  }
}

function sizes(a: HandoffDiff, b: HandoffDiff): DiffRow[] {
  const parts = ['items', 'record', 'instructions'] as const
  return parts.map((part) => {
    const [left, right] = [a.sizes[part], b.sizes[part]]
    const differs = left?.bytes !== right?.bytes
    return {
      ...row(`size of ${part}`, `${part}  ${sizeText(left)}`, sizeText(right), differs ? 'differs' : 'same'),
      mark: differs ? '!' : '·',
      detail: [{ text: 'what the receiver got, as compact JSON' }],
      value: { a: left, b: right },
    }
  })
}

function itemRow(fate: ItemFate): DiffRow {
  const { before, after, changes, reordered } = fate
  const item = after ?? before
  const notes = [
    ...(reordered ? ['its order changed'] : []),
    ...(changes.length === 0 ? [] : [`changed: ${changes.join(', ')}`]),
  ]
  return {
    ...row(
      item?.path ?? '',
      before === undefined ? '' : itemLine(before),
      after === undefined ? '' : itemLine(after),
      fateBetween(fate),
    ),
    mark: fateMark(fate),
    detail: [
      { text: `${item?.path ?? ''} ${item?.type ?? ''}: ${fateBetween(fate)}` },
      ...notes.map((text) => ({ text, tone: 'warning' as const })),
    ],
    value: item?.raw,
    change: fate.fate === 'changed' ? { before: before?.raw, after: after?.raw } : undefined,
  }
}
