import type { RecordOperation } from '../../model/record.ts'

/** The entries of one list of a record by key and by op id; of several under one name the first. */
export type RecordIndex = {
  byKey: ReadonlyMap<string, RecordOperation>
  byOp: ReadonlyMap<string, RecordOperation>
}

// The record of a long run lists every effect so far, and each operation is looked up in it.
const indexes = new WeakMap<readonly RecordOperation[], RecordIndex>()

export function recordIndex(entries: readonly RecordOperation[]): RecordIndex {
  let index = indexes.get(entries)
  if (index === undefined) {
    index = makeIndex(entries)
    indexes.set(entries, index)
  }
  return index
}

function makeIndex(entries: readonly RecordOperation[]): RecordIndex {
  const byKey = new Map<string, RecordOperation>()
  const byOp = new Map<string, RecordOperation>()
  for (const entry of entries) {
    if (entry.key !== undefined && !byKey.has(entry.key)) byKey.set(entry.key, entry)
    if (entry.op !== undefined && !byOp.has(entry.op)) byOp.set(entry.op, entry)
  }
  return { byKey, byOp }
}
