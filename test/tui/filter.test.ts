import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { openStore } from '../../store/index.ts'
import { openFileSource } from '../../tui/file-source.ts'
import { parseFilter } from '../../tui/filter.ts'
import type { Source } from '../../tui/source.ts'
import { openStoreSource } from '../../tui/store-source.ts'
import { brokenRuleLog } from './logs.ts'
import { newPlace } from './place.ts'

const NOW = Date.parse('2031-03-04T10:00:00Z')

function plain(run: string, at: string, agent: string, outcome?: string): RunEvent[] {
  return [
    { run, seq: 1, at, kind: 'run.start', principal: { kind: 'schedule', id: 'nightly' } },
    { run, seq: 2, at, kind: 'message', agent, content: 'hello' },
    ...(outcome === undefined
      ? []
      : [{ run, seq: 3, at, kind: outcome === 'failed' ? 'run.failed' : 'run.end', outcome }]),
  ]
}

const EVENTS = [
  ...brokenRuleLog('r-broken'),
  ...plain('r-open', '2031-03-04T09:50:00Z', 'bookings'),
  ...plain('r-done', '2031-03-01T00:00:00Z', 'billing', 'done'),
  ...plain('R-Failed', '2031-02-01T00:00:00Z', 'Bookings', 'failed'),
]

/** What each filter must let through, written down from the logs above. */
const EXPECTED: [filter: string, runs: string[]][] = [
  ['', ['R-Failed', 'r-broken', 'r-done', 'r-open']],
  ['agent:bookings', ['R-Failed', 'r-open']],
  ['-agent:bookings', ['r-broken', 'r-done']],
  ['check:constraint-violated', ['r-broken']],
  ['-check:constraint-violated is:open', ['r-open']],
  ['severity:error', ['r-broken']],
  ['since:1h', ['r-broken', 'r-open']],
  ['since:15m', ['r-open']],
  ['until:2031-02-15T00:00:00Z', ['R-Failed']],
  ['run:fail', ['R-Failed']],
  ['principal:nightly', ['R-Failed', 'r-done', 'r-open']],
  ['principal:"schedule nightly" outcome:done', ['r-done']],
  ['is:in-doubt', ['r-broken']],
  ['is:failed', ['R-Failed']],
  ['orders', ['r-broken']],
  ['BILLING -broken', ['r-done']],
  ["run:x'); DROP TABLE runs; --", []],
]

let sources: { store: Source; files: Source }

beforeAll(async () => {
  const place = newPlace()
  const file = join(place, 'runs.jsonl')
  writeFileSync(file, EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const directory = join(place, 'captures')
  mkdirSync(directory)
  const store = await openStore(directory, { create: true })
  await store.importPaths([file])
  await store.close()
  sources = { store: await openStoreSource(directory), files: await openFileSource([file]) }
})

afterAll(async () => {
  await sources?.store.close()
})

describe('filters', () => {
  it.each(EXPECTED)('%s', async (text, expected) => {
    const read = parseFilter(text, NOW)
    if (read.error !== undefined) throw new Error(read.error)
    const query = { terms: read.terms, sort: 'time' as const }
    for (const source of Object.values(sources)) {
      const rows = await source.page(query, 0, 100)
      expect(rows.map(({ run }) => run).sort()).toEqual(expected)
      expect(await source.count(query)).toBe(expected.length)
    }
  })

  it.each([
    ['agnt:x', /agnt: is no field; there are agent, check/],
    ['since:soon', /since:soon is no time; write 30m/],
    ['severity:bad', /none of error, warning, info/],
    ['is:green', /none of in-doubt, open, failed/],
    ['agent:', /agent: needs a value/],
  ])('%s is refused with what could stand there', (text, reason) => {
    const read = parseFilter(text, NOW)
    expect(read.error).toMatch(reason)
  })

  it('reads never throw and times stay in range', () => {
    for (const text of ['since:99999999999999999999d', '"', '-', ':', 'a:b:c', '""', '-""'])
      expect(() => parseFilter(text, NOW)).not.toThrow()
  })

  it('both sources list, sort and search alike', async () => {
    const all = { terms: [], sort: 'time' as const }
    for (const source of Object.values(sources)) {
      const rows = await source.page(all, 0, 100)
      expect(rows.map(({ run }) => run)).toEqual(['r-open', 'r-broken', 'r-done', 'R-Failed'])
      expect((await source.page({ terms: [], sort: 'findings' }, 0, 1))[0]?.run).toBe('r-broken')
      expect(await source.find(all, 'bookings', 1, 1)).toBe(3)
      expect(await source.find(all, 'bookings', 3, -1)).toBe(3)
      expect(await source.find(all, 'bookings', 2, -1)).toBe(0)
      expect(await source.find(all, 'nobody', 0, 1)).toBeUndefined()
      const analysis = await source.analysis('r-broken')
      expect(analysis.run.events).toHaveLength(brokenRuleLog().length)
    }
    const [fromStore, fromFiles] = await Promise.all(
      Object.values(sources).map((source) => source.page(all, 0, 100)),
    )
    const bare = (rows: typeof fromStore) => rows!.map(({ startedAt, ...row }) => row)
    expect(bare(fromStore)).toEqual(bare(fromFiles))
  })
})
