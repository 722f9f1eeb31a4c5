import { grouped } from '../../model/counts.ts'
import { escapeText } from '../../model/escape.ts'
import type { Analysis } from '../../replay/analyse.ts'
import type { HandoffComparison, RunComparison } from '../../replay/compare.ts'
import { describeItem } from '../../replay/describe.ts'
import type { HandoffDiff, ItemFate } from '../../replay/diff/handoff-diff.ts'
import { comparisonVerdict, fateBetween } from '../../report/comparison-words.ts'
import { colour } from './colours.ts'
import { layTable } from './columns.ts'
import { cut } from './diff-text.ts'

/** Two runs or handoffs side by side: for each pair what both had to give, what crossed, and where that differs. */
export function comparisonText(
  a: Analysis,
  b: Analysis,
  { handoffs, onlyA, onlyB }: RunComparison,
): string[] {
  const lone = (name: string, diffs: readonly HandoffDiff[]) =>
    diffs.map((diff) => escapeText(`only in ${name}: ${titleOf(diff)}`))
  return [
    escapeText(`a: run ${a.run.id}`),
    escapeText(`b: run ${b.run.id}`),
    ...handoffs.flatMap(handoffLines),
    ...lone('a', onlyA),
    ...lone('b', onlyB),
    ...(handoffs.length + onlyA.length + onlyB.length === 0 ? ['Neither holds a handoff.'] : []),
  ]
}

function handoffLines(comparison: HandoffComparison): string[] {
  const { a, b, pairs, items } = comparison
  const { text, bad } = comparisonVerdict(comparison)
  const sizes = (of: (diff: HandoffDiff) => number | undefined) =>
    [a, b].map((diff) => {
      const size = of(diff)
      return size === undefined ? '–' : grouped(size)
    })
  const rows = [
    ...pairs.map(({ subject, before, after }) => [subject, before, after]),
    ['bytes of items', ...sizes(({ sizes: measured }) => measured.items?.bytes)],
    ['bytes of the record', ...sizes(({ sizes: measured }) => measured.record?.bytes)],
  ]
  return [
    '',
    colour.strong(escapeText(`${titleOf(a)}  |  ${titleOf(b)}`)),
    bad ? colour.error(text) : text,
    ...layTable(
      ['', 'a', 'b'],
      rows.map((row) => row.map(escapeText)),
    ),
    ...items.map((fate) => `  ${itemLine(fate)}`),
  ]
}

function titleOf({ handoff: { id, attempt, from, to } }: HandoffDiff): string {
  return `${id}${attempt > 1 ? ` (attempt ${attempt})` : ''} ${from ?? '?'} → ${to ?? '?'}`
}

function itemLine(fate: ItemFate): string {
  const { before, after, changes } = fate
  const changed = changes.length === 0 ? '' : ` (${changes.join(', ')})`
  const item = (after ?? before)!
  return escapeText(`${fateBetween(fate)}${changed}  ${item.path}  ${cut(describeItem(item.raw), 90)}`)
}
