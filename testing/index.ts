// Assertions over recorded runs and handoffs, for Vitest, Jest and node:test. They throw node:assert's AssertionError.

export type { RunEvent } from '../model/run-log.ts'
export type { Severity } from '../replay/finding.ts'
export { expectHandoff, type HandoffExpectation } from './expect-handoff.ts'
export { expectRun, type RunExpectation } from './expect-run.ts'
export { readRunLog } from './read-run-log.ts'
