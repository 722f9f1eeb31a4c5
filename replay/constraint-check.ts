import { canonicalJson } from '../model/hash.ts'
import { isObject, listOf, textOf } from '../model/json.ts'
import { dispatchStep, hasEffect, wasDispatched } from './effects.ts'
import { valueAt } from './history.ts'
import type { Operation, OperationVersion, Run, Step } from './run.ts'

/*
 * The machine-checkable form of a rule (`constraint.check`), evaluated over a run:
 *   {order: [a, b, …]}                    b is sent only after a is settled
 *   {forbid: {tool, args?}}               never sent with these arguments (those given)
 *   {limit: {tool, arg, max?, min?}}      a numeric argument stays within bounds
 *   {require_approval: {tool}}            sent only with an approval that was given
 * A form that is not among these is judged by nobody.
 */

/** An operation that breaks a rule, and the step at which it was sent. */
export type Violation = { operation: Operation; step: Step }

/** Operations that break the check, in order of their steps; undefined if the check has no form that can be judged. */
export function violationsOf(run: Run, check: unknown): Violation[] | undefined {
  if (!isObject(check)) return undefined
  const breaks = rule(run, check)
  if (breaks === undefined) return undefined
  return [...run.operations.values()]
    .flatMap((operation) => {
      const step = dispatchStep(operation)
      return step !== undefined && breaks(operation, step) ? [{ operation, step }] : []
    })
    .sort((a, b) => a.step - b.step)
}

type Breaks = (operation: Operation, step: Step) => boolean

function rule(run: Run, check: Record<string, unknown>): Breaks | undefined {
  if (Array.isArray(check.order)) return order(run, check.order)
  if (check.forbid !== undefined) return forbid(check.forbid)
  if (isObject(check.limit)) return limit(check.limit)
  if (check.require_approval !== undefined) return requireApproval(run, check.require_approval)
  return undefined
}

function order(run: Run, steps: unknown[]): Breaks | undefined {
  const tools = steps.filter((step) => typeof step === 'string')
  if (tools.length < 2 || tools.length !== steps.length) return undefined
  return (operation, step) => {
    const place = tools.indexOf(operation.tool)
    if (place < 1) return false
    const before = tools[place - 1]
    return ![...run.operations.values()].some(
      (earlier) => earlier.tool === before && isDone(valueAt(earlier, step)),
    )
  }
}

function isDone(version: OperationVersion | undefined): boolean {
  return version !== undefined && hasEffect(version)
}

function forbid(value: unknown): Breaks | undefined {
  const tool = toolOf(value)
  if (tool === undefined) return undefined
  const args = isObject(value) ? value.args : undefined
  return (operation) => operation.tool === tool && (args === undefined || holds(operation.args, args))
}

/** True if every given argument has that value. */
function holds(args: unknown, wanted: unknown): boolean {
  if (!isObject(wanted) || !isObject(args)) return canonicalJson(args ?? null) === canonicalJson(wanted)
  return Object.entries(wanted).every(
    ([name, value]) => canonicalJson(args[name] ?? null) === canonicalJson(value),
  )
}

function limit(value: Record<string, unknown>): Breaks | undefined {
  const { tool, arg, max, min } = value
  if (typeof tool !== 'string' || typeof arg !== 'string') return undefined
  if (typeof max !== 'number' && typeof min !== 'number') return undefined
  return (operation) => {
    if (operation.tool !== tool || !isObject(operation.args)) return false
    const given = Number(operation.args[arg])
    return (typeof max === 'number' && given > max) || (typeof min === 'number' && given < min)
  }
}

function requireApproval(run: Run, value: unknown): Breaks | undefined {
  const tools = Array.isArray(value) ? listOf(value).map(toolOf) : [toolOf(value)]
  if (tools.some((tool) => tool === undefined)) return undefined
  return (operation, step) => tools.includes(operation.tool) && !isApproved(run, operation, step)
}

/** An approval for the operation, or one that it names, was given by that step. */
function isApproved(run: Run, operation: Operation, step: Step): boolean {
  const named = operation.versions.find(({ value }) => wasDispatched(value))?.value.approval
  return [...run.approvals.values()].some((approval) => {
    const state = valueAt(approval, step)?.state
    return (
      (approval.id === named || approval.for === operation.op) &&
      (state === 'approved' || state === 'consumed')
    )
  })
}

function toolOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : isObject(value) ? textOf(value.tool) : undefined
}
