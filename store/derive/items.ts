import type { Item } from '../../model/items.ts'
import { estimateByBytes } from '../../model/tokens.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Run } from '../../replay/run.ts'
import { hash64 } from '../hash64.ts'
import type { Row, RowInParts } from '../table.ts'

/** The items of both sides; with what became of each where both were captured. */
export function itemRows(run: Run, diff: HandoffDiff): RowInParts[] {
  const about = { run: run.id, handoff: diff.handoff.id, attempt: diff.handoff.attempt }
  const contents = new Map<string, Content>()
  const sender = sideRows('sender', contents)
  const receiver = sideRows('receiver', contents)
  const rows = diff.items.judged
    ? diff.items.fates.flatMap(({ fate, before, after, reordered, orphaned }) => [
        ...(before === undefined ? [] : [sender(before, { fate, reordered })]),
        ...(after === undefined ? [] : [receiver(after, { fate, reordered, orphaned })]),
      ])
    : [
        ...(diff.sent?.items ?? []).map((item) => sender(item, {})),
        ...(diff.receipt?.items ?? []).map((item) => receiver(item, {})),
      ]
  return rows.map((parts) => [about, ...parts])
}

type Content = { bytes: number; tokens: number; hash: bigint }

function sideRows(
  side: 'sender' | 'receiver',
  contents: Map<string, Content>,
): (item: Item, became: Row) => RowInParts {
  return (item, became) => {
    const content = contentOf(item, contents)
    // An item with several parts is as large as it is, once: its size stands at the first part.
    const isFirst = !item.path.slice(item.path.indexOf(']')).includes('.')
    return [
      {
        side,
        position: item.position,
        path: item.path,
        item: item.id,
        type: item.type,
        role: item.role,
        author: item.author,
        tool: item.tool,
        bytes: isFirst ? content.bytes : 0,
        tokens: isFirst ? content.tokens : 0,
        content_hash: content.hash,
      },
      became,
    ]
  }
}

/** Most items stand on both sides unchanged: what is costly to work out is worked out once. */
function contentOf(item: Item, contents: Map<string, Content>): Content {
  const json = JSON.stringify(item.raw)
  const known = contents.get(json)
  if (known !== undefined) return known
  const content = {
    bytes: Buffer.byteLength(json, 'utf8'),
    tokens: estimateByBytes.count(json),
    hash: hash64(json),
  }
  contents.set(json, content)
  return content
}
