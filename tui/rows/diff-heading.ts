import { bytes, plural } from '../../model/counts.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { knownHow } from '../../replay/known-how.ts'
import { receiverOf } from '../../replay/phrase.ts'
import { cells, type Line, textOfLine } from '../lines.ts'
import type { TraceLink } from '../trace-link.ts'
import type { DiffRow } from './diff-row.ts'
import { nameShown } from './name-shown.ts'

/** Cells of an agent's name over a pane, which is half a screen wide. */
const NAME_IN_TITLE = 20

/** Which handoff, who to whom, why, and which one of how many. */
export function handoffHeading(
  { handoff, sent, receipt }: HandoffDiff,
  place: number,
  count: number,
  traceLink: TraceLink,
): Line {
  const trace = sent?.event.trace ?? receipt?.event.trace
  const known = knownHow(sent?.event ?? receipt?.event)
  const attempt = handoff.attempt > 1 ? `  attempt ${handoff.attempt}` : ''
  return [
    { text: ` ${nameShown(handoff.id)}  `, tone: 'strong' },
    { text: `${nameShown(handoff.from ?? '?')} → ${nameShown(receiverOf(handoff))}`, tone: 'agent' },
    { text: `  ${handoff.mode}${attempt}` },
    ...(known === undefined ? [] : [{ text: `  ${known}`, tone: 'faint' as const }]),
    ...(typeof trace?.id === 'string'
      ? [
          { text: '  ' },
          { text: `trace ${trace.id.slice(0, 8)}`, tone: 'agent' as const, link: traceLink(trace) },
        ]
      : []),
    { text: handoff.reason === undefined ? '' : `  "${handoff.reason}"`, tone: 'faint' },
    { text: count > 1 ? `  (${place} of ${count}, { and } go to the others)` : '', tone: 'faint' },
  ]
}

/** Over the sender's side: what it is that stands there. */
export function senderTitle({ handoff, sent, settledLeftOut }: HandoffDiff, tab: string): string {
  const sender = nameShown(handoff.from ?? 'sender', NAME_IN_TITLE)
  if (sent === undefined) return `${sender}: the log holds no sending`
  const more = settledLeftOut > 0 ? ` (${settledLeftOut} settled before, left out)` : ''
  return `${sender} — ${tab === 'operations' ? `operations log${more}` : tab}`
}

/** Over the receiver's side: how much it got, and of how much. */
export function receiverTitle({ sizes, receipt, handoff }: HandoffDiff): string {
  const receiver = nameShown(receiverOf(handoff), NAME_IN_TITLE)
  if (receipt === undefined) return `${receiver}: nobody received it`
  if (sizes.items === undefined) return `${receiver} — what its model got`
  const was =
    sizes.itemsBefore === undefined
      ? ''
      : ` (was ${bytes(sizes.itemsBefore.bytes)}, ${sizes.itemsBefore.count})`
  return `${receiver} got ${bytes(sizes.items.bytes)}, ${plural(sizes.items.count, 'item')}${was}`
}

/**
 * The tabs, the open one in brackets, each with the number of its rows that crossed badly. Where they have no room, those
 * before the open one make room for it.
 */
export function tabBar<T extends string>(
  tabs: readonly T[],
  open: T,
  rowsOf: (tab: T) => readonly DiffRow[],
  width: number,
): Line {
  const parts = tabs.map((tab): Line => {
    const bad = rowsOf(tab).filter(({ mark }) => mark === '✗').length
    return [
      { text: tab === open ? `[${tab}]` : ` ${tab} `, tone: tab === open ? 'selected' : undefined },
      { text: bad === 0 ? ' ' : `✗${bad} `, tone: 'error' },
    ]
  })
  const end = tabs.indexOf(open) + 1
  const before: Line = [{ text: '… ', tone: 'faint' }]
  for (let from = 0; ; from++) {
    const shown = [...(from === 0 ? [] : before), ...parts.slice(from, end).flat()]
    if (from === end - 1 || cells(textOfLine(shown)) < width) return [...shown, ...parts.slice(end).flat()]
  }
}
