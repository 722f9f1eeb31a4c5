import { describe, expect, it } from 'vitest'
import { analyse } from '../../replay/index.ts'
import { cleanRun } from '../generators/clean-run.ts'

describe('ordinary runs of a sound runtime', () => {
  it.each(Array.from({ length: 150 }, (_, index) => index + 1))('raise nothing (seed %i)', (seed) => {
    const { findings } = analyse(cleanRun(seed))
    expect(findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([])
  })

  it('raise nothing when they are long', () => {
    const { findings, run } = analyse(cleanRun(1, 300))
    expect(run.events.length).toBeGreaterThan(500)
    expect(findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([])
  })
})
