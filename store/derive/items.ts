import type { Item } from '../../model/items.ts'
import { estimateByBytes } from '../../model/tokens.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Run } from '../../replay/run.ts'
import type { Row } from '../append.ts'
import { hash64 } from '../event-row.ts'

/** The items of both sides; with what became of each where both were captured. */
export function itemRows(run: Run, diff: HandoffDiff): Row[] {
  const about = { run: run.id, handoff: diff.handoff.id, attempt: diff.handoff.attempt }
  const sender = sideRows('sender')
  const receiver = sideRows('receiver')
  const rows = diff.items.judged
    ? diff.items.fates.flatMap(({ fate, before, after, reordered, orphaned }) => [
        ...(before === undefined ? [] : [sender(before, { fate, reordered })]),
        ...(after === undefined ? [] : [receiver(after, { fate, reordered, orphaned })]),
      ])
    : [
        ...(diff.sent?.items ?? []).map((item) => sender(item, {})),
        ...(diff.receipt?.items ?? []).map((item) => receiver(item, {})),
      ]
  return rows.map((row) => ({ ...about, ...row }))
}

function sideRows(side: 'sender' | 'receiver'): (item: Item, more: Row) => Row {
  return (item, more) => {
    const json = JSON.stringify(item.raw)
    // An item with several parts is as large as it is, once: its size stands at the first part.
    const isFirst = !item.path.slice(item.path.indexOf(']')).includes('.')
    return {
      side,
      position: item.position,
      path: item.path,
      item: item.id,
      type: item.type,
      role: item.role,
      author: item.author,
      tool: item.tool,
      bytes: isFirst ? Buffer.byteLength(json, 'utf8') : 0,
      tokens: isFirst ? estimateByBytes.count(json) : 0,
      content_hash: hash64(json),
      ...more,
    }
  }
}
