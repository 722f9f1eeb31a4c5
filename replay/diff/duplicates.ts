import { canonicalJson } from '../../model/hash.ts'
import type { Item } from '../../model/items.ts'
import { oneLine, transcribed } from './transcripts.ts'

/** How often an item's words were said to an agent, or by it, before it got a payload. */
export type TimesSaid = (item: Item) => number

// Shorter words recur without being a copy: a user may well say the same short thing again.
const SHORTEST_OF_AGENT = 8
const SHORTEST_OF_USER = 24
const SHORTEST_IN_SUMMARY = 12
const SHORTEST_TOOL_NAME = 6

/**
 * Items that stand a second time, each with the one that it repeats: the same id, the same call or result, the same words
 * more often than the sender had them, and raw items that a summary beside them covers or repeats word for word.
 * `sources` maps an item to the sender's item that it is; `timesSaid` tells how often the receiver had heard the same.
 */
export function duplicatesOf(
  items: readonly Item[],
  sources: ReadonlyMap<Item, Item>,
  timesSaid: TimesSaid = () => 0,
): Map<Item, Item> {
  const duplicates = new Map<Item, Item>()
  const summaries = items.filter(({ type, covers }) => type === 'summary' || covers.length > 0)
  const list = summaries.length > 0 ? readList(items) : undefined
  for (const summary of summaries) {
    for (const item of toldBy(summary, list!)) if (!duplicates.has(item)) duplicates.set(item, summary)
  }
  for (const [item, transcript] of transcribed(items, sources)) {
    if (!duplicates.has(item)) duplicates.set(item, transcript)
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
  for (const [item, original] of copiedWords(items, sources, timesSaid)) {
    if (!duplicates.has(item)) duplicates.set(item, original)
  }
  return duplicates
}

/** Names an item by type and id. */
export function idOf(item: Item): string | undefined {
  return item.id === undefined ? undefined : `id\u0000${item.type}\u0000${item.id}`
}

/** Names a call, its result or what else belongs to it by type and call id. */
export function callOf(item: Item): string | undefined {
  return item.call === undefined ? undefined : `call\u0000${item.type}\u0000${item.call}`
}

/** What an item says, by whom; undefined for one that says nothing. */
export function contentOf(item: Item): string | undefined {
  if (item.text === '' && item.args === undefined) return undefined
  return `${item.type}\u0000${item.role ?? ''}\u0000${item.tool ?? ''}\u0000${item.text}\u0000${canonicalJson(item.args ?? null)}`
}

/** Two people may say the same; a message without a source of its own that says what another one says is a copy. */
function copiedWords(
  items: readonly Item[],
  sources: ReadonlyMap<Item, Item>,
  timesSaid: TimesSaid,
): [Item, Item][] {
  const originals = new Map<string, Item>()
  for (const item of [...items.filter((i) => sources.has(i)), ...items.filter((i) => !sources.has(i))]) {
    const content = item.type === 'message' ? contentOf(item) : undefined
    if (content !== undefined && !originals.has(content)) originals.set(content, item)
  }
  return items.flatMap((item) => {
    if (item.type !== 'message' || sources.has(item) || isShort(item)) return []
    const original = originals.get(contentOf(item) ?? '')
    if (original === undefined || original === item) return []
    return isOwnHistory(original, item, sources) || wasSaidSoOften(item, items, timesSaid)
      ? []
      : [[item, original]]
  })
}

/** Two messages that the sender had neither of, under ids of their own: somebody said the same again, to the receiver. */
function isOwnHistory(a: Item, b: Item, sources: ReadonlyMap<Item, Item>): boolean {
  return a.id !== undefined && b.id !== undefined && a.id !== b.id && !sources.has(a) && !sources.has(b)
}

/** The receiver's own history holds the words as often as they were said: people repeat themselves. */
function wasSaidSoOften(item: Item, items: readonly Item[], timesSaid: TimesSaid): boolean {
  const times = timesSaid(item)
  return times > 1 && items.filter((other) => contentOf(other) === contentOf(item)).length <= times
}

function isShort(item: Item): boolean {
  return item.text.length < (item.role === 'user' ? SHORTEST_OF_USER : SHORTEST_OF_AGENT)
}

/** What is looked up for every summary, made once and only if there is one. */
type List = {
  items: readonly Item[]
  byId: Map<string, Item[]>
  /** Texts in one line. */
  lines: Map<Item, string>
  /** The tool that a call id belongs to. */
  tools: Map<string, Item>
  lastOfUser: Item | undefined
}

function readList(items: readonly Item[]): List {
  const list: List = { items, byId: new Map(), lines: new Map(), tools: new Map(), lastOfUser: undefined }
  for (const item of items) {
    list.lines.set(item, oneLine(item.text))
    if (item.role === 'user') list.lastOfUser = item
    if (item.type === 'tool_call' && item.call !== undefined && !list.tools.has(item.call))
      list.tools.set(item.call, item)
    if (item.id === undefined) continue
    const same = list.byId.get(item.id)
    if (same === undefined) list.byId.set(item.id, [item])
    else same.push(item)
  }
  return list
}

/** Raw items that a summary stands for and that are there as well. */
function toldBy(summary: Item, list: List): Item[] {
  if (summary.covers.length > 0) {
    return [...new Set(summary.covers)]
      .flatMap((id) => list.byId.get(id) ?? [])
      .filter((item) => item !== summary)
  }
  const text = list.lines.get(summary)!
  const told = list.items.filter(
    (item) => item !== summary && item !== list.lastOfUser && retold(item, text, list),
  )
  // A single line may be quoted on purpose; several, or one under its speaker's name, are the transcript once more.
  return told.length > 1 || told.some((item) => isTranscribed(item, text, list)) ? told : []
}

/** `assistant: I pass you to the lines team.` */
function isTranscribed(item: Item, summary: string, { lines }: List): boolean {
  const line = lines.get(item)!
  if (line.length < SHORTEST_OF_USER) return false
  const speakers = [item.role, item.author].filter((name) => name !== undefined)
  return speakers.some((name) =>
    summary.toLowerCase().includes(`${name.toLowerCase()}: ${line.toLowerCase()}`),
  )
}

function retold(item: Item, text: string, { lines, tools }: List): boolean {
  if (item.type === 'tool_call') return namesTool(item, text)
  const line = lines.get(item)!
  if (line.length > text.length) return false
  if (item.type !== 'tool_result') return item.text.length >= SHORTEST_IN_SUMMARY && text.includes(line)
  const call = item.call === undefined ? undefined : tools.get(item.call)
  return call !== undefined && namesTool(call, text) && item.text !== '' && text.includes(line)
}

function namesTool({ tool }: Item, text: string): boolean {
  return tool !== undefined && tool.length >= SHORTEST_TOOL_NAME && text.includes(tool)
}
