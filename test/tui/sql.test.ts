import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCatalogue } from '../../queries/catalogue.ts'
import { openStore } from '../../store/index.ts'
import { completeFilter, completeSql } from '../../tui/completion.ts'
import { textOfLine } from '../../tui/lines.ts'
import { commonBeginning } from '../../tui/prompt.ts'
import { sparkline, trendLine } from '../../tui/rows/sparkline.ts'
import type { Source } from '../../tui/source.ts'
import { openStoreSource } from '../../tui/store-source.ts'
import { brokenRuleLog } from './logs.ts'
import { newPlace } from './place.ts'
import { stage, writeLog } from './stage.ts'

const SCHEMA = new Map([
  ['handoffs', ['run', 'handoff', 'pair', 'bytes']],
  ['runs', ['run', 'started_at', 'in_doubt']],
])

const completed = (before: string, whole = before) => completeSql(before, whole, SCHEMA)

describe('completion', () => {
  it('of SQL: views where a view stands, else columns of the views that are named', () => {
    expect(completed('SELECT * FROM ru')).toEqual({ from: 14, words: ['runs'] })
    expect(completed('SELECT * FROM handoffs h JOIN r').words).toEqual(['runs'])
    expect(completed('SELECT st', 'SELECT st FROM runs').words).toEqual(['started_at'])
    expect(completed('SELECT p', 'SELECT p FROM runs').words).toEqual([])
    expect(completed('SELECT p').words).toEqual(['pair'])
    expect(completed('SELECT h.', 'SELECT h. FROM handoffs AS h').words).toEqual(SCHEMA.get('handoffs'))
    expect(completed('SELECT runs.i').words).toEqual(['in_doubt'])
    expect(completed('SELECT nobody.i').words).toEqual([])
    expect(completed('sel').words).toEqual(['SELECT'])
  })

  it('stays out of texts between quotes', () => {
    expect(completed("SELECT * FROM runs WHERE outcome = 'ru").words).toEqual([])
  })

  it('of filters: fields, then what they take', () => {
    expect(completeFilter('se')).toEqual({ from: 0, words: ['severity:'] })
    expect(completeFilter('is:open -ag')).toEqual({ from: 9, words: ['agent:'] })
    expect(completeFilter('check:op-in-doubt-key-m').words).toEqual(['op-in-doubt-key-missing'])
    expect(completeFilter('severity:').words).toEqual(['error', 'warning', 'info'])
    expect(completeFilter('agent:or').words).toEqual([])
  })

  it('takes what all words begin with', () => {
    expect(commonBeginning(['in_doubt', 'in_doubt_share', 'in_time'])).toBe('in_')
    expect(commonBeginning(['Runs', 'running'])).toBe('Run')
    expect(commonBeginning([])).toBe('')
  })
})

describe('trends', () => {
  it('are a character a value from zero on, a dot where nothing was measured', () => {
    expect(sparkline([0, 4, 8, undefined], 10)).toBe('▁▅█·')
    expect(sparkline([0.5, 1], 10, 1)).toBe('▅█')
    expect(sparkline([1, 2, 3], 2)).toBe('▆█')
    expect(sparkline([0, 0], 2)).toBe('▁▁')
  })

  it('exist only where there is one value for each of several days', () => {
    const metric = readCatalogue().find(({ name }) => name === 'key-coverage')!
    const answer = (...rows: [slice: string, value: number | null][]) => ({
      columns: [],
      truncated: false,
      rows: rows.map(([slice, value]) => ({ slice, value })),
    })
    const line = (...rows: [slice: string, value: number | null][]) => trendLine(metric, answer(...rows), 80)
    // Newest first in the answer; a line goes from left to right.
    expect(textOfLine(line(['2031-03-05', 1], ['2031-03-03', 0], ['2031-03-04', 0.5])!)).toBe(
      '▁▅█  2031-03-03 0 → 2031-03-05 1',
    )
    expect(line(['2031-03-04', 1])).toBeUndefined()
    expect(line(['all', 1], ['other', 0])).toBeUndefined()
    expect(line(['2031-03-04', 1], ['2031-03-04', 0], ['2031-03-05', 0])).toBeUndefined()
  })
})

describe('in a store', () => {
  let source: Source

  beforeAll(async () => {
    const place = newPlace()
    const directory = join(place, 'captures')
    mkdirSync(directory)
    const nextDay = brokenRuleLog('r-2').map((event) => ({
      ...event,
      at: event.at?.replace('03-04', '03-05'),
    }))
    const store = await openStore(directory, { create: true })
    await store.importPaths([writeLog(join(place, 'runs.jsonl'), [...brokenRuleLog('r-1'), ...nextDay])])
    await store.close()
    source = await openStoreSource(directory)
  })

  afterAll(() => source?.close())

  it('Tab completes views and columns, and again goes through what fits; a row leads to its run', async () => {
    const { session, press, type, text } = await stage(source, [100, 30])
    await press(';')
    await expect.poll(() => session.schema.size).toBeGreaterThan(5)
    await type('SELECT run, principal FROM ru')
    await press('tab')
    expect(text()).toContain('sql SELECT run, principal FROM runs')
    await press(...Array(' FROM runs'.length).fill('left'), 'tab')
    expect(text()).toMatch(/principal_ +FROM runs {2}principal_kind · principal_id|principal_.*principal_id/)
    await press('tab', 'tab')
    expect(text()).toMatch(/SELECT run, principal_(?:kind|id) FROM runs/)
    await press('tab', 'enter')
    expect(text()).toContain('2 rows')
    await press('j', 'enter')
    await expect.poll(text).toMatch(/run r-\d .*step 1 of 9/s)
  })

  it('a row leads to its run under other names as well, and says so where it names none', async () => {
    const { press, type, text } = await stage(source, [100, 30])
    await press(';')
    await type("SELECT 1 AS nothing, 'r-2' AS largest_run")
    await press('enter', 'enter')
    await expect.poll(text).toMatch(/run r-2/)
    await press(';')
    await type('SELECT 1 AS nothing')
    await press('enter', 'enter')
    expect(text()).toContain('this row names no run')
  })

  it('an error of SQL is shown whole, and its line comes back to be mended', async () => {
    const { press, type, text, session } = await stage(source, [60, 30])
    await press(';')
    await type('SELECT nothing_such FROM runs')
    await press('enter')
    await expect
      .poll(text)
      .toMatch(/nothing_such.*not found[\s\S]*Candidate bindings[\s\S]*\^\n docs\/store\.md .*\nsql SELECT/u)
    await press(...Array(' FROM runs'.length).fill('left'), 'ctrl+w')
    await type("repeat('long ', 40) AS words")
    await press('enter')
    await expect.poll(text).toContain('2 rows')
    expect(session.prompt).toBeUndefined()
    // A cell is cut at its column; v shows it whole.
    await press('v')
    expect(text().replaceAll(/\s+/gu, ' ')).toContain('long '.repeat(40))
  })

  it('metrics show how they went day by day, in the list and over the days', async () => {
    const { press, text } = await stage(source, [100, 40])
    await press('5')
    await expect.poll(text).toMatch(/[▁-█]{2} {2}2031-03-04 .* → 2031-03-05/u)
    await press('s', 's', 's')
    expect(text()).toContain('by day')
    await press('enter')
    await expect.poll(text).toMatch(/handoffs by day[\s\S]*[▁-█]{2} {2}2031-03-04/u)
  })
})
