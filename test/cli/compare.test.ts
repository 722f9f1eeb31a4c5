import { describe, expect, it } from 'vitest'
import { compareRuns } from '../../replay/compare.ts'
import { crossed, end, item, judge, received, sent, start } from '../replay/run-builder.ts'
import { handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

const ITEMS = [
  item.user('u1', 'One A-7.'),
  item.agent('a1', 'orders', 'It is on its way.'),
  item.agent('a2', 'orders', 'Done.'),
]
const handedOver = (items: unknown[], before: unknown[] = ITEMS) =>
  judge(
    start(),
    sent('h1', 'orders', 'billing', { items_before: before }),
    received('h1', 'billing', { items }),
    end(),
  )

describe('compare', () => {
  it('finds nothing between a run and itself', () => {
    const [one] = compareRuns(handedOver(ITEMS), handedOver(ITEMS)).handoffs
    expect(one).toMatchObject({ sameInput: true, samePayload: true, items: [], pairs: [] })
  })

  it('says what one payload has that the other lacks, and the other way round', () => {
    const fates = (a: unknown[], b: unknown[]) =>
      compareRuns(handedOver(a), handedOver(b)).handoffs[0]!.items.map(({ fate, before, after }) => [
        fate,
        (before ?? after)!.id,
      ])
    expect(fates(ITEMS, [ITEMS[0], ITEMS[2]])).toEqual([['dropped', 'a1']])
    expect(fates([ITEMS[0], ITEMS[2]], ITEMS)).toEqual([['added', 'a1']])
    expect(fates(ITEMS, [ITEMS[0], { ...ITEMS[1], content: 'Maybe.' }, ITEMS[2]])).toEqual([
      ['changed', 'a1'],
    ])
  })

  it('tells a runtime that is not deterministic from senders that had something else', () => {
    const same = compareRuns(handedOver(ITEMS), handedOver(ITEMS.slice(0, 1))).handoffs[0]
    expect(same).toMatchObject({ sameInput: true, samePayload: false })
    const other = compareRuns(handedOver(ITEMS), handedOver(ITEMS.slice(0, 1), ITEMS.slice(0, 1))).handoffs[0]
    expect(other).toMatchObject({ sameInput: false, samePayload: false })
    const lone = judge(start(), sent('h1', 'orders', 'billing', { items_before: ITEMS }), end())
    expect(compareRuns(handedOver(ITEMS), lone).handoffs[0]).toMatchObject({
      samePayload: undefined,
      items: [],
    })
  })

  it('lists handoffs that only one run has', () => {
    const two = judge(start(), ...crossed('h1', 'a', 'b', ITEMS), ...crossed('h2', 'b', 'c', ITEMS), end())
    const { onlyA, onlyB } = compareRuns(handedOver(ITEMS), two)
    expect([onlyA.length, onlyB.map(({ handoff }) => handoff.id)]).toEqual([0, ['h2']])
  })

  it('prints two runs and one handoff, and says which handoffs there are', async () => {
    const folder = newFolder()
    const a = writeLog(folder, 'a.jsonl', lostKeyLog('r-a'))
    const cutDown = lostKeyLog('r-b').map((event) => ('by' in event ? { ...event, items: [] } : event))
    const b = writeLog(folder, 'b.jsonl', cutDown)
    const { stdout, code } = await handspan(['compare', a, b])
    expect(code).toBe(0)
    expect(stdout).toContain('it is not deterministic')
    expect(stdout).toMatch(/operation op-2 reserve_stock +mentioned +absent/)
    expect(stdout).toMatch(/only in a +items\[1\] .*Reserving 40 now/)
    const json = JSON.parse((await handspan(['compare', a, b, '--handoff', 'h1', '--json'])).stdout)
    expect(json.handoffs[0]).toMatchObject({ sameInput: true, samePayload: false })
    expect(json.handoffs[0].items.map((one: { fate: string }) => one.fate)).toEqual([
      'only in a',
      'only in a',
    ])
    const wrong = await handspan(['compare', a, b, '--handoff', 'h9'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('It has: h1.')])
  })
})
