import { describe, expect, it } from 'vitest'
import { generateRun } from '../../bench/generate.ts'
import { parseEventLine } from '../../model/parse-event.ts'
import { isKind } from '../../model/run-log.ts'
import { foldRun } from '../../replay/fold/fold.ts'

describe('generated runs', () => {
  it.each([2, 3, 19, 20, 200, 1000])('of %i events have exactly so many, all of them valid', (count) => {
    const events = generateRun({ run: 'r', events: count, seed: 3 })
    expect(events).toHaveLength(count)
    expect(events[0]!.kind).toBe('run.start')
    expect(events.at(-1)!.kind).toBe('run.end')
    const refused = events.map((event) => parseEventLine(JSON.stringify(event))).filter(({ event }) => !event)
    expect(refused).toEqual([])
  })

  it('are the same for the same seed and others for another', () => {
    const text = (seed: number) => JSON.stringify(generateRun({ run: 'r', events: 300, seed }))
    expect(text(5)).toBe(text(5))
    expect(text(5)).not.toBe(text(6))
  })

  it('hold what a run holds: handoffs with both sides, settled writes under keys, decided approvals', () => {
    const run = foldRun(generateRun({ run: 'r', events: 2000, seed: 11 }))
    expect(run.handoffs.length).toBeGreaterThan(30)
    for (const handoff of run.handoffs) {
      expect(handoff.sent?.items?.length).toBeGreaterThan(0)
      expect(handoff.receipts).toHaveLength(1)
    }
    const writes = [...run.operations.values()].filter(({ effect }) => effect === 'write')
    expect(writes.length).toBeGreaterThan(50)
    expect(writes.every(({ key }) => key !== undefined)).toBe(true)
    expect(new Set(writes.map(({ versions }) => versions.at(-1)!.value.state))).toEqual(
      new Set(['settled', 'unknown']),
    )
    expect([...run.approvals.values()].map(({ versions }) => versions.at(-1)!.value.state)).toContain(
      'consumed',
    )
  })

  it('carry in each record the effects that were completed by then', () => {
    const events = generateRun({ run: 'r', events: 600, seed: 2 })
    const settled = new Set<string>()
    let handoffs = 0
    for (const event of events) {
      if (isKind(event, 'operation') && event.effect === 'write' && event.state === 'settled')
        settled.add(event.op)
      if (!isKind(event, 'handoff.sent')) continue
      handoffs++
      const completed = (event.record as { completed_effects: { op: string }[] }).completed_effects
      expect(new Set(completed.map(({ op }) => op))).toEqual(settled)
    }
    expect(handoffs).toBeGreaterThan(5)
  })
})
