import { analyse, analyseTogether, checks } from '../replay/index.ts'
import { cleanRun } from '../test/generators/clean-run.ts'
import { FAULTS, faultyRun } from '../test/generators/faulty-run.ts'

export type ChecksInput = { clean: number; each: number }

/** Of the faulty runs of one check: how many there were, in how many forms, and how many raised it. */
export type Rate = { check: string; forms: number; runs: number; raised: number }
export type Rates = {
  rates: Rate[]
  runs: number
  events: number
  alarms: number
  ids: Record<string, number>
}

/** Judges runs with one known fault, and ordinary ones. */
export function checkRates({ clean, each }: ChecksInput): Rates {
  const rates = checks.map(({ id }): Rate => {
    const faults = FAULTS.filter(({ check }) => check === id)
    let raised = 0
    for (const fault of faults) {
      for (let seed = 1; seed <= each; seed++) {
        const found = analyseTogether(faultyRun(seed, fault)).flatMap(({ findings }) => findings)
        if (found.some(({ check }) => check === id)) raised++
      }
    }
    return { check: id, forms: faults.length, runs: faults.length * each, raised }
  })
  const ids: Record<string, number> = {}
  let events = 0
  let alarms = 0
  for (let seed = 1; seed <= clean; seed++) {
    const log = cleanRun(seed)
    const { findings } = analyse(log)
    events += log.length
    if (findings.length > 0) alarms++
    for (const check of new Set(findings.map((finding) => finding.check))) ids[check] = (ids[check] ?? 0) + 1
  }
  return { rates, runs: clean, events, alarms, ids }
}
