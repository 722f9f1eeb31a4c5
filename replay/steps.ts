import type { Step } from './run.ts'

/** True if one of the steps lies strictly between two others. `steps` are in order. */
export function anyBetween(steps: readonly Step[], after: Step, before: Step): boolean {
  let low = 0
  let high = steps.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (steps[middle]! <= after) low = middle + 1
    else high = middle
  }
  return low < steps.length && steps[low]! < before
}
