import { Remembered } from './remembered.ts'
import type { Run } from './run.ts'

/** Makes a value once for each run, however many checks ask for it. A folded run does not change any more. */
export function oncePerRun<T>(make: (run: Run) => T): (run: Run) => T {
  const made = new Remembered<Run, { value: T }>()
  return (run) => {
    let known = made.get(run)
    if (known === undefined) {
      known = { value: make(run) }
      made.set(run, known)
    }
    return known.value
  }
}
