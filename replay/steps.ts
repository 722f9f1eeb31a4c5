import type { Step } from './run.ts'

/** True if one of the steps lies strictly between two others. `steps` are in order. */
export function anyBetween(steps: readonly Step[], after: Step, before: Step): boolean {
  const index = indexWhere(steps.length, (at) => steps[at]! > after)
  return index < steps.length && steps[index]! < before
}

/** The index of the first entry after a step; the length if there is none. Entries are in order of their steps. */
export function firstIndexAfter(entries: readonly { step: Step }[], step: Step): number {
  return indexWhere(entries.length, (at) => entries[at]!.step > step)
}

function indexWhere(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
