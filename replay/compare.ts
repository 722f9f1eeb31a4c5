import { canonicalJson } from '../model/hash.ts'
import type { Analysis } from './analyse.ts'
import type { HandoffDiff, ItemFate } from './diff/handoff-diff.ts'
import { diffItems } from './diff/items.ts'
import { type CrossingPair, crossingPairs } from './what-if/pairs.ts'

/** Two handoffs side by side. */
export type HandoffComparison = {
  a: HandoffDiff
  b: HandoffDiff
  /** True if both senders had the same items, record and instructions to give; undefined if a side is not in the log. */
  sameInput: boolean | undefined
  /** True if both receivers got the same items, record and instructions; undefined if a side is not in the log. */
  samePayload: boolean | undefined
  /** Items that only one payload has, or that differ: `dropped` is only in a, `added` only in b. */
  items: ItemFate[]
  /** Things that both senders knew, where they crossed differently. */
  pairs: CrossingPair[]
}

/** Two runs side by side: their handoffs in order, and those that only one of them has. */
export type RunComparison = { handoffs: HandoffComparison[]; onlyA: HandoffDiff[]; onlyB: HandoffDiff[] }

/** Compares two runs, handoff by handoff in the order in which they were begun. */
export function compareRuns(a: Analysis, b: Analysis): RunComparison {
  const count = Math.min(a.diffs.length, b.diffs.length)
  return {
    handoffs: a.diffs.slice(0, count).map((diff, index) => compareHandoffs(diff, b, b.diffs[index]!)),
    onlyA: a.diffs.slice(count),
    onlyB: b.diffs.slice(count),
  }
}

/** Compares two handoffs: what one payload had that the other lacks. `analysis` is that of the run that `b` is of. */
export function compareHandoffs(a: HandoffDiff, analysis: Analysis, b: HandoffDiff): HandoffComparison {
  return {
    a,
    b,
    sameInput: same(
      a.sent && [a.sent.event.items_before, a.sent.event.record],
      b.sent && [b.sent.event.items_before, b.sent.event.record],
    ),
    samePayload: same(payloadOf(a), payloadOf(b)),
    items: itemsBetween(a, analysis, b),
    pairs: crossingPairs(a, b).filter(({ before, after }) => before !== after),
  }
}

function payloadOf({ receipt }: HandoffDiff): unknown[] | undefined {
  return receipt && [receipt.event.items, receipt.event.record, receipt.event.instructions]
}

function same(a: unknown[] | undefined, b: unknown[] | undefined): boolean | undefined {
  if (a === undefined || b === undefined) return undefined
  return canonicalJson(a.map(orNull)) === canonicalJson(b.map(orNull))
}

function orNull(value: unknown): unknown {
  return value ?? null
}

/** The diff of items as between a sender and a receiver, with the payload of `a` in the sender's place. */
function itemsBetween(a: HandoffDiff, { run }: Analysis, b: HandoffDiff): ItemFate[] {
  if (a.receipt?.items === undefined || b.receipt === undefined || b.sent === undefined) return []
  const handoff = { ...b.handoff, sent: { ...b.sent, items: a.receipt.items } }
  return diffItems(run, handoff, b.receipt, [], b.approvals).fates.filter(
    ({ fate, reordered }) => fate !== 'kept' || reordered,
  )
}
