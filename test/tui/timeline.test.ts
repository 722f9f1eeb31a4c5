import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseEventLine } from '../../model/parse-event.ts'
import { analyse } from '../../replay/analyse.ts'
import { stateAt } from '../../replay/state.ts'
import { fitLine, textOfLine } from '../../tui/lines.ts'
import { elapsedText, MOST_LANES, timelineLine, timelineOf } from '../../tui/rows/timeline.ts'
import { brokenRuleLog } from './logs.ts'

const incident = readFileSync(join(import.meta.dirname, '../../examples/lost-key.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => parseEventLine(line).event!)

describe('timeline', () => {
  it.each([
    ['the incident', incident],
    ['a broken rule', brokenRuleLog()],
  ])('%s: owner and doubt at every step are those of the state', (_, events) => {
    const analysis = analyse(events)
    const timeline = timelineOf(analysis)
    for (let step = 0; step < events.length; step++) {
      const state = stateAt(analysis.run, step)
      expect(timeline.lanes[timeline.owner[step]!]).toBe(state.owner)
      for (const [lane, name] of timeline.lanes.entries()) {
        const doubt = state.operations.some(({ version, inDoubt }) => inDoubt && version.agent === name)
        expect([step, name, timeline.doubt[lane]![step]]).toEqual([step, name, doubt ? 1 : 0])
      }
    }
  })

  it('draws the handoff as an arrow and moves the bar of custody to the receiver', () => {
    const timeline = timelineOf(analyse(incident))
    const row = (step: number) => textOfLine(fitLine(timelineLine(timeline, step, false), 60))
    expect(row(6)).toMatch(/◆┃· /)
    expect(row(7)).toMatch(/●─▶ /)
    expect(row(8)).toMatch(/▒ ●┃/)
  })

  it('stops at steps that findings point to', () => {
    const analysis = analyse(incident)
    const pointed = new Set(analysis.findings.flatMap(({ evidence }) => evidence.map(({ step }) => step)))
    expect(timelineOf(analysis).problems).toEqual([...pointed].sort((a, b) => a - b))
  })

  it('gives everybody past the last lane one lane together', () => {
    const events = Array.from({ length: 30 }, (_, index) => ({
      run: 'r',
      kind: 'message',
      agent: `agent ${index}`,
      content: 'x',
    }))
    const timeline = timelineOf(analyse(events))
    expect(timeline.lanes).toHaveLength(MOST_LANES)
    expect(timeline.lanes.at(-1)).toBe('others')
    expect([...timeline.actor.slice(0, 3)]).toEqual([0, 1, 2])
    expect(timeline.actor[29]).toBe(MOST_LANES - 1)
  })

  it('tells short and long times apart', () => {
    expect([12_345, 600_000, 7_200_000, Number.NaN].map(elapsedText)).toEqual([
      '+12.345s',
      '+10.0m',
      '+2.0h',
      '',
    ])
  })
})
