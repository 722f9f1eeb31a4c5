import type { Item } from '../../model/items.ts'

const SHORTEST = 12
// `user: …`, `2. assistant: …`, `[billing]: …` at the beginning of a line.
const TURN = /^[ \t]*(?:\d+[.)][ \t]*)?\[?(\p{L}[\p{L}\p{N}_ -]{0,40})\]?[ \t]*:[ \t]+/gmu

/**
 * Raw items that a transcript beside them tells as well, each with the transcript. A kit may nest what was said in a plain
 * message, which is no summary by its type: one that only the receiver has, that no user wrote, and that gives several of
 * the items word for word under their speakers' names. The last words of the user may well stand beside it.
 */
export function transcribed(items: readonly Item[], sources: ReadonlyMap<Item, Item>): [Item, Item][] {
  const candidates = items.filter(
    (item) => item.type === 'message' && item.role !== 'user' && !sources.has(item) && hasTurns(item.text),
  )
  if (candidates.length === 0) return []
  const lastOfUser = items.findLast(({ role, type }) => role === 'user' && type === 'message')
  const spoken = new Map<string, Item[]>()
  for (const item of items) {
    if (item.type !== 'message' || item === lastOfUser || item.text.length < SHORTEST) continue
    for (const name of new Set([item.role, item.author])) {
      if (name === undefined) continue
      const turn = turnOf(name, item.text)
      const same = spoken.get(turn)
      if (same === undefined) spoken.set(turn, [item])
      else same.push(item)
    }
  }
  return candidates.flatMap((transcript) => {
    const told = new Set(turnsIn(transcript.text).flatMap((turn) => spoken.get(turn) ?? []))
    return told.size > 1 ? [...told].map((item): [Item, Item] => [item, transcript]) : []
  })
}

function hasTurns(text: string): boolean {
  return text.includes('\n') && (text.match(TURN)?.length ?? 0) > 1
}

function turnsIn(text: string): string[] {
  const turns = [...text.matchAll(TURN)]
  return turns.map((turn, index) => {
    const words = text.slice(turn.index + turn[0].length, turns[index + 1]?.index)
    // The tag that ends a transcript is no word of its last speaker.
    return turnOf(turn[1]!, words.replace(/<\/[^<>]{1,64}>\s*$/u, ''))
  })
}

function turnOf(name: string, words: string): string {
  return `${name.trim()}: ${oneLine(words)}`.toLowerCase()
}

/** A text without its line breaks. */
export function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}
