import { describe, expect, it } from 'vitest'
import { analyse } from '../../replay/index.ts'
import { cleanRun } from '../generators/clean-run.ts'
import { FORMS } from '../generators/item-forms.ts'

const told = (seed: number, turns?: number, style?: Parameters<typeof cleanRun>[2]) =>
  analyse(cleanRun(seed, turns, style)).findings.map(({ check, message }) => `${check}: ${message}`)

describe('ordinary runs of a sound runtime', () => {
  it.each(Array.from({ length: 80 }, (_, index) => index + 1))('raise nothing (seed %i)', (seed) => {
    expect(told(seed)).toEqual([])
  })

  it.each(FORMS)('raise nothing when they are long, with items in the form %s', (form) => {
    expect(told(1, 40, { form })).toEqual([])
  })

  it.each([680, 3228, 9197, 18851])(
    'raise nothing that only clocks, or a habit of speech, could make (seed %i)',
    (seed) => {
      expect(told(seed)).toEqual([])
    },
  )
})
