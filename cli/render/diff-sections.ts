import { bytes, plural } from '../../model/counts.ts'
import { escapeText } from '../../model/escape.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { colour } from './colours.ts'

/** Everything beside the operations that crossed badly or is worth a line; what is the same on both sides is counted. */
export function otherSections(diff: HandoffDiff): string[] {
  return [
    ...section('approvals', approvals(diff)),
    ...section('constraints', constraints(diff)),
    ...section('commitments', commitments(diff)),
    ...section('origin', origin(diff)),
    ...section('permissions', permissions(diff)),
    ...section('contract', contract(diff)),
    ...section('items', items(diff)),
    ...section('order', order(diff)),
    ...section('sizes', sizes(diff)),
  ]
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', colour.strong(title), ...lines.map((line) => `  ${escapeText(line)}`)]
}

function approvals(diff: HandoffDiff): string[] {
  return diff.approvals.map(({ approval, version, verdict, received }) => {
    const got = received?.id !== undefined && received.id !== approval.id ? ` (there: ${received.id})` : ''
    return `${mark(verdict === 'same')} ${approval.id}  ${version.action ?? ''}  ${version.state}  ${verdict}${got}`
  })
}

function constraints(diff: HandoffDiff): string[] {
  return diff.constraints.map(({ constraint, degree, similarity, attribution }) => {
    const share = similarity === undefined ? '' : ` (${Math.round(similarity * 100)} % of the words)`
    return `${mark(degree === 'same' && attribution === 'carried')} ${constraint.id}  "${constraint.text}"  ${degree}${share}: ${attribution}`
  })
}

function commitments(diff: HandoffDiff): string[] {
  return diff.commitments
    .filter(({ open }) => open)
    .map(
      ({ commitment, crossed }) =>
        `${mark(crossed)} ${commitment.id}  "${commitment.text}"  ${crossed ? 'crossed' : 'absent'}`,
    )
}

function origin({ origin: { verdict, sent, received, escalations } }: HandoffDiff): string[] {
  const name = (principal: typeof sent) =>
    [principal?.kind, principal?.id].filter((word) => word !== undefined).join(' ')
  const line =
    sent === undefined
      ? []
      : [
          `${mark(verdict === 'same' || verdict === 'not judged')} ${name(sent)} → ${received === undefined ? 'not stated' : name(received)}: ${verdict}`,
        ]
  return [...line, ...escalations.map(({ item, why }) => `✗ ${item.path} ${why}`)]
}

function permissions({ permissions: { gained, lost } }: HandoffDiff): string[] {
  return [
    ...gained.map(({ tool, rule }) => `✗ gained ${tool} (${rule})`),
    ...lost.map(({ tool, rule }) => `✗ lost ${tool} (${rule})`),
  ]
}

function contract(diff: HandoffDiff): string[] {
  if (diff.receipt?.record === undefined) return []
  const fields = diff.contract.map(({ field, received }) => `${field} ${received}`)
  return [fields.join(' · ')]
}

function items({ items: { judged, fates, leaks, droppedByType } }: HandoffDiff): string[] {
  if (!judged) return []
  const counts = new Map<string, number>()
  for (const { fate } of fates) counts.set(fate, (counts.get(fate) ?? 0) + 1)
  const summary = [...counts].map(([fate, count]) => `${count} ${fate}`).join(' · ')
  const dropped = Object.entries(droppedByType).map(([type, count]) => `${count} ${type}`)
  return [
    ...(summary === '' ? [] : [summary]),
    ...(dropped.length === 0 ? [] : [`dropped: ${dropped.join(', ')}`]),
    ...fates.flatMap(({ after, orphaned }) =>
      orphaned === undefined ? [] : [`✗ ${after!.path} is ${orphaned}`],
    ),
    ...leaks.map(({ text, path, from }) => `✗ ${path} holds "${text}" of ${from}`),
  ]
}

function order({ settling }: HandoffDiff): string[] {
  return settling.map(({ operation, order: when, how, milliseconds }) => {
    const took = milliseconds === undefined ? '' : ` after ${milliseconds} ms`
    return `${mark(when === 'before planning')} ${operation.op} ${when === 'not settled' ? when : `settled ${when}${how === undefined ? '' : ` (${how})`}${took}`}`
  })
}

function sizes({ sizes: measured }: HandoffDiff): string[] {
  const side = (name: string, size: { bytes: number; tokens: number; count?: number } | undefined) =>
    size === undefined
      ? []
      : [
          `${name} ${bytes(size.bytes)}, ${plural(size.tokens, 'token')}${size.count === undefined ? '' : `, ${plural(size.count, 'item')}`}`,
        ]
  const parts = [
    ...side('before', measured.itemsBefore),
    ...side('received', measured.items),
    ...side('record', measured.record),
    ...side('instructions', measured.instructions),
  ]
  return parts.length === 0 ? [] : [`${parts.join(' · ')}  (tokens by ${measured.tokenMethod})`]
}

function mark(good: boolean): string {
  return good ? '✓' : '✗'
}
