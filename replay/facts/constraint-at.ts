import { valueAt } from '../history.ts'
import { Remembered } from '../remembered.ts'
import type { Constraint, ConstraintVersion, Step } from '../run.ts'

const made = new Remembered<ConstraintVersion, Constraint>()

/** The rule with the text and check that it had at a step: both may change under one id. */
export function constraintAt(constraint: Constraint, step: Step): Constraint {
  const version = valueAt(constraint, step)
  if (version === undefined || version.hash === constraint.hash) return constraint
  let rule = made.get(version)
  if (rule === undefined) {
    const { text, check, hash } = version
    rule = { ...constraint, text, check, hash }
    made.set(version, rule)
  }
  return rule
}
