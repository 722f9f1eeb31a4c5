import { AsyncLocalStorage } from 'node:async_hooks'
import type { Run } from './run.ts'

const storage = new AsyncLocalStorage<Run>()

/** Calls the function with this run as the current one, for it and everything asynchronous that it starts. */
export function enter<T>(run: Run, act: () => T): T {
  return storage.run(run, act)
}

/** The run of the code that asks; undefined outside of one. */
export function currentRun(): Run | undefined {
  return storage.getStore()
}
