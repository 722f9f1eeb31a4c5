import { constraintAt } from '../facts/constraint-at.ts'
import { findConstraint } from '../facts/constraint-crossing.ts'
import { bindsAgent, knowledgeOf } from '../facts/constraint-knowledge.ts'
import { brokenRules } from '../facts/violations.ts'
import { firstStep } from '../history.ts'
import type { Constraint, Handoff, Receipt, Run, Sent, Step } from '../run.ts'
import type { Attribution, ConstraintCrossing } from './handoff-diff.ts'

/** How each rule that bound the plan at the sender crossed, and, if a later call breaks it, whose doing that is. */
export function diffConstraints(
  run: Run,
  handoff: Handoff,
  sent: Sent,
  receipt: Receipt,
): ConstraintCrossing[] {
  return [...run.constraints.values()].flatMap((constraint) => {
    if (!bindsAgent(run, constraint, receipt.by ?? handoff.to)) return []
    const known = knowledgeOf(run, constraint, handoff.from, sent.step) !== undefined
    const violations = violationsBy(run, constraint, receipt)
    // A rule that the sender did not have matters here only if the receiver then broke it.
    if (!known && violations.length === 0) return []
    const rule = constraintAt(constraint, sent.step)
    const found = known ? findConstraint(run, rule, receipt) : { degree: 'absent' as const }
    return [
      {
        constraint: rule,
        ...found,
        violations,
        attribution: attribute(known, found.degree, violations),
        evidence: [
          {
            step: known ? sent.step : firstStep(constraint),
            side: 'sender' as const,
            path: `constraint ${constraint.id}`,
          },
          found.received === undefined
            ? { step: receipt.step, side: 'receiver' as const }
            : { step: receipt.step, side: 'receiver' as const, path: found.received.path },
          ...violations.map((step) => ({ step })),
        ],
      },
    ]
  })
}

function attribute(known: boolean, degree: string, violations: readonly Step[]): Attribution {
  if (!known) return 'not in state'
  if (degree === 'absent') return 'dropped at the handoff'
  return violations.length > 0 ? 'carried, not followed' : 'carried'
}

function violationsBy(run: Run, constraint: Constraint, receipt: Receipt): Step[] {
  return brokenRules(run)
    .filter(
      (broken) =>
        broken.constraint === constraint && broken.step > receipt.step && broken.agent === receipt.by,
    )
    .map(({ step }) => step)
}
