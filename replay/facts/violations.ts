import { canonicalJson } from '../../model/hash.ts'
import type { Attribution } from '../diff/handoff-diff.ts'
import { valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Constraint, Operation, Run, Step } from '../run.ts'
import { violationsOf } from './constraint-check.ts'
import { bindsAgent, knowledgeOf } from './constraint-knowledge.ts'
import { type Received, receivedBefore } from './participation.ts'

/** A call that breaks a rule, and whose doing that is. */
export type BrokenRule = {
  constraint: Constraint
  operation: Operation
  step: Step
  agent?: string | undefined
  attribution: Attribution
  /** The handoff that carried the rule to the agent, or lost it; undefined where the agent was told itself. */
  handoff?: Received | undefined
}

/** Every call that breaks a rule which was active and bound its agent, in order. */
export const brokenRules = oncePerRun((run): readonly BrokenRule[] =>
  [...run.constraints.values()]
    .flatMap((constraint) => breaking(run, constraint))
    .sort((a, b) => a.step - b.step),
)

function breaking(run: Run, constraint: Constraint): BrokenRule[] {
  const checks = new Map(
    constraint.versions.map(({ value }) => [canonicalJson(value.check ?? null), value.check]),
  )
  return [...checks].flatMap(([text, check]) =>
    (violationsOf(run, check) ?? []).flatMap(({ operation, step }) => {
      const version = valueAt(constraint, step)
      // A rule whose check was changed is held against the calls of its time.
      if (!version?.active || canonicalJson(version.check ?? null) !== text) return []
      return attributed(run, constraint, operation, step)
    }),
  )
}

function attributed(run: Run, constraint: Constraint, operation: Operation, step: Step): BrokenRule[] {
  const agent = valueAt(operation, step)?.agent
  if (!bindsAgent(run, constraint, agent)) return []
  return [{ constraint, operation, step, agent, ...attribute(run, constraint, agent, step) }]
}

/** Did the receiver ignore the rule, did the runtime fail to pass it, or did nobody on the way have it? */
function attribute(
  run: Run,
  constraint: Constraint,
  agent: string | undefined,
  step: Step,
): Pick<BrokenRule, 'attribution' | 'handoff'> {
  const knowledge = knowledgeOf(run, constraint, agent, step)
  if (knowledge !== undefined) {
    return { attribution: 'carried, not followed', handoff: knowledge.told ? undefined : knowledge.by }
  }
  const lost = lossOnTheWay(run, constraint, agent, step, new Set())
  return lost === undefined
    ? { attribution: 'not in state' }
    : { attribution: 'dropped at the handoff', handoff: lost }
}

/** The handoff at which the rule was lost, traced back from the agent that lacked it. */
function lossOnTheWay(
  run: Run,
  constraint: Constraint,
  agent: string | undefined,
  step: Step,
  seen: Set<string>,
): Received | undefined {
  if (agent === undefined || seen.has(agent)) return undefined
  seen.add(agent)
  for (const received of receivedBefore(run, agent, step).toReversed()) {
    const { handoff } = received
    if (handoff.sent === undefined) continue
    if (knowledgeOf(run, constraint, handoff.from, handoff.sent.step) !== undefined) return received
    const earlier = lossOnTheWay(run, constraint, handoff.from, handoff.sent.step, seen)
    if (earlier !== undefined) return earlier
  }
  return undefined
}
