import { describe, expect, it } from 'vitest'
import { analyseTogether, checks } from '../../replay/index.ts'
import { FAULTS, faultyRun } from '../generators/faulty-run.ts'

const SEEDS = [1, 2]

describe('an ordinary run with one fault in it', () => {
  it('has a fault for every check', () => {
    const known = new Set(FAULTS.map(({ check }) => check))
    expect(checks.filter(({ id }) => !known.has(id)).map(({ id }) => id)).toEqual([])
  })

  it.each(FAULTS.map((fault) => [fault.check, fault.name, fault] as const))(
    'raises %s: %s',
    (check, _, fault) => {
      for (const seed of SEEDS) {
        const findings = analyseTogether(faultyRun(seed, fault)).flatMap((analysis) => analysis.findings)
        expect(findings.map((finding) => finding.check)).toContain(check)
        for (const { evidence } of findings) expect(evidence.length).toBeGreaterThan(0)
      }
    },
  )
})
