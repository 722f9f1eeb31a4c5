import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { TABS } from '../../tui/rows/tabs.ts'
import { brokenRuleLog } from './logs.ts'
import { type Stage, sourceOfLogs, stage } from './stage.ts'

const ASKED = 'Set 40 of A-7 aside and bill them.'
const request = { type: 'message', role: 'user', content: ASKED }
const said = (content: string) => ({ type: 'message', role: 'assistant', content })

/** A handoff whose receiver gets `got` of what the sender had; `turn` is what the user says just before it. */
function handedOver(had: readonly unknown[], got: readonly unknown[], turn?: string): RunEvent[] {
  return brokenRuleLog('r').flatMap((event) => {
    if (event.kind === 'handoff.received') return [{ ...event, items: got } as RunEvent]
    if (event.kind !== 'handoff.sent') return [event]
    const message = { run: 'r', at: event.at, kind: 'message', agent: 'orders', role: 'user', content: turn }
    const sent = { ...event, items_before: had }
    return (turn === undefined ? [sent] : [message, sent]) as RunEvent[]
  })
}

/** What the bar counts beside each tab, and how many rows of the tab bear the sign that it counts. */
async function counted({ press, text }: Stage) {
  const counts: Record<string, [inBar: number, onTab: number]> = {}
  for (const tab of TABS) {
    const [, , bar = '', , ...below] = text().split('\n')
    expect(bar).toContain(`[${tab}]`)
    const inBar = Number(new RegExp(`\\b${tab}[\\] ]✗(\\d+)`, 'u').exec(bar)?.[1] ?? 0)
    const rows = below.slice(
      0,
      below.findIndex((one) => one.startsWith('── ')),
    )
    counts[tab] = [inBar, rows.filter((row) => row.includes(' ✗ ')).length]
    await press('tab')
  }
  return counts
}

describe('the tabs of a handoff', () => {
  it('count a request of the user that was dropped, and it bears their sign; what else was dropped is no fault', async () => {
    const log = handedOver([request, said('I look for them.')], [said('Bill it.')])
    const opened = await stage(sourceOfLogs('dropped.jsonl', log), [120, 40])
    await opened.press('3')
    expect(await counted(opened)).toMatchObject({ items: [1, 1], approvals: [0, 0], contract: [0, 0] })
    await opened.press('tab', 'tab', 'tab')
    const rows = opened.text().split('\n')
    expect(rows.find((row) => row.includes(ASKED))).toMatch(/ ✗ dropped/)
    expect(rows.find((row) => row.includes('I look for them.'))).toMatch(/ - dropped/)
  })

  it('count what the user said while the task went over, although it was no item yet', async () => {
    const log = handedOver([said('I look for them.')], [said('Bill it.')], 'Rather make it fifty.')
    const opened = await stage(sourceOfLogs('dropped.jsonl', log), [120, 40])
    await opened.press('3')
    expect(await counted(opened)).toMatchObject({ items: [1, 1] })
    await opened.press('tab', 'tab', 'tab', 'j', 'j')
    expect(opened.text()).toMatch(/^› user "Rather make it fifty\." +✗ absent/m)
    expect(opened.text()).toContain('error user-message-dropped')
  })

  it('count nothing where all is there', async () => {
    const opened = await stage(sourceOfLogs('kept.jsonl', handedOver([request], [request])), [120, 40])
    await opened.press('3')
    expect(await counted(opened)).toMatchObject({ items: [0, 0] })
  })

  it('open where the fault is: at the items, if only the request of the user is gone', async () => {
    const log = handedOver([request], [said('Bill it.')])
      .filter(({ kind }) => kind === 'run.start' || kind === 'run.end' || kind.startsWith('handoff.'))
      .map((event) => ({ ...event, record: undefined, principal: undefined }) as RunEvent)
    const opened = await stage(sourceOfLogs('dropped.jsonl', log), [120, 40])
    await opened.press('3')
    expect(opened.text()).toMatch(/\[items\]✗1/)
  })
})
