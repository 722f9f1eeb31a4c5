import type { HandoffDiff } from '../diff/handoff-diff.ts'

/** How one thing crossed in two diffs of the same handoff, in the words of the diff; what crossed as it was is `carried`. */
export type CrossingPair = { subject: string; before: string; after: string }

/** Operations in doubt, constraints and approvals, each with how it crossed in both; then the number of items. */
export function crossingPairs(before: HandoffDiff, after: HandoffDiff): CrossingPair[] {
  return [
    ...pairsOf(
      before.operations.filter(({ inDoubt }) => inDoubt),
      after.operations,
      ({ operation }) => `operation ${operation.id} ${operation.tool}`,
      ({ degree }) => degree,
    ),
    ...pairsOf(
      before.constraints,
      after.constraints,
      ({ constraint }) => `constraint ${constraint.id}`,
      ({ degree }) => crossingWord(degree),
    ),
    ...pairsOf(
      before.approvals,
      after.approvals,
      ({ approval }) => `approval ${approval.id}`,
      ({ verdict }) => crossingWord(verdict),
    ),
    {
      subject: 'origin',
      before: crossingWord(before.origin.verdict),
      after: crossingWord(after.origin.verdict),
    },
    { subject: 'items', before: countOf(before), after: countOf(after) },
  ]
}

/** Beside another verdict, "same" would read as "the same as before". */
function crossingWord(verdict: string): string {
  return verdict === 'same' ? 'carried' : verdict
}

function pairsOf<T>(
  before: readonly T[],
  after: readonly T[],
  subjectOf: (one: T) => string,
  verdictOf: (one: T) => string,
): CrossingPair[] {
  const others = new Map(after.map((one) => [subjectOf(one), verdictOf(one)]))
  return before.flatMap((one) => {
    const other = others.get(subjectOf(one))
    return other === undefined ? [] : [{ subject: subjectOf(one), before: verdictOf(one), after: other }]
  })
}

function countOf({ sizes }: HandoffDiff): string {
  return sizes.items === undefined ? 'not captured' : String(sizes.items.count)
}
