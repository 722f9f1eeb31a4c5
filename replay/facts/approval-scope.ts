import { canonicalJson } from '../../model/hash.ts'
import { fromJsonText, isObject } from '../../model/json.ts'
import { firstStep, latest, valueAt } from '../history.ts'
import type { Approval, ApprovalVersion, Operation, OperationVersion, Run, Step } from '../run.ts'
import { isKnownTool, operationsNaming, shownTo, waitingOperation } from './approval-matter.ts'
import { effectArguments, wasDispatched } from './effects.ts'
import { compareScope } from './scope.ts'
import { sameTool } from './tool-names.ts'

/** A call that an approval is for, with what the approval said at that moment. */
export type ApprovedCall = {
  run: Run
  operation: Operation
  /** The call as it left, or as it waits. */
  call: OperationVersion
  step: Step
  dispatched: boolean
  approval: Approval
  version: ApprovalVersion
  /** Step at which the approval was asked for, or last changed. */
  asked: Step
}

/** The calls that wait for an approval or left under it; none once it was refused. */
export function approvedCalls(run: Run, approval: Approval): ApprovedCall[] {
  const waiting = waitingOperation(run, approval)
  const named = operationsNaming(run, approval)
  return [...new Set([...(waiting === undefined ? [] : [waiting]), ...named])].flatMap((operation) => {
    const left = operation.versions.find(
      ({ step, value }) => wasDispatched(value) && step > firstStep(approval),
    )
    const at = left ?? { step: operation.versions.at(-1)!.step, value: latest(operation) }
    // A call that left before the question is not what the question is about.
    if (left === undefined && operation.versions.some(({ value }) => wasDispatched(value))) return []
    const version = valueAt(approval, at.step) ?? latest(approval)
    if (version.state === 'rejected') return []
    const asked = approval.versions.findLast(
      ({ step }) => step <= Math.max(at.step, firstStep(approval)),
    )!.step
    return [
      {
        run,
        operation,
        call: at.value,
        step: at.step,
        dispatched: left !== undefined,
        approval,
        version,
        asked,
      },
    ]
  })
}

/** What a person was asked about instead of this call, as words; undefined if it is the same, or cannot be compared. */
export function scopeFault(approved: ApprovedCall): { words: string; path: string } | undefined {
  const { version, operation, call } = approved
  const shown = shownTo(version)
  const shownArgs = compareScope(shown?.args, call.args)
  if (shownArgs.verdict === 'different') return differs('showed', shownArgs, 'shown')
  if (isOtherAction(shown?.tool, operation.tool) && shownArgs.verdict !== 'same') {
    return { words: `showed ${shown!.tool}`, path: 'shown' }
  }
  const scope = compareScope(version.scope, call.args)
  if (scope.verdict === 'different') return differs('is for', scope, 'scope')
  if (
    isOtherAction(actionAsTool(approved), operation.tool) &&
    scope.verdict !== 'same' &&
    shownArgs.verdict !== 'same'
  ) {
    return { words: `is for ${version.action}`, path: 'action' }
  }
  return changedAfterwards(approved)
}

function differs(
  verb: string,
  { field, scope, actual }: { field: string; scope: unknown; actual: unknown },
  path: string,
): { words: string; path: string } {
  const words = `${verb} ${field} ${canonicalJson(scope ?? null)}, not ${canonicalJson(actual ?? null)}`
  return { words, path: `${path}.${field}` }
}

/** The action if it is the name of a tool, rather than a word for a person. */
function actionAsTool({ run, version }: ApprovedCall): string | undefined {
  const action = version.action?.trim()
  if (action === undefined || /\s/u.test(action)) return undefined
  return /[_.:/-]|\p{Ll}\p{Lu}/u.test(action) || isKnownTool(run, action) ? action : undefined
}

/**
 * Another action, as far as its name tells. Neither may be a part of the other:
 * `refund` may be what `refund_fee` is called for a person.
 */
function isOtherAction(action: string | undefined, tool: string): boolean {
  if (action === undefined || tool === '' || sameTool(action, tool)) return false
  const [a, b] = [partsOf(action), partsOf(tool)]
  const within = (less: Set<string>, more: Set<string>) => [...less].every((part) => more.has(part))
  return a.size > 0 && b.size > 0 && !within(a, b) && !within(b, a)
}

function partsOf(name: string): Set<string> {
  const spaced = name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
  return new Set(
    spaced
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((part) => part !== ''),
  )
}

/** The arguments when the question was asked are what was asked about, if the approval does not say it itself. */
function changedAfterwards({
  operation,
  call,
  approval,
  dispatched,
}: ApprovedCall): { words: string; path: string } | undefined {
  if (!dispatched || latest(approval).scope !== undefined || approval.for !== operation.op) return undefined
  const known = valueAt(operation, lastAsked(approval))
  const before = effectArguments(fromJsonText(known?.args), known?.key)
  const after = effectArguments(fromJsonText(call.args), call.key)
  if (!isObject(before) || !isObject(after) || canonicalJson(before) === canonicalJson(after))
    return undefined
  const field = Object.keys({ ...before, ...after }).find(
    (name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null),
  )!
  return differs(
    'was given while the call had',
    { field, scope: before[field], actual: after[field] },
    'args',
  )
}

function lastAsked(approval: Approval): Step {
  return approval.versions.findLast(({ value }) => value.state === 'pending')?.step ?? firstStep(approval)
}
