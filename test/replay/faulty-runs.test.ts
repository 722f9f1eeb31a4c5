import { describe, expect, it } from 'vitest'
import { analyseTogether, checks } from '../../replay/index.ts'
import { FAULTS, faultyRun } from '../generators/faulty-run.ts'
import type { Encoder } from '../generators/forms/encoder.ts'
import { ENCODERS, FORMS } from '../generators/item-forms.ts'

const SEEDS = [1, 2]
const ITEM_CHECKS = new Set([
  ...['sensitive-leaked', 'filter-not-applied', 'item-orphaned', 'item-duplicated', 'item-reordered'],
  ...['attachment-dropped', 'payload-empty', 'payload-growth', 'result-not-delivered', 'brief-dropped'],
  ...['op-result-missing', 'user-message-dropped'],
])

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

  // Whether they are found rests on what is read of the items.
  const ofItems = FAULTS.filter(({ check, style }) => ITEM_CHECKS.has(check) && style?.form === undefined)

  // Without ids nobody can tell a call that stands twice from one that was made twice, nor whose answer came too early.
  const BY_ID = new Set(['a call twice', 'a result before its call'])

  it.each(FORMS)('raises what is wrong with items in the form %s', (form) => {
    const { nameless = false }: Encoder = ENCODERS[form]
    const missed = ofItems.filter((fault) => {
      if (nameless && BY_ID.has(fault.name)) return false
      const log = faultyRun(1, { ...fault, style: { ...fault.style, form } })
      return !analyseTogether(log).some(({ findings }) => findings.some(({ check }) => check === fault.check))
    })
    expect(missed.map(({ check, name }) => `${check}: ${name}`)).toEqual([])
  })
})
