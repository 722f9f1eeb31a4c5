import { isObject, textOf } from '../../model/json.ts'
import type { EventOf } from '../../model/run-log.ts'

/** How an operation was settled: reply, key, closed, details or awaited. */
export type Settlement = 'reply' | 'key' | 'closed' | 'details' | 'awaited'

const MEANINGS: [Settlement, readonly string[]][] = [
  [
    'details',
    ['detail', 'details', 'match', 'matched', 'matching', 'arguments', 'args', 'similarity', 'heuristic'],
  ],
  ['closed', ['closed', 'close', 'closing']],
  ['key', ['key', 'idempotency', 'idempotent']],
  ['awaited', ['awaited', 'await', 'waited', 'waiting']],
  ['reply', ['reply', 'response', 'answer', 'callback']],
]
const MEANING = new Map(MEANINGS.flatMap(([meaning, words]) => words.map((word) => [word, meaning] as const)))
const FILLERS = new Set([
  'lookup',
  'look',
  'up',
  'by',
  'of',
  'on',
  'the',
  'its',
  'via',
  'with',
  'from',
  'service',
  'best',
])

// `by` comes first: it is the field of the format. The others are what runtimes write by themselves.
const FIELDS = [
  'by',
  'settled_by',
  'settledBy',
  'resolved_by',
  'resolvedBy',
  'via',
  'how',
  'lookup',
  'look_up',
]

/**
 * Reads how an entry says it was settled: words such as `details` or `lookup by key` in one of several fields, or the
 * look-up itself (`lookup: {sku: …}`). Undefined if it does not say; `by` may also name an agent, which says nothing.
 */
export function readSettlement(event: EventOf<'operation'>): Settlement | undefined {
  for (const field of FIELDS) {
    const value = event[field]
    const means = isObject(value) ? lookupMeans(value, event.key) : wordsMean(value)
    if (means !== undefined) return means
  }
  return undefined
}

/** The meaning of words of which each is known; one foreign word makes it something else, such as a name. */
function wordsMean(value: unknown): Settlement | undefined {
  if (typeof value !== 'string') return undefined
  // Nearly every entry says it in one word.
  const meaning = MEANING.get(value)
  if (meaning !== undefined) return meaning
  const words = value.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const telling = words.filter((word) => word !== '' && !FILLERS.has(word))
  const meanings = telling.map((word) => MEANING.get(word))
  return meanings.includes(undefined) ? undefined : meanings[0]
}

function lookupMeans(lookup: Record<string, unknown>, key: string | undefined): Settlement | undefined {
  const means = wordsMean(lookup.by ?? lookup.kind ?? lookup.type)
  if (means !== undefined) return means
  if (textOf(lookup.key) !== undefined || (key !== undefined && Object.values(lookup).includes(key)))
    return 'key'
  return Object.keys(lookup).length === 0 ? undefined : 'details'
}
