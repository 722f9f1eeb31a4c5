import { constraintHash, type HashOptions, hashJson, hashText } from '../model/hash.ts'
import { readItems } from '../model/items.ts'
import { isObject, type JsonObject, listOf, textOf } from '../model/json.ts'
import { readRecord } from '../model/record.ts'
import { bytesOf } from '../model/sizes.ts'

/** What one side of a handoff amounts to: numbers, hashes, names. No content, so it may be kept and put on a span. */
export type PayloadFacts = {
  bytes: number
  hash: string
  items: number
  itemBytes: number
  /** Items by type, parts counted as items of their own. */
  types: Map<string, number>
  recordBytes: number
  recordKeys: string[]
  contract: string[]
  constraints: string[]
  /** Hashes of the keys of operations in doubt. */
  keys: string[]
  operations: number
  approvals: number
  artifacts: string[]
}

const CONTRACT = ['intent', 'constraints', 'status', 'evidence', 'next_action', 'stop_condition']
const MAX_ARTIFACTS = 32
const MAX_REFERENCE = 128

/** Facts about items and record; `others` are the instructions and tools, which only add to the size. */
export function payloadFacts(
  payload: { items: unknown; record: unknown; others: unknown[] },
  options: HashOptions,
): PayloadFacts {
  const raw: JsonObject = isObject(payload.record) ? (payload.record as JsonObject) : {}
  const record = readRecord(raw)
  const items = readItems(payload.items)
  const itemBytes = bytesOf(payload.items)
  const recordBytes = bytesOf(payload.record)
  return {
    bytes: itemBytes + recordBytes + payload.others.reduce<number>((sum, other) => sum + bytesOf(other), 0),
    hash: hashJson({ items: payload.items ?? [], record: payload.record ?? null }, options),
    items: listOf(payload.items).length,
    itemBytes,
    types: countTypes(items),
    recordBytes,
    recordKeys: Object.keys(raw).sort(),
    contract: CONTRACT.filter((name) => saysSomething(raw[name])),
    constraints: (record?.constraints ?? []).map((each) => short(constraintHash(each, options))).sort(),
    keys: (record?.openOperations ?? [])
      .flatMap(({ key }) => (key ? short(hashText(key, options)) : []))
      .sort(),
    operations: record?.openOperations.length ?? 0,
    approvals: record?.pendingActions.length ?? 0,
    artifacts: artifacts(raw, items),
  }
}

/** Items by type that the sender had and the receiver got not. Counts only: which ones, the diff says. */
export function filteredCounts(sent: PayloadFacts, received: PayloadFacts): Map<string, number> {
  const out = new Map<string, number>()
  for (const [type, count] of sent.types) {
    const left = count - (received.types.get(type) ?? 0)
    if (left > 0) out.set(type, left)
  }
  return out
}

/** How many entries of the first list are not in the second. */
export function missingCount(from: string[], other: string[]): number {
  return from.filter((entry) => !other.includes(entry)).length
}

function countTypes(items: ReturnType<typeof readItems>): Map<string, number> {
  const out = new Map<string, number>()
  for (const { type } of items) out.set(type, (out.get(type) ?? 0) + 1)
  return out
}

function saysSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  return !isObject(value) || Object.keys(value).length > 0
}

/** The algorithm and the first 16 hex digits: enough to compare, short enough for many. */
function short(hash: string): string {
  const colon = hash.indexOf(':')
  return hash.slice(0, colon + 17)
}

/** References in the evidence and names of files; a long one is content rather than a reference. */
function artifacts(record: JsonObject, items: ReturnType<typeof readItems>): string[] {
  const references = listOf(record.evidence).map((entry) => (isObject(entry) ? textOf(entry.ref) : undefined))
  const files = items.map(({ type, raw }) =>
    type === 'file' && isObject(raw) ? textOf(raw.name) : undefined,
  )
  const short = [...references, ...files].filter((text) => text !== undefined && text.length <= MAX_REFERENCE)
  return [...new Set(short as string[])].slice(0, MAX_ARTIFACTS)
}
