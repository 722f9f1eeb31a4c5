import { canonicalJson } from '../../model/hash.ts'
import type { Item } from '../../model/items.ts'

// Shorter words recur without being a copy: a user may well say the same short thing again.
const SHORTEST_OF_AGENT = 8
const SHORTEST_OF_USER = 24
const SHORTEST_IN_SUMMARY = 12
const SHORTEST_TOOL_NAME = 6

/**
 * Items that stand a second time, each with the one that it repeats: the same id, the same call or result, the same words
 * more often than the sender had them, and raw items that a summary beside them covers or repeats word for word.
 * `sources` maps an item to the sender's item that it is.
 */
export function duplicatesOf(items: readonly Item[], sources: ReadonlyMap<Item, Item>): Map<Item, Item> {
  const duplicates = new Map<Item, Item>()
  for (const summary of items) {
    for (const item of toldBy(summary, items)) if (!duplicates.has(item)) duplicates.set(item, summary)
  }
  const seen = new Map<string, Item>()
  for (const item of items) {
    const isHalfOfCall = item.type === 'tool_call' || item.type === 'tool_result'
    for (const name of [idOf(item), isHalfOfCall ? callOf(item) : undefined]) {
      if (name === undefined) continue
      const first = seen.get(name)
      if (first === undefined) seen.set(name, item)
      else if (!duplicates.has(item)) duplicates.set(item, first)
    }
  }
  for (const [item, original] of copiedWords(items, sources)) {
    if (!duplicates.has(item)) duplicates.set(item, original)
  }
  return duplicates
}

/** Names an item by type and id. */
export function idOf(item: Item): string | undefined {
  return item.id === undefined ? undefined : `${item.type}\u0000${item.id}`
}

/** Names a call, its result or what else belongs to it by type and call id. */
export function callOf(item: Item): string | undefined {
  return item.call === undefined ? undefined : `${item.type}\u0000${item.call}`
}

/** What an item says, by whom; undefined for one that says nothing. */
export function contentOf(item: Item): string | undefined {
  if (item.text === '' && item.args === undefined) return undefined
  return `${item.type}\u0000${item.role ?? ''}\u0000${item.tool ?? ''}\u0000${item.text}\u0000${canonicalJson(item.args ?? null)}`
}

/** Two people may say the same; a message without a source of its own that says what another one says is a copy. */
function copiedWords(items: readonly Item[], sources: ReadonlyMap<Item, Item>): [Item, Item][] {
  const originals = new Map<string, Item>()
  for (const item of [...items.filter((i) => sources.has(i)), ...items.filter((i) => !sources.has(i))]) {
    const content = item.type === 'message' ? contentOf(item) : undefined
    if (content !== undefined && !originals.has(content)) originals.set(content, item)
  }
  return items.flatMap((item) => {
    if (item.type !== 'message' || sources.has(item) || isShort(item)) return []
    const original = originals.get(contentOf(item) ?? '')
    if (original === undefined || original === item) return []
    return isOwnHistory(original, item, sources) ? [] : [[item, original]]
  })
}

/** Two messages that the sender had neither of, under ids of their own: somebody said the same again, to the receiver. */
function isOwnHistory(a: Item, b: Item, sources: ReadonlyMap<Item, Item>): boolean {
  return a.id !== undefined && b.id !== undefined && a.id !== b.id && !sources.has(a) && !sources.has(b)
}

function isShort(item: Item): boolean {
  return item.text.length < (item.role === 'user' ? SHORTEST_OF_USER : SHORTEST_OF_AGENT)
}

/** Raw items that a summary stands for and that are there as well. */
function toldBy(summary: Item, items: readonly Item[]): Item[] {
  if (summary.covers.length > 0) {
    const covered = new Set(summary.covers)
    return items.filter((item) => item !== summary && item.id !== undefined && covered.has(item.id))
  }
  if (summary.type !== 'summary') return []
  const text = oneLine(summary.text)
  const lastOfUser = items.findLast((item) => item.role === 'user')
  const told = items.filter((item) => item !== summary && item !== lastOfUser && retold(item, text, items))
  // A single line may be quoted on purpose; several are the transcript once more.
  return told.length > 1 ? told : []
}

function retold(item: Item, text: string, items: readonly Item[]): boolean {
  if (item.type === 'tool_call') return namesTool(item, text)
  if (item.type === 'tool_result') {
    const call = items.find((other) => other.type === 'tool_call' && other.call === item.call)
    return (
      call !== undefined && namesTool(call, text) && item.text !== '' && text.includes(oneLine(item.text))
    )
  }
  return item.text.length >= SHORTEST_IN_SUMMARY && text.includes(oneLine(item.text))
}

function namesTool({ tool }: Item, text: string): boolean {
  return tool !== undefined && tool.length >= SHORTEST_TOOL_NAME && text.includes(tool)
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}
