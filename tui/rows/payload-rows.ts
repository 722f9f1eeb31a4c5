import { bytes, plural } from '../../model/counts.ts'
import { isObject } from '../../model/json.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { itemLine } from './item-rows.ts'

/** One part of what the receiver got. Headings have no value. */
export type PayloadRow = { path: string; text: string; heading: boolean; value?: unknown }

/** What the receiver got: the record first, since it is for the runtime, then the words for its model. */
export function payloadRows({ receipt, sizes }: HandoffDiff): PayloadRow[] {
  if (receipt === undefined) return [{ path: '', text: 'the log holds no receipt', heading: true }]
  const { record, items, instructions, tools } = receipt.event
  const words = sizes.items === undefined ? 'not captured' : plural(sizes.items.count, 'item')
  return [
    {
      path: 'record',
      text: sizes.record === undefined ? 'record  none' : `record  ${bytes(sizes.record.bytes)}`,
      heading: true,
      value: record,
    },
    ...recordRows(record),
    { path: 'items', text: `words   ${words}`, heading: true, value: items },
    ...(receipt.items ?? []).map((item) => ({
      path: item.path,
      text: itemLine(item),
      heading: false,
      value: item.raw,
    })),
    ...(receipt.instructions === undefined
      ? []
      : [
          {
            path: 'instructions',
            text: `instructions ${receipt.instructions.slice(0, 400)}`,
            heading: false,
            value: instructions,
          },
        ]),
    ...(receipt.tools === undefined
      ? []
      : [{ path: 'tools', text: `tools ${receipt.tools.join(', ')}`, heading: false, value: tools }]),
  ]
}

/** A field a row; lists an entry a row, so that an operation's own entry can be pointed at. */
function recordRows(record: unknown): PayloadRow[] {
  if (!isObject(record)) return []
  return Object.entries(record).flatMap(([field, value]): PayloadRow[] => {
    if (!Array.isArray(value) || value.length === 0) return [entry(`record.${field}`, field, value)]
    return value.map((one, index) => entry(`record.${field}[${index}]`, field, one))
  })
}

function entry(path: string, field: string, value: unknown): PayloadRow {
  return { path, text: `${field} ${JSON.stringify(value).slice(0, 400)}`, heading: false, value }
}

/** True if evidence at `path` is this part of the payload, or lies in it. */
export function holdsPath(row: Pick<PayloadRow, 'path' | 'heading'>, path: string): boolean {
  if (row.heading) return row.path === path
  return path === row.path || path.startsWith(`${row.path}.`) || path.startsWith(`${row.path}[`)
}
