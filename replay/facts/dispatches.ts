import { oncePerRun } from '../once-per-run.ts'
import type { Operation, OperationState, OperationVersion, Run, Step } from '../run.ts'
import { effectOf, effectOfCall, wasDispatched } from './effects.ts'
import { lostWithHandoff } from './lost-with-handoff.ts'

/**
 * One time that a call left the process. An operation whose attempts share an op id has several; two operations with the
 * same effect have one each.
 */
export type Dispatch = {
  operation: Operation
  /** Tool and arguments, without the key. */
  effect: string
  step: Step
  key?: string | undefined
  call?: string | undefined
  agent?: string | undefined
  approval?: string | undefined
  attempt: number
  /** What the log says of this dispatch, from its own step on. */
  versions: { step: Step; value: OperationVersion }[]
}

/** The dispatches of one operation, in order. */
export function dispatchesOf(operation: Operation): Dispatch[] {
  const out: Dispatch[] = []
  for (const version of operation.versions) {
    const current = out.at(-1)
    const { attempt } = version.value.event
    const own = attempt === undefined ? undefined : out.findLast((dispatch) => dispatch.attempt === attempt)
    if (current === undefined || begins(version.value, current)) {
      if (wasDispatched(version.value)) out.push(dispatch(operation, version))
    } else (own ?? current).versions.push(version)
  }
  return out
}

/** Writes that left the process, each time they did, in order. */
export const writeDispatches = oncePerRun((run): Dispatch[] =>
  [...run.operations.values()]
    .filter((operation) => operation.effect === 'write')
    .flatMap((operation) => {
      const own = dispatchesOf(operation)
      return own.length > 0 ? own : dispatchedWithHandoff(run, operation)
    })
    .sort((a, b) => a.step - b.step),
)

/** A call that the log only proposes, and that went out with a handoff which ended unknown, may have left as well. */
function dispatchedWithHandoff(run: Run, operation: Operation): Dispatch[] {
  const lost = lostWithHandoff(run).get(operation)
  if (lost === undefined) return []
  return [dispatch(operation, { step: lost.sent, value: { ...lost.before, state: 'unknown' } })]
}

/** What the log knew of a dispatch right before a step. */
export function stateBefore(dispatch: Dispatch, step: Step): OperationState {
  return (dispatch.versions.findLast((version) => version.step < step) ?? dispatch.versions[0]!).value.state
}

/** Puts values together that have the same name, in order of their first. */
export function groupBy<T, Name>(values: Iterable<T>, nameOf: (value: T) => Name): Map<Name, T[]> {
  const groups = new Map<Name, T[]>()
  for (const value of values) {
    const name = nameOf(value)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [value])
    else group.push(value)
  }
  return groups
}

function dispatch(operation: Operation, version: { step: Step; value: OperationVersion }): Dispatch {
  const { key, args, agent, approval, attempt, event } = version.value
  return {
    operation,
    effect:
      args === operation.args && key === operation.key
        ? effectOf(operation)
        : effectOfCall(operation.tool, args, key),
    step: version.step,
    key,
    call: event.call ?? operation.call,
    agent,
    approval,
    attempt,
    versions: [version],
  }
}

/** A higher attempt, another key, or `sent` once more after an outcome: the call leaves again. */
function begins(value: OperationVersion, current: Dispatch): boolean {
  const { attempt } = value.event
  if (attempt !== undefined && attempt !== current.attempt) return attempt > current.attempt
  if (value.state !== 'sent') return false
  const last = current.versions.at(-1)!.value.state
  return (
    last !== 'sent' || (value.key !== undefined && current.key !== undefined && value.key !== current.key)
  )
}
