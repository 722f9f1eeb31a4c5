import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { receiverOf } from '../../replay/phrase.ts'
import type { Line } from '../lines.ts'
import type { DiffRow } from './diff-rows.ts'

/** Which handoff, who to whom, why, and which one of how many. */
export function handoffHeading({ handoff }: HandoffDiff, place: number, count: number): Line {
  const attempt = handoff.attempt > 1 ? `  attempt ${handoff.attempt}` : ''
  return [
    { text: ` ${handoff.id}  `, tone: 'strong' },
    { text: `${handoff.from ?? '?'} → ${receiverOf(handoff)}`, tone: 'agent' },
    { text: `  ${handoff.mode}${attempt}` },
    { text: handoff.reason === undefined ? '' : `  "${handoff.reason}"`, tone: 'faint' },
    { text: count > 1 ? `  (${place} of ${count}, { and } go to the others)` : '', tone: 'faint' },
  ]
}

/** The tabs, the open one in brackets, each with the number of its rows that crossed badly. */
export function tabBar<T extends string>(
  tabs: readonly T[],
  open: T,
  rowsOf: (tab: T) => readonly DiffRow[],
): Line {
  return tabs.flatMap((tab): Line => {
    const bad = rowsOf(tab).filter(({ mark }) => mark === '✗').length
    return [
      { text: tab === open ? `[${tab}]` : ` ${tab} `, tone: tab === open ? 'selected' : undefined },
      { text: bad === 0 ? ' ' : `✗${bad} `, tone: 'error' },
    ]
  })
}
