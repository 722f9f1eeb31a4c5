import { canonicalJson } from '../../model/hash.ts'
import type { Item } from '../../model/items.ts'
import { timesSaidBefore } from '../facts/times-said.ts'
import type { Handoff, Receipt, Run } from '../run.ts'
import { callOf, contentOf, duplicatesOf, idOf, type TimesSaid } from './duplicates.ts'
import type { ApprovalCrossing, Fate, ItemFate, ItemsDiff, Leak } from './handoff-diff.ts'
import { orphansOf } from './orphans.ts'

/** Every item of both sides and what became of it: aligned by id, else by call id, else by content. */
export function diffItems(
  run: Run,
  handoff: Handoff,
  receipt: Receipt,
  leaks: Leak[],
  approvals: readonly ApprovalCrossing[],
): ItemsDiff {
  const before = handoff.sent?.items
  const after = receipt.items
  if (before === undefined || after === undefined)
    return { judged: false, fates: [], leaks, droppedByType: {} }
  const pairs = align(before, after)
  const moved = movedItems(before, after, pairs)
  const covered = new Set(after.flatMap((item) => item.covers))
  const orphans = orphansOf(run, after, receipt.step, handoff, approvals)
  const fates = [
    ...before.filter((item) => !pairs.has(item)).map((item) => lostFate(item, covered)),
    ...arrivedFates(after, pairs, moved, timesSaidBefore(run, receipt)),
  ]
  return {
    judged: true,
    fates: fates.map((fate) => ({ ...fate, orphaned: fate.after && orphans.get(fate.after) })),
    leaks,
    droppedByType: countByType(fates),
  }
}

function lostFate(item: Item, covered: ReadonlySet<string>): ItemFate {
  const folded = item.id !== undefined && covered.has(item.id)
  return { fate: folded ? 'folded' : 'dropped', before: item, reordered: false, changes: [] }
}

function arrivedFates(
  after: readonly Item[],
  pairs: ReadonlyMap<Item, Item>,
  moved: ReadonlySet<Item>,
  timesSaid: TimesSaid,
): ItemFate[] {
  const sources = new Map([...pairs].map(([from, to]) => [to, from]))
  const duplicates = duplicatesOf(after, sources, timesSaid)
  return after.map((item) => {
    const source = sources.get(item)
    const changes = source === undefined ? [] : changedFields(source, item)
    const fate: Fate = duplicates.has(item)
      ? 'duplicated'
      : source === undefined
        ? 'added'
        : changes.length > 0
          ? 'changed'
          : 'kept'
    return { fate, before: source, after: item, reordered: moved.has(item), changes }
  })
}

/** Pairs each item of the sender with the one at the receiver that it became. */
function align(before: readonly Item[], after: readonly Item[]): Map<Item, Item> {
  const pairs = new Map<Item, Item>()
  const taken = new Set<Item>()
  for (const nameOf of [idOf, callOf, sayingOf]) {
    const open = new Map<string, { items: Item[]; next: number }>()
    for (const item of after) {
      const name = taken.has(item) ? undefined : nameOf(item)
      if (name === undefined) continue
      const same = open.get(name)
      if (same === undefined) open.set(name, { items: [item], next: 0 })
      else same.items.push(item)
    }
    if (open.size === 0) continue
    for (const item of before) {
      const same = pairs.has(item) ? undefined : open.get(nameOf(item) ?? '')
      const match = same?.items[same.next]
      if (same === undefined || match === undefined) continue
      same.next++
      pairs.set(item, match)
      taken.add(match)
    }
  }
  return pairs
}

/** What an item says; for one that says nothing, such as an image, what it is. */
function sayingOf(item: Item): string {
  return contentOf(item) ?? `${item.type}\u0000${canonicalJson(item.part ?? item.raw)}`
}

function changedFields(before: Item, after: Item): string[] {
  const fields = ['role', 'author', 'text', 'tool'] as const
  const changes: string[] = fields.filter((field) => before[field] !== after[field])
  if (canonicalJson(before.args ?? null) !== canonicalJson(after.args ?? null)) changes.push('args')
  return changes
}

/** Items that left the order of the others: those outside the longest run of pairs that kept the sender's order. */
function movedItems(
  before: readonly Item[],
  after: readonly Item[],
  pairs: ReadonlyMap<Item, Item>,
): Set<Item> {
  const places = new Map(after.map((item, index) => [item, index]))
  const sequence = before.flatMap((item) => pairs.get(item) ?? [])
  const kept = longestIncreasing(sequence.map((item) => places.get(item)!))
  return new Set(sequence.filter((_, index) => !kept.has(index)))
}

/** Indices of one longest strictly increasing subsequence (patience sorting). */
function longestIncreasing(values: readonly number[]): Set<number> {
  const tails: number[] = []
  const previous: number[] = []
  values.forEach((value, index) => {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (values[tails[middle]!]! < value) low = middle + 1
      else high = middle
    }
    previous[index] = low === 0 ? -1 : tails[low - 1]!
    tails[low] = index
  })
  const kept = new Set<number>()
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index]!) kept.add(index)
  return kept
}

function countByType(fates: readonly ItemFate[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { fate, before } of fates) {
    if (fate === 'dropped' && before !== undefined)
      counts.set(before.type, (counts.get(before.type) ?? 0) + 1)
  }
  return Object.fromEntries(counts)
}
