import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseEventLine } from '../../model/parse-event.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { brokenRuleLog } from './logs.ts'
import { newPlace } from './place.ts'
import { sourceOfLogs, stage, writeLog } from './stage.ts'

/** The same order with the runtime's record: what the first one lost crosses. */
function carried(run: string): RunEvent[] {
  return brokenRuleLog(run)
}

/** The same order, handed over with its last words only. */
function bare(run: string): RunEvent[] {
  const words = [{ type: 'message', role: 'assistant', content: 'Please bill it.' }]
  return carried(run).map((event) => {
    if (event.kind !== 'handoff.received') return event
    const { record: _, ...rest } = event
    return { ...rest, items: words }
  })
}

/** Two attempts of the same handoff in one run. */
function twice(run: string): RunEvent[] {
  const log = carried(run)
  const again = log
    .filter(({ kind }) => kind === 'handoff.sent' || kind === 'handoff.received')
    .map((event) => ({ ...event, handoff: 'h-2', reason: 'once more' }))
  return [...log.slice(0, -1), ...again, ...log.slice(-1)].map((event, index) => ({
    ...event,
    seq: index + 1,
    at: `2031-03-04T09:00:${String(index).padStart(2, '0')}Z`,
  }))
}

const opened = (...events: RunEvent[]) => stage(sourceOfLogs('two.jsonl', events), [120, 40])

describe('comparing with another handoff', () => {
  it('is chosen from the runs of the same agents: says that the same was handed over and did not arrive', async () => {
    const { press, text } = await opened(...carried('run-a'), ...bare('run-b'))
    await press('G', 'enter', '3')
    expect(text()).toContain('run run-a')
    await press('x')
    expect(text()).toContain('compare h-1 with')
    expect(text()).toMatch(/runs of the same agents, newest first\n› ?run-b/)
    await press('enter')
    expect(text()).toContain('The senders had the same, and the receivers did not get the same')
    expect(text()).toMatch(/operation op-1 reserve_stock {2}carried +! differs +absent/)
    expect(text()).toMatch(/constraint reserve-first {2}carried +! differs +absent/)
    expect(text()).toMatch(/user Set 40 of A-7 aside.* - only in a/)
    expect(text()).toMatch(/\+ only in b +0 assistant Please bill it/)
    await press('o')
    expect(text()).toContain('run run-b')
    await press('esc', 'esc', 'esc')
    expect(text()).toContain('[operations]')
    expect(text()).toContain('run run-a')
  })

  it('is another handoff of the same run', async () => {
    const { press, text } = await opened(...twice('run-t'))
    await press('3', 'x')
    expect(text()).toMatch(/other handoffs of this run\n› h-2 {2}orders → billing/)
    await press('enter')
    expect(text()).toContain('Both receivers got the same.')
  })

  it('is typed: an id, a handoff of it, or the path of a run log that was never imported', async () => {
    const file = writeLog(join(newPlace(), 'elsewhere.jsonl'), bare('run-x'))
    const { press, type, text } = await opened(...carried('run-a'), ...twice('run-t'))
    await press('/')
    await type('run-a')
    await press('enter', 'enter', '3', 'x', 'x')
    expect(text()).toContain(':compare')
    await type('run-t')
    await press('enter')
    expect(text()).toMatch(/handoffs of run-t\n› h-1 {2}.*\n {2}h-2/)
    await press('esc', 'x')
    await type('run-t h-2')
    await press('enter')
    expect(text()).toMatch(/a {2}run-a h-1 {2}orders → billing .* b {2}run-t h-2/)
    await press('esc', 'x')
    await type(file)
    await press('enter')
    await expect.poll(text).toMatch(/b {2}run-x h-1/)
    await press('esc', 'x')
    await type('run-t h-9')
    await press('enter')
    expect(text()).toContain('run run-t has no handoff h-9')
    await press('x')
    await type('nowhere')
    await press('enter')
    expect(text()).toContain('nowhere is no run of two.jsonl')
  })

  it('with itself is refused, and where nothing else is there the screen says what to do', async () => {
    const incident = readFileSync(join(import.meta.dirname, '../../examples/lost-key.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => parseEventLine(line).event!)
    const { press, type, text } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('3', 'x')
    expect(text()).toContain('nothing else with these agents is here')
    expect(text()).toContain('x types the id of a run, or the path of a run-log file')
    await press('x')
    await type('order-4711')
    await press('enter')
    expect(text()).toContain('this is the same handoff')
  })

  it('writes what `handspan compare --json` prints', async () => {
    const { press, type, asked } = await opened(...carried('run-a'), ...bare('run-b'))
    await press('G', 'enter', '3', 'x', 'enter', ':')
    await type('write comparison.json')
    await press('enter')
    expect(JSON.parse(asked.written[0]![1])).toMatchObject({
      command: 'compare',
      a: 'run-a',
      b: 'run-b',
      handoffs: [{ sameInput: true, samePayload: false }],
    })
  })
})
