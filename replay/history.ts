import type { History, Operation, OperationVersion, Step } from './run.ts'

/** The value at a step (that step's own event included); undefined before its first version. */
export function valueAt<T>(history: History<T>, step: Step): T | undefined {
  const { versions } = history
  let low = 0
  let high = versions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (versions[middle]!.step <= step) low = middle + 1
    else high = middle
  }
  return low === 0 ? undefined : versions[low - 1]!.value
}

/** The value at the end. */
export function latest<T>(history: History<T>): T {
  return history.versions.at(-1)!.value
}

/** The step at which it first appeared. */
export function firstStep(history: History<unknown>): Step {
  return history.versions[0]!.step
}

/** A write that was dispatched and whose outcome nobody knows: `sent` or `unknown`. */
export function isInDoubt(operation: Operation, version: OperationVersion | undefined): boolean {
  return operation.effect === 'write' && (version?.state === 'sent' || version?.state === 'unknown')
}

/** True if the state says that the outcome is known, whatever it was. */
export function isSettledState(state: string | undefined): boolean {
  return state === 'settled' || state === 'failed' || state === 'closed'
}
