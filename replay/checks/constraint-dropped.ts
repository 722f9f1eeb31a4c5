import type { Check, CheckInput } from '../check.ts'
import type { ConstraintCrossing, HandoffDiff } from '../diff/handoff-diff.ts'
import { knowledgeOf } from '../facts/constraint-knowledge.ts'
import { whyUnseen } from '../facts/left-out.ts'
import type { Draft } from '../finding.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, quote, receiverOf } from '../phrase.ts'
import type { Run } from '../run.ts'

export const constraintDropped: Check = {
  id: 'constraint-dropped',
  severity: 'error',
  title: 'A rule that binds the plan did not cross',
  question: 'Did every rule cross that the sender had?',
  definition:
    'Raised when a constraint was active at the sender and the receiver has it neither by id nor by hash nor in words, with ' +
    'the attribution: dropped at the handoff. Revoked rules, and rules whose scope names another agent, need not cross; nor ' +
    'must a rule go back to an agent that had it before, except where that agent is resumed from what crosses.',
  needsWholePayload: true,
  check(input) {
    return { findings: droppedRules(input), notJudged: notJudged(input.diffs) }
  },
}

function droppedRules({ run, diffs }: CheckInput): Draft[] {
  const reported = new Set<string>()
  return diffs.flatMap((diff) =>
    diff.constraints.flatMap((crossing) => {
      const name = `${diff.handoff.id}\u0000${crossing.constraint.id}`
      if (!isCaptured(diff) || reported.has(name) || !isDropped(run, diff, crossing)) return []
      reported.add(name)
      return [draft(diff, crossing)]
    }),
  )
}

/**
 * Without items nobody can say that the words did not hold it, unless the record has a list of its own; then a rule is not
 * looked for in what the user said.
 */
function isCaptured({ receipt }: HandoffDiff): boolean {
  if (receipt === undefined) return false
  if (receipt.record?.raw.constraints !== undefined) return whyUnseen(receipt, 'agents') === undefined
  return receipt.items !== undefined && whyUnseen(receipt, 'all') === undefined
}

function notJudged(diffs: readonly HandoffDiff[]) {
  return [
    ...missingSenders(diffs),
    ...diffs
      .filter((diff) => diff.complete && diff.constraints.length > 0 && !isCaptured(diff))
      .map(({ handoff, receipt }) => ({
        handoff: handoff.id,
        reason: (receipt && whyUnseen(receipt, 'all')) ?? "the receiver's items are not in the log",
      })),
  ]
}

function isDropped(
  run: Run,
  diff: HandoffDiff,
  { constraint, degree, attribution }: ConstraintCrossing,
): boolean {
  if (degree !== 'absent' || attribution !== 'dropped at the handoff') return false
  const { handoff, receipt } = diff
  if (handoff.mode === 'notify') return false
  if (handoff.mode === 'resume') return true
  // Whoever gave the task away keeps its own rules; only one that the helper was told is news to it.
  if (handoff.mode === 'return' && constraint.versions[0]!.value.event.agent !== handoff.from) return false
  const { by, step } = receipt!
  return by === undefined || knowledgeOf(run, constraint, by, step) === undefined
}

function draft(diff: HandoffDiff, { constraint, violations, evidence }: ConstraintCrossing): Draft {
  const { handoff, receipt } = diff
  const receiver = receiverOf(handoff)
  const got = receipt!.record === undefined ? 'no record' : 'a record without it'
  const after =
    violations.length === 0
      ? `${receiver} is free to break it without knowing.`
      : `${receiver} then broke it, without having been told.`
  return {
    ...aboutHandoff(handoff),
    subject: { kind: 'constraint', id: constraint.id },
    message:
      `The rule ${quote(constraint.text || constraint.id)} (${constraint.id}) bound ${handoff.from ?? 'the sender'} and was dropped at the handoff: ` +
      `${receiver} got ${got}, and no item and no instruction holds the rule. ${after}`,
    evidence,
    remedy:
      'Carry active rules in the record: constraints [{id, text, check}], whatever the filter keeps of the words.',
    attribution: 'dropped at the handoff',
    trait: constraint.text || constraint.id,
  }
}
