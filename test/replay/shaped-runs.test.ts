import { describe, expect, it } from 'vitest'
import { shapeFields } from '../../instrumentation/shape.ts'
import type { JsonObject } from '../../model/json.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { type Analysis, analyseTogether } from '../../replay/analyse.ts'
import { cleanRun } from '../generators/clean-run.ts'
import { FAULTS, faultyRun } from '../generators/faulty-run.ts'

/*
 * The same runs as `content: shape` writes them: every text by its size and hash. That may hide a fault, and then it has to
 * be said; it must never make one.
 */

const shapedEvent = ({ run, seq, at, kind, ...fields }: RunEvent): RunEvent =>
  ({ run, seq, at, kind, ...shapeFields(fields as JsonObject, {}) }) as unknown as RunEvent

const judgeBoth = (events: readonly RunEvent[]) => ({
  full: analyseTogether(events),
  shaped: analyseTogether(events.map(shapedEvent)),
})

const namesOf = (analyses: readonly Analysis[]) =>
  new Set(analyses.flatMap(({ findings }) => findings.map((one) => `${one.check} ${one.handoff ?? ''}`)))

describe('a run of which the log has no words', () => {
  it('raises nothing if it is an ordinary one', () => {
    for (let seed = 1; seed <= 150; seed++) {
      const found = analyseTogether(cleanRun(seed).map(shapedEvent)).flatMap(({ findings }) => findings)
      expect(found.map(({ check, message }) => `${seed} ${check}: ${message}`)).toEqual([])
    }
  })

  it.each(FAULTS.map((fault, index) => ({ fault, index })))(
    'raises what it raises with them, or says that it cannot ($fault.check, $index)',
    ({ fault }) => {
      for (const seed of [1, 2]) {
        const { full, shaped } = judgeBoth(faultyRun(seed, fault))
        const unsaid = new Set(shaped.flatMap(({ notJudged }) => notJudged.map(({ check }) => check)))
        const [inFull, inShape] = [namesOf(full), namesOf(shaped)]
        expect([...inShape].filter((name) => !inFull.has(name))).toEqual([])
        const silent = [...inFull].filter((name) => !inShape.has(name) && !unsaid.has(name.split(' ')[0]!))
        expect(silent).toEqual([])
      }
    },
  )

  it('measures what the words did', () => {
    const measured = ({ diffs }: Analysis) =>
      diffs.map(({ sizes: { items, itemsBefore, record, tokenMethod } }) => ({
        ...{ items, itemsBefore, record, tokenMethod },
      }))
    for (let seed = 1; seed <= 20; seed++) {
      const { full, shaped } = judgeBoth(cleanRun(seed))
      expect(shaped.map(measured)).toEqual(full.map(measured))
    }
  })
})
