import type { Step } from './run.ts'

/** True if one of the steps lies strictly between two others. `steps` are in order. */
export function anyBetween(steps: readonly Step[], after: Step, before: Step): boolean {
  let low = 0
  let high = steps.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (steps[middle]! > after) high = middle
    else low = middle + 1
  }
  return low < steps.length && steps[low]! < before
}

/** The index of the first entry after a step; the length if there is none. Entries are in order of their steps. */
export function firstIndexAfter(entries: readonly { step: Step }[], step: Step): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (entries[middle]!.step > step) high = middle
    else low = middle + 1
  }
  return low
}
