import { bytes, plural } from '../../model/counts.ts'
import { escapeText } from '../../model/escape.ts'
import { canonicalJson } from '../../model/hash.ts'
import { describeItem } from '../../replay/describe.ts'
import type { HandoffDiff, OperationCrossing } from '../../replay/diff/handoff-diff.ts'
import { knownHow } from '../../replay/known-how.ts'
import { colour } from './colours.ts'
import { layColumns, type Row, wrapLines } from './columns.ts'
import { otherSections } from './diff-sections.ts'

/** The diff of one handoff: the sender's operations log beside what the receiver's model got, a verdict for each row. */
export function diffText(diff: HandoffDiff, width: number): string {
  return [
    heading(diff),
    ...sideTitles(diff, width),
    ...layColumns(operationRows(diff), columnWidths(width)),
    ...payloadRows(diff, width),
    ...timingLines(diff, width),
    ...otherSections(diff).flatMap((line) => wrapLines(line, width)),
  ].join('\n')
}

function heading({ handoff, sent, receipt }: HandoffDiff): string {
  const known = knownHow(sent?.event ?? receipt?.event)
  const attempt = handoff.attempt > 1 ? `  attempt ${handoff.attempt}` : ''
  const reason = handoff.reason === undefined ? '' : `  "${handoff.reason}"`
  return colour.strong(
    escapeText(
      `${handoff.id}  ${handoff.from ?? '?'} → ${handoff.to ?? '?'}  ${handoff.mode}${known === undefined ? '' : ` (${known})`}${attempt}${reason}`,
    ),
  )
}

/** Sender and receiver get equal room, the verdict what its longest word needs. */
function columnWidths(width: number): number[] {
  const middle = 14
  const side = Math.floor((width - middle - 6) / 2)
  return [side, middle, width - middle - 6 - side]
}

function sideTitles(diff: HandoffDiff, width: number): string[] {
  const { handoff, sizes } = diff
  const received = diff.receipt === undefined ? 'nobody received it' : 'what its model got'
  const before = sizes.itemsBefore && `; was ${bytes(sizes.itemsBefore.bytes)}, ${sizes.itemsBefore.count}`
  const after =
    sizes.items && ` (${bytes(sizes.items.bytes)}, ${plural(sizes.items.count, 'item')}${before ?? ''})`
  const receiver = diff.receipt?.by ?? handoff.to ?? '?'
  const titles = layColumns(
    [
      [
        escapeText(`sender: ${handoff.from ?? '?'} — operations log`),
        'crossed',
        escapeText(`receiver: ${receiver} — ${received}${after ?? ''}`),
      ],
    ],
    columnWidths(width),
  )
  return [...titles.map((line) => colour.agent(line)), rule(width)]
}

function rule(width: number): string {
  const [left, middle, right] = columnWidths(width)
  return `${'─'.repeat(left!)}─┼─${'─'.repeat(middle!)}─┼─${'─'.repeat(right!)}`
}

function operationRows(diff: HandoffDiff): Row[] {
  if (!diff.complete) return [[missingSide(diff), 'not judged', '']]
  const rows = diff.operations.map(
    (crossing): Row => [senderCell(crossing), verdictCell(crossing), receiverCell(crossing)],
  )
  if (diff.settledLeftOut > 0) rows.push([colour.faint(leftOut(diff.settledLeftOut)), '', ''])
  return rows.length === 0 ? [[colour.faint('no operations logged by then'), '', '']] : rows
}

function leftOut(count: number): string {
  return `and ${count} settled before, left out here`
}

function missingSide(diff: HandoffDiff): string {
  return diff.receipt === undefined ? 'the log holds no receipt' : 'the log holds no sender'
}

function senderCell({ operation, version, inDoubt }: OperationCrossing): string {
  // What is settled is folded to one line: the question is what is not.
  if (!inDoubt)
    return colour.faint(
      escapeText(`${operation.op}  ${operation.tool}  ${operation.effect}  ${version.state}`),
    )
  const state = colour.warning(version.state.toUpperCase())
  const key = version.key === undefined ? '' : `\n  key ${escapeText(version.key)}`
  const args = version.args === undefined ? '' : `\n  ${escapeText(cut(canonicalJson(version.args), 160))}`
  const assumed = operation.effectAssumed ? ' (effect not declared)' : ''
  return `${escapeText(`${operation.op}  ${operation.tool}  ${operation.effect}${assumed}`)}  ${state}${key}${args}`
}

function verdictCell({ degree, inDoubt, guess }: OperationCrossing): string {
  if (!inDoubt) return colour.faint(`· ${degree}`)
  if (degree === 'carried') return colour.good('✓ carried')
  const mark = degree === 'altered' || degree === 'key in words' ? '!' : '✗'
  const keyless = degree === 'altered' || degree === 'key in words' ? '' : '\n  key absent'
  return colour.error(`${mark} ${degree}${guess ? ' (guess)' : ''}${keyless}`)
}

function receiverCell({ evidence, matched, differences, inDoubt }: OperationCrossing): string {
  const place = evidence[0]
  if (!inDoubt) return colour.faint(escapeText(place?.path ?? ''))
  const lines = place === undefined ? [colour.faint('nothing')] : [escapeText(place.path ?? '')]
  if (matched !== undefined) lines.push(escapeText(`"${cut(matched, 120)}"`))
  for (const { field, sent, received } of differences) {
    lines.push(escapeText(`${field}: ${canonicalJson(sent ?? null)} → ${canonicalJson(received ?? null)}`))
  }
  return lines.join('\n')
}

/** What the receiver got, whole but cut: the record first, then the items. */
function payloadRows({ receipt, sizes }: HandoffDiff, width: number): string[] {
  if (receipt === undefined) return []
  const shown = (receipt.event.items ?? []).map(
    (item, index) => `  ${String(index).padStart(3)}  ${cut(escapeText(describeItem(item)), width - 10)}`,
  )
  const items = shown.length > 12 ? [...shown.slice(0, 11), `       and ${shown.length - 11} more`] : shown
  const record =
    sizes.record === undefined
      ? 'record  none'
      : `record  ${bytes(sizes.record.bytes)}  ${cut(escapeText(canonicalJson(receipt.event.record)), width - 22)}`
  return ['', record, `items${receipt.items === undefined ? '  not captured' : ''}`, ...items]
}

function timingLines(diff: HandoffDiff, width: number): string[] {
  return diff.operations.flatMap(({ operation, timings }) => {
    if (timings === undefined) return []
    const line =
      `${operation.op}:  if it landed: ${shout(timings.landed)}   ·   ` +
      `if it is still travelling: ${shout(timings.delayed)}   (${timings.reason})`
    return ['', ...wrapLines(escapeText(line), width)]
  })
}

function shout(verdict: string): string {
  return verdict === 'repeats the effect' ? verdict.toUpperCase() : verdict
}

/** Cuts a text to a number of characters, and says so. */
export function cut(text: string, length: number): string {
  const chars = [...text]
  return chars.length <= length ? text : `${chars.slice(0, Math.max(0, length - 1)).join('')}…`
}
