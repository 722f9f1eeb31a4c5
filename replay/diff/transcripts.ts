import type { Item } from '../../model/items.ts'
import { fromJsonText, isObject, textOf } from '../../model/json.ts'
import { groupBy } from '../facts/dispatches.ts'

const SHORTEST = 12
// `user: …`, `2. assistant: …`, `[billing]: …` at the beginning of a line.
const TURN = /^[ \t]*(?:\d+[.)][ \t]*)?\[?(\p{L}[\p{L}\p{N}_ -]{0,40})\]?[ \t]*:[ \t]+/gmu

/**
 * Raw items that a transcript beside them tells as well, each with the transcript. A kit may nest what was said in a plain
 * message, which is no summary by its type: one that only the receiver has, that is not the user's last message (which may
 * quote what was said), and that gives several of the items: word for word under their speakers' names, or a call or its
 * result as JSON with its id. The last words of the user may well stand beside it.
 */
export function transcribed(items: readonly Item[], sources: ReadonlyMap<Item, Item>): [Item, Item][] {
  const last = lastOfUser(items)
  const candidates = items.filter(
    (item) => item.type === 'message' && item.text.includes('\n') && item !== last && !sources.has(item),
  )
  if (candidates.length === 0) return []
  const names = new Set(items.flatMap((item) => [...speakersOf(item), ...kindsOf(item)]))
  const written = candidates
    .map((transcript) => ({ transcript, turns: turnsIn(transcript.text, names) }))
    .filter(({ turns }) => turns.length > 1)
  if (written.length === 0) return []
  const transcripts = new Set(written.map(({ transcript }) => transcript))
  const spoken = byOpening(items.filter((item) => !transcripts.has(item)))
  const calls = groupBy(items.filter(isHalfOfCall), ({ call }) => call!)
  return written.flatMap(({ transcript, turns }) => {
    const told = new Set(
      turns.flatMap(({ name, words }) => [
        ...(spoken.get(openingOf(name, words)) ?? []).filter(({ text }) => beginsWith(words, text)),
        ...idsIn(words).flatMap((id) => (calls.get(id) ?? []).filter((item) => kindsOf(item).includes(name))),
      ]),
    )
    return told.size > 1 ? [...told].map((item): [Item, Item] => [item, transcript]) : []
  })
}

function lastOfUser(items: readonly Item[]): Item | undefined {
  return items.findLast(({ role, type }) => role === 'user' && type === 'message')
}

function speakersOf({ type, role, author }: Item): string[] {
  if (type !== 'message') return []
  return [role, author].flatMap((name) => name?.toLowerCase() ?? [])
}

function isHalfOfCall({ type, call }: Item): boolean {
  return call !== undefined && (type === 'tool_call' || type === 'tool_result')
}

/** The words by which a transcript tells a call or its result: `function_call: {"call_id": …}`. */
function kindsOf(item: Item): string[] {
  if (!isHalfOfCall(item)) return []
  return [item.type, ...(isObject(item.raw) ? [textOf(item.raw.type)] : [])].flatMap((kind) => kind ?? [])
}

/** The texts of a call that was written down as JSON in one line; its id is one of them. */
function idsIn(words: string): string[] {
  const [line = ''] = words.trim().split('\n', 1)
  if (!line.startsWith('{')) return []
  const fields = fromJsonText(line)
  return isObject(fields) ? Object.values(fields).filter((value) => typeof value === 'string') : []
}

function byOpening(items: readonly Item[]): Map<string, Item[]> {
  const last = lastOfUser(items)
  const spoken = new Map<string, Item[]>()
  for (const item of items) {
    if (item === last || item.text.length < SHORTEST) continue
    for (const name of new Set(speakersOf(item))) {
      const opening = openingOf(name, item.text)
      const same = spoken.get(opening)
      if (same === undefined) spoken.set(opening, [item])
      else same.push(item)
    }
  }
  return spoken
}

/** The turns under a name that speaks in the payload; any other word before a colon belongs to what is said. */
function turnsIn(text: string, names: ReadonlySet<string>): { name: string; words: string }[] {
  const turns = [...text.matchAll(TURN)].filter((turn) => names.has(turn[1]!.trim().toLowerCase()))
  return turns.map((turn, index) => ({
    name: turn[1]!.trim().toLowerCase(),
    words: text.slice(turn.index + turn[0].length, turns[index + 1]?.index),
  }))
}

/** True if the lines of a text are the first ones of others: the last turn may be followed by words of whoever tells it. */
function beginsWith(words: string, text: string): boolean {
  const lines = text.trim().split('\n').length
  return oneLine(words.trim().split('\n', lines).join('\n')) === oneLine(text)
}

/** Names and the first words, by which a text is found again without rewriting all of it. */
function openingOf(name: string, words: string): string {
  return `${name}: ${oneLine(words.trim().split('\n', 1)[0]!.slice(0, 80)).slice(0, 32)}`
}

/** A text without its line breaks. */
export function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}
