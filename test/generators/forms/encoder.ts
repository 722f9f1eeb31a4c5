/*
 * How one runtime writes what a run holds. The items are neutral: a message, a call, a result, a file, a thought or a
 * question for a yes, with the fields of plain items.
 */

export type Item = Record<string, unknown>

export type Encoder = {
  message(item: Item): Item
  call(item: Item): Item
  result(item: Item): Item
  /** What is left out here the runtime has no form for: such an item stays as it is. */
  file?(item: Item): Item
  reasoning?(item: Item): Item
  approval?(item: Item): Item
  /** One entry for two neighbours where the runtime has but one; undefined where it has two. */
  join?(first: Item, second: Item): Item | undefined
  /** One entry for all of them. */
  whole?(items: Item[]): Item
  /** Messages and calls say who wrote them. */
  authors?: boolean
  /** Calls have no ids. */
  nameless?: boolean
}

/** Two lists of parts of one role are one. */
export function joinLists(list: string): Encoder['join'] {
  return (first, second) => {
    const [before, after] = [first[list], second[list]]
    if (!Array.isArray(before) || !Array.isArray(after)) return undefined
    if (JSON.stringify(first.role) !== JSON.stringify(second.role) || first.kind !== second.kind)
      return undefined
    return { ...first, [list]: [...before, ...after] }
  }
}

export const written = (args: unknown): string => JSON.stringify(args)

/** The bytes of a file; no test reads them. */
export const BYTES = 'JVBERi0xLjQK'
