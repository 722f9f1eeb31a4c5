// The lab: one order handed from one agent to another, in six styles, while the network misbehaves in two ways.

export { FORWARDING, STYLES, type Style } from './forwarding.ts'
export { type LabOutcome, labTable, runLab, TIMINGS } from './run-lab.ts'
// Further stories, each with one fault and without it.
export { SCENARIOS } from './scenarios/index.ts'
export type { Scenario, ScenarioOutcome, Variant } from './scenarios/scenario.ts'
export type { Timing } from './warehouse.ts'
