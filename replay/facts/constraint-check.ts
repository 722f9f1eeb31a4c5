import { canonicalJson } from '../../model/hash.ts'
import { fromJsonText, isObject, listOf, textOf } from '../../model/json.ts'
import { isGiven } from '../fold/approval-state.ts'
import { valueAt } from '../history.ts'
import type { Operation, Run, Step } from '../run.ts'
import { amountsIn } from './amounts.ts'
import { doesMatter, matterOf, operationsNaming } from './approval-matter.ts'
import { dispatchStep } from './effects.ts'
import { precedingCalls } from './order-of-calls.ts'
import { ruleNames, sameTool } from './tool-names.ts'

/*
 * The machine-checkable form of a rule (`constraint.check`), evaluated over a run:
 *   {order: [a, b, …]}                    b is sent only after a is settled, for the object that both are about
 *   {forbid: {tool?, args?, effect?}}     never sent with these arguments (those given)
 *   {limit: {tool?, arg, max?, min?}}     a numeric argument stays within bounds
 *   {require_approval: {tool, args?}}     sent only with an approval that was given
 * A tool is a name, a pattern with `*`, or a list of them. Several forms together all hold. A form that is not among these
 * is judged by nobody.
 */

/** Operations that break a rule, and the step at which each was sent. */
export type Violation = { operation: Operation; step: Step }

/** Operations that break the check, in order of their steps; undefined if the check has no form that can be judged. */
export function violationsOf(run: Run, check: unknown): Violation[] | undefined {
  const rules = [fromJsonText(check)].flat().flatMap((form) => (isObject(form) ? rulesIn(run, form) : []))
  if (rules.length === 0) return undefined
  return [...run.operations.values()]
    .flatMap((operation) => {
      const step = dispatchStep(operation)
      return step !== undefined && rules.some((breaks) => breaks(operation, step))
        ? [{ operation, step }]
        : []
    })
    .sort((a, b) => a.step - b.step)
}

/** The tools that a check forbids, or allows with a yes only, and the arguments with which it does. */
export function gatedCalls(check: unknown): { tool: string; args: unknown }[] {
  const forms = [fromJsonText(check)].flat().filter(isObject)
  const gates = forms.flatMap((form) => [...each(form.forbid), ...yesRules(form)])
  return gates.flatMap((gate) =>
    toolsOf(gate).map((tool) => ({ tool, args: isObject(gate) ? fromJsonText(gate.args) : undefined })),
  )
}

type Breaks = (operation: Operation, step: Step) => boolean

function rulesIn(run: Run, check: Record<string, unknown>): Breaks[] {
  return [
    ...(Array.isArray(check.order) ? order(run, check.order) : []),
    ...each(check.forbid).flatMap(forbid),
    ...each(check.limit).flatMap(limit),
    ...yesRules(check).flatMap((value) => requireApproval(run, value)),
  ]
}

function yesRules(check: Record<string, unknown>): unknown[] {
  return each(check.require_approval ?? check.requireApproval)
}

function each(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
}

function order(run: Run, steps: unknown[]): Breaks[] {
  const tools = steps.flatMap((step) => toolsOf(step).slice(0, 1)).map((tool) => meaning([tool]))
  if (tools.length < 2 || tools.length !== steps.length) return []
  // Nothing has to follow the last.
  const before = tools
    .slice(0, -1)
    .map((isMeant) => precedingCalls([...run.operations.values()].filter(({ tool }) => isMeant(tool))))
  return [
    (operation, step) => {
      const place = tools.findIndex((isMeant) => isMeant(operation.tool))
      return place > 0 && before[place - 1]!(operation) > step
    },
  ]
}

function forbid(value: unknown): Breaks[] {
  const tools = toolsOf(value)
  const { args, effect } = isObject(value) ? value : {}
  const isMeant = meaning(tools)
  if (tools.length === 0 && args === undefined && effect === undefined) return []
  return [
    (operation) =>
      (tools.length === 0 || isMeant(operation.tool)) &&
      (args === undefined || holds(operation.args, args)) &&
      (effect === undefined || (operation.effect === effect && !operation.effectAssumed)),
  ]
}

/** True if every given argument has that value; of one that is itself made of fields, every given field. */
function holds(args: unknown, wanted: unknown): boolean {
  const [given, rule] = [fromJsonText(args), fromJsonText(wanted)]
  if (!isObject(rule) || !isObject(given)) return canonicalJson(given ?? null) === canonicalJson(rule ?? null)
  return Object.entries(rule).every(([name, value]) => value === '*' || has(at(given, name), value))
}

/** An empty rule inside of another means an empty argument, not any. */
function has(given: unknown, wanted: unknown): boolean {
  const isPart = isObject(wanted) && isObject(given) && Object.keys(wanted).length > 0
  return isPart ? holds(given, wanted) : canonicalJson(given ?? null) === canonicalJson(wanted ?? null)
}

function limit(value: unknown): Breaks[] {
  if (!isObject(value)) return []
  const { arg, max, min } = value
  const tools = toolsOf(value)
  const isMeant = meaning(tools)
  if (typeof arg !== 'string' || (typeof max !== 'number' && typeof min !== 'number')) return []
  return [
    (operation) => {
      if (tools.length > 0 && !isMeant(operation.tool)) return false
      const given = at(fromJsonText(operation.args), arg)
      if (given === undefined || given === null || given === '') return false
      const amounts = amountsIn(given)
      const breaks = (amount: number) =>
        (typeof max === 'number' && amount > max) || (typeof min === 'number' && amount < min)
      return amounts.length > 0 && amounts.every(breaks)
    },
  ]
}

/** An argument by its name, or by a path such as `payment.amount`. */
function at(args: unknown, name: string): unknown {
  if (!isObject(args)) return undefined
  if (Object.hasOwn(args, name)) return args[name]
  const dot = name.indexOf('.')
  return dot < 0 ? undefined : at(args[name.slice(0, dot)], name.slice(dot + 1))
}

function requireApproval(run: Run, value: unknown): Breaks[] {
  const tools = toolsOf(value)
  if (tools.length === 0) return []
  const args = isObject(value) ? value.args : undefined
  const isMeant = meaning(tools)
  return [
    (operation, step) =>
      isMeant(operation.tool) &&
      (args === undefined || holds(operation.args, args)) &&
      !isApproved(run, operation, step),
  ]
}

/** An approval for the operation, for what it does, or one that it names, was given by that step. */
function isApproved(run: Run, operation: Operation, step: Step): boolean {
  return [...run.approvals.values()].some((approval) => {
    const version = valueAt(approval, step)
    if (version === undefined || !isGiven(version.state)) return false
    return (
      operationsNaming(run, approval).includes(operation) ||
      doesMatter(matterOf(run, approval, version), operation)
    )
  })
}

/** Whether one of the rule's names means a tool. Tools are few and calls are many: each is judged once. */
function meaning(rules: readonly string[]): (tool: string) => boolean {
  const judged = new Map<string, boolean>()
  return (tool) => {
    let isMeant = judged.get(tool)
    if (isMeant === undefined) {
      isMeant = rules.some((rule) => sameTool(rule, tool) || ruleNames(rule, tool))
      judged.set(tool, isMeant)
    }
    return isMeant
  }
}

function toolsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (!isObject(value)) return []
  const single = textOf(value.tool)
  return [...(single === undefined ? [] : [single]), ...listOf(value.tool), ...listOf(value.tools)].filter(
    (tool) => typeof tool === 'string',
  )
}
