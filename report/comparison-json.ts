import type { RunComparison } from '../replay/compare.ts'
import type { HandoffDiff } from '../replay/diff/handoff-diff.ts'
import { fateBetween } from './comparison-words.ts'

/** Two runs or handoffs as `compare --json` prints them. */
export function comparisonJson({ handoffs, onlyA, onlyB }: RunComparison): Record<string, unknown> {
  return {
    handoffs: handoffs.map(({ a, b, sameInput, samePayload, items, pairs }) => ({
      a: nameOf(a),
      b: nameOf(b),
      sameInput,
      samePayload,
      items: items.map(({ fate, before, after, reordered, changes }) => ({
        fate: fate === 'dropped' || fate === 'added' ? fateBetween({ fate, reordered }) : fate,
        a: before?.path,
        b: after?.path,
        reordered,
        changes,
      })),
      pairs: pairs.map(({ subject, before, after }) => ({ subject, a: before, b: after })),
      sizes: { a: a.sizes, b: b.sizes },
    })),
    onlyA: onlyA.map(nameOf),
    onlyB: onlyB.map(nameOf),
  }
}

function nameOf({ handoff: { id, attempt, from, to } }: HandoffDiff) {
  return { handoff: id, attempt, from, to }
}
