import { isObject } from '../../model/json.ts'
import { valueAt } from '../history.ts'
import type { Constraint, Run, Step } from '../run.ts'
import { gatedCalls } from './constraint-check.ts'

/** A tool that an agent's permissions or a rule once denied and, by a step, deny no more. */
export type LiftedDenial = {
  tool: string
  lifted: Step
  rule?: Constraint
  /** The arguments that were denied; none if the tool was, whatever its arguments. */
  values: string[]
}

/** The denials that were lifted by a step, over all agents and rules. */
export function liftedDenials(run: Run, step: Step): LiftedDenial[] {
  return [...liftedPermissions(run, step), ...liftedRules(run, step)]
}

function liftedPermissions(run: Run, step: Step): LiftedDenial[] {
  return [...run.agents.values()].flatMap(({ versions }) => {
    const known = versions.filter((version) => version.step <= step)
    const now = known.at(-1)
    if (now === undefined || known.length < 2) return []
    const denied = new Set(known.slice(0, -1).flatMap(({ value }) => value.deny ?? []))
    return [...denied]
      .filter(
        (tool) => !now.value.deny?.includes(tool) && !(now.value.closed && !now.value.allow?.includes(tool)),
      )
      .map((tool) => ({ tool, lifted: now.step, values: [] }))
  })
}

/** What a revoked rule forbade, or allowed with a yes only, and no other rule that holds does. */
function liftedRules(run: Run, step: Step): LiftedDenial[] {
  const rules = [...run.constraints.values()]
  const gated = new Set(
    rules.flatMap((rule) => {
      const now = valueAt(rule, step)
      return now?.active ? gatedCalls(now.check).map(({ tool }) => tool) : []
    }),
  )
  return rules.flatMap((rule) => {
    if (valueAt(rule, step)?.active !== false) return []
    const known = rule.versions.filter((version) => version.step <= step)
    const last = known.findLastIndex(({ value }) => value.active)
    if (last < 0) return []
    return gatedCalls(known[last]!.value.check)
      .filter(({ tool }) => !gated.has(tool))
      .map(({ tool, args }) => ({ tool, lifted: known[last + 1]!.step, rule, values: leavesOf(args) }))
  })
}

function leavesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf)
  if (isObject(value)) return Object.values(value).flatMap(leavesOf)
  return value === undefined || value === '*' ? [] : [String(value)]
}
