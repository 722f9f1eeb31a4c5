import { bytes, plural } from '../../model/counts.ts'
import type { HandoffDiff, Sizes } from '../../replay/diff/handoff-diff.ts'
import type { DiffRow } from './diff-row.ts'

type Size = { bytes: number; tokens: number; count?: number }

/** How large each part is on both sides, what was dropped by type, and the largest items that crossed. */
export function sizeRows({ sizes, items, receipt }: HandoffDiff): DiffRow[] {
  const row = (id: string, left: string, right: string, verdict = '', value: unknown = sizes): DiffRow => ({
    id,
    subject: id,
    left: [left],
    mark: '·',
    verdict,
    right: [right],
    rests: [],
    detail: [{ text: `tokens by ${sizes.tokenMethod}; bytes are of the compact JSON` }],
    value,
  })
  return [
    row('items', `items  ${sizeText(sizes.itemsBefore)}`, sizeText(sizes.items), share(sizes)),
    row('record', 'record', sizes.record === undefined ? 'none' : sizeText(sizes.record)),
    row('instructions', 'instructions', sizeText(sizes.instructions)),
    ...stated(sizes).map(([left, right]) => row('stated', `stated in the log  ${left}`, right)),
    ...Object.entries(items.droppedByType).map(([type, count]) =>
      row(`dropped ${type}`, `${plural(count, type)} dropped`, '', 'dropped'),
    ),
    ...sizes.largest.map(({ path, type, bytes: size }, index) =>
      row(
        `largest ${path}`,
        index === 0 ? 'largest items that crossed' : '',
        `${bytes(size)}  ${path} ${type}`,
        '',
        itemAt(receipt?.event.items, path),
      ),
    ),
  ]
}

function itemAt(items: unknown[] | undefined, path: string): unknown {
  return items?.[Number(/\d+/u.exec(path)?.[0])]
}

/** `1,902 B, 470 tokens, 9 items`. */
export function sizeText(size: Size | undefined): string {
  if (size === undefined) return 'not captured'
  const count = size.count === undefined ? '' : `, ${plural(size.count, 'item')}`
  return `${bytes(size.bytes)}, ${plural(size.tokens, 'token')}${count}`
}

/** What is left of the words, in per cent of the bytes. */
function share({ itemsBefore, items }: Sizes): string {
  if (itemsBefore === undefined || items === undefined || itemsBefore.bytes === 0) return ''
  return `${Math.round((100 * items.bytes) / itemsBefore.bytes)} % left`
}

function stated({ statedTokens: { sent, received } }: Sizes): [string, string][] {
  const text = (tokens: number | undefined) => (tokens === undefined ? 'nothing' : plural(tokens, 'token'))
  return sent === undefined && received === undefined ? [] : [[text(sent), text(received)]]
}
