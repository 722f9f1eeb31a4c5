import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PrunableRun, planPrune } from '../../store/prune-plan.ts'
import { lostKeyLog } from '../cli/lost-key-log.ts'
import { line, newFolder, opened } from './folder.ts'

const DAY = 24 * 3600 * 1000
const AUGUST = Date.parse('2021-08-01T00:00:00Z')
const bounds = { inDoubt: false, dryRun: false }

/** Three events of a run that ends, on a day of 2021, with some text that does not compress. */
function run(id: string, day: string, text = id): string {
  const at = `${day}T09:00:00Z`
  return (
    line({ run: id, seq: 1, at, kind: 'run.start' }) +
    line({ run: id, seq: 2, at, content: text }) +
    line({ run: id, seq: 3, at, kind: 'run.end' })
  )
}

function segment(folder: string, name: string, text: string): string {
  mkdirSync(join(folder, 'spool'), { recursive: true })
  const path = join(folder, 'spool', name)
  writeFileSync(path, text)
  return path
}

/** As if its writer had not come back for two days. */
function leaveAlone(path: string): void {
  const then = new Date(Date.now() - 2 * DAY)
  utimesSync(path, then, then)
}

const runsOf = async (store: Awaited<ReturnType<typeof opened>>) =>
  (await store.query('SELECT run FROM runs ORDER BY run')).map((row) => row.run)

describe('pruning', () => {
  it('removes whole runs by age from every table, and rebuild does not bring them back', async () => {
    const folder = newFolder()
    leaveAlone(segment(folder, 'shop-1-a-1.jsonl', run('old', '2021-02-03') + run('new', '2021-09-01')))
    const store = await opened(folder)
    await store.ingest()
    const report = await store.prune({ ...bounds, before: AUGUST })
    expect(report).toMatchObject({
      runs: 1,
      events: 3,
      spared: 0,
      segments: 0,
      oldest: '2021-02-03T09:00:00.000Z',
    })
    expect(await runsOf(store)).toEqual(['new'])
    const tables = await store.query(
      `SELECT table_name AS name FROM duckdb_columns() WHERE schema_name = 'base' AND column_name = 'run'`,
    )
    for (const { name } of tables) {
      expect([name, await store.query(`SELECT * FROM base.${name} WHERE run = 'old'`)]).toEqual([name, []])
    }
    expect(await store.rebuild()).toEqual({ runs: 1 })
    // The segment holds a run that stays, so it stays, read to its end.
    expect(await store.ingest()).toMatchObject({ events: 0, segments: 1 })
    expect(await runsOf(store)).toEqual(['new'])
  })

  it('says what would go and changes nothing, until it is told to', async () => {
    const folder = newFolder()
    leaveAlone(segment(folder, 'shop-1-a-1.jsonl', run('old', '2021-02-03')))
    const store = await opened(folder)
    await store.ingest()
    const told = await store.prune({ ...bounds, before: AUGUST, dryRun: true })
    expect(told).toMatchObject({ dryRun: true, runs: 1, segments: 1 })
    expect(await runsOf(store)).toEqual(['old'])
    const done = await store.prune({ ...bounds, before: AUGUST })
    expect(done).toMatchObject({ ...told, dryRun: false, bytesAfter: expect.any(Number) })
    expect(await runsOf(store)).toEqual([])
    // What was foretold is what there is, but for a log of a few hundred bytes: an empty database has a size as well.
    expect(statSync(store.paths.database).size).toBe(told.bytesAfter)
    expect(done.bytesAfter - told.bytesAfter).toBeLessThan(1000)
  })

  it('removes the segments that hold nothing else: a database built anew does not have the runs again', async () => {
    const folder = newFolder()
    leaveAlone(segment(folder, 'shop-1-a-1.jsonl', run('old', '2021-02-03') + run('old-2', '2021-02-04')))
    leaveAlone(segment(folder, 'shop-2-b-1.jsonl', run('new', '2021-09-01')))
    const store = await opened(folder)
    await store.ingest()
    expect(await store.prune({ ...bounds, before: AUGUST })).toMatchObject({ runs: 2, segments: 1 })
    expect(readdirSync(join(folder, 'spool'))).toEqual(['shop-2-b-1.jsonl'])
    expect(await store.query('SELECT source FROM sources')).toEqual([{ source: 'shop-2-b-1.jsonl' }])
  })

  it('keeps a segment that is still written, not read to its end, or holds lines in quarantine', async () => {
    const folder = newFolder()
    const open = segment(folder, 'shop-1-a-1.jsonl', run('one', '2021-02-03'))
    const torn = segment(folder, 'shop-2-b-1.jsonl', `${run('two', '2021-02-03')}{"run":"two","kind":`)
    const bad = segment(folder, 'shop-3-c-1.jsonl', `${run('three', '2021-02-03')}no event\n`)
    const rotated = segment(folder, 'shop-4-d-1.jsonl', run('four', '2021-02-03'))
    segment(folder, 'shop-4-d-2.jsonl', '')
    for (const path of [torn, bad]) leaveAlone(path)
    const store = await opened(folder)
    await store.ingest()
    const report = await store.prune({ ...bounds, before: AUGUST })
    expect(report).toMatchObject({ runs: 4, segments: 1 })
    expect([open, torn, bad, rotated].map((path) => existsSync(path))).toEqual([true, true, true, false])
    // None of it is read again.
    expect(await store.ingest()).toMatchObject({ events: 0 })
    leaveAlone(open)
    expect(await store.prune({ ...bounds, before: AUGUST })).toMatchObject({ runs: 0, segments: 1 })
    expect(existsSync(open)).toBe(false)
  })

  it('spares a run with a write in doubt unless told, and names it', async () => {
    const folder = newFolder()
    const log = join(folder, 'log.jsonl')
    writeFileSync(
      log,
      lostKeyLog('doubtful')
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
    )
    const store = await opened(folder)
    await store.importPaths([log])
    const before = Date.parse('2031-08-01T00:00:00Z')
    expect(await store.prune({ ...bounds, before })).toMatchObject({
      runs: 0,
      spared: 1,
      sparedRuns: ['doubtful'],
    })
    expect(await runsOf(store)).toEqual(['doubtful'])
    expect(await store.prune({ ...bounds, before, inDoubt: true })).toMatchObject({ runs: 1, spared: 0 })
    expect(await runsOf(store)).toEqual([])
  })

  it('spares a run that was not judged yet: what it has in doubt is not known', async () => {
    const folder = newFolder()
    segment(folder, 'shop-1-a-1.jsonl', run('judged', '2021-02-03') + run('unjudged', '2021-02-04'))
    const first = await opened(folder)
    await first.ingest()
    await first.close()
    // What a process leaves that is killed between storing events and judging their run.
    const instance = await DuckDBInstance.create(first.paths.database)
    const connection = await instance.connect()
    await connection.run(`DELETE FROM base.runs WHERE run = 'unjudged'`)
    await connection.run(`INSERT INTO base.stale_runs VALUES ('unjudged')`)
    connection.closeSync()
    instance.closeSync()
    const store = await opened(folder)
    expect(await store.prune({ ...bounds, before: AUGUST })).toMatchObject({
      runs: 1,
      spared: 1,
      unjudged: 1,
      sparedRuns: ['unjudged'],
    })
    // Judged, it has nothing in doubt.
    await store.ingest()
    expect(await store.prune({ ...bounds, before: AUGUST })).toMatchObject({
      runs: 1,
      spared: 0,
      unjudged: 0,
    })
  })

  it('gives the space back to the disk, oldest runs first, until it fits', async () => {
    const folder = newFolder()
    const text = () => Array.from({ length: 60_000 }, () => Math.random().toString(36).slice(2)).join('')
    const log = join(folder, 'log.jsonl')
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    writeFileSync(log, ids.map((id, at) => run(id, `2021-02-0${at + 1}`, text())).join(''))
    const store = await opened(folder)
    await store.importPaths([log])
    const whole = await store.prune({ ...bounds, dryRun: true, maxBytes: 1e12 })
    expect(whole).toMatchObject({ runs: 0, bytesAfter: whole.bytesBefore })
    const half = await store.prune({ ...bounds, maxBytes: whole.bytesBefore * 0.6 })
    expect(await runsOf(store)).toEqual(ids.slice(half.runs))
    expect(half.runs).toBeGreaterThanOrEqual(3)
    expect(half.runs).toBeLessThanOrEqual(5)
    // As the disk says it, not as the report does.
    expect(statSync(store.paths.database).size).toBeLessThan(whole.bytesBefore * 0.75)
    // What goes on afterwards goes on in the new file.
    await store.importPaths([log])
    expect(await runsOf(store)).toEqual(ids)
    await store.close()
    const again = await opened(folder)
    expect(await runsOf(again)).toEqual(ids)
  })

  it('lets others ask before, meanwhile and after, through the same owner', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    const other = await opened(folder)
    const log = join(folder, 'log.jsonl')
    writeFileSync(log, run('old', '2021-02-03') + run('new', '2021-09-01'))
    await store.importPaths([log])
    const asked = Array.from({ length: 40 }, async () => (await other.query('SELECT run FROM runs')).length)
    const pruned = store.prune({ ...bounds, before: AUGUST })
    const counts = await Promise.all([
      ...asked,
      other.query('SELECT run FROM runs').then((rows) => rows.length),
    ])
    expect(await pruned).toMatchObject({ runs: 1 })
    expect(counts.every((count) => count === 1 || count === 2)).toBe(true)
    expect(await runsOf(other)).toEqual(['new'])
    expect(readdirSync(join(folder, 'outgoing'))).toEqual([])
  })
})

describe('a plan', () => {
  const runs = fc.uniqueArray(
    fc.record({
      run: fc.string({ minLength: 1, maxLength: 8 }),
      lastAt: fc.option(fc.integer({ min: 0, max: 1000 })),
      events: fc.constant(3),
      handoffs: fc.constant(1),
      bytes: fc.integer({ min: 1, max: 500 }),
      inDoubt: fc.integer({ min: 0, max: 1 }),
      unjudged: fc.boolean(),
      segments: fc.uniqueArray(fc.constantFrom('s1', 's2', 's3')),
    }),
    { selector: ({ run: id }) => id, maxLength: 12 },
  )
  const sizes = {
    databaseBytes: 4000,
    emptyBytes: 700,
    spoolBytes: 900,
    segments: new Map([
      ['s1', 300],
      ['s2', 300],
      ['s3', 300],
    ]),
  }

  it('takes every run past the age, none before it, none in doubt, and no more by size than it must', () => {
    fc.assert(
      fc.property(
        runs,
        fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
        fc.option(fc.integer({ min: 0, max: 5000 }), { nil: undefined }),
        fc.boolean(),
        (list: PrunableRun[], before, maxBytes, inDoubt) => {
          const plan = planPrune(list, sizes, { before, maxBytes, inDoubt })
          const gone = new Set(plan.runs)
          for (const one of list) {
            const mayGo = inDoubt || (one.inDoubt === 0 && !one.unjudged)
            const old = before !== undefined && one.lastAt !== null && one.lastAt < before
            if (old && mayGo) expect(gone.has(one)).toBe(true)
            if (!mayGo) expect(gone.has(one)).toBe(false)
            if (!old && maxBytes === undefined) expect(gone.has(one)).toBe(false)
          }
          expect(plan.predictedBytes).toBe(sizeWithout(list, plan.runs))
          if (maxBytes === undefined) return
          const kept = list.filter(
            (one) => !gone.has(one) && (inDoubt || (one.inDoubt === 0 && !one.unjudged)),
          )
          // Either it fits, or nothing that may go is left.
          expect(plan.predictedBytes <= maxBytes || kept.length === 0).toBe(true)
          // Without the last one it would not have fitted, unless that one was too old anyhow.
          const last = plan.runs.at(-1)
          const lastIsOld = last?.lastAt != null && before !== undefined && last.lastAt < before
          if (last !== undefined && !lastIsOld) {
            expect(sizeWithout(list, plan.runs.slice(0, -1))).toBeGreaterThan(maxBytes)
          }
        },
      ),
    )
  })

  it('leaves a run that would make it fit only by a part of a byte', () => {
    const one = { lastAt: 1, events: 3, handoffs: 1, inDoubt: 0, unjudged: false, segments: [] }
    const list: PrunableRun[] = ['a', 'b', 'c'].map((id) => ({ ...one, run: id, bytes: 1 }))
    // Without the first: 100 * 2 / 3 = 66.7 bytes; without the second: 33.3, which is reported as 33.
    const plan = planPrune(
      list,
      { databaseBytes: 100, emptyBytes: 0, spoolBytes: 0, segments: new Map() },
      { maxBytes: 33, inDoubt: false },
    )
    expect(plan.runs.map(({ run: id }) => id)).toEqual(['a', 'b'])
    expect(plan.predictedBytes).toBe(33)
  })

  /** Worked out anew: what an empty database lacks in proportion to the lines that stay, and the segments still needed. */
  function sizeWithout(all: PrunableRun[], gone: PrunableRun[]): number {
    const total = all.reduce((sum, { bytes }) => sum + bytes, 0)
    const stay = all.filter((one) => !gone.includes(one))
    const stays = stay.reduce((sum, { bytes }) => sum + bytes, 0)
    const empty = [...sizes.segments].filter(
      ([name]) =>
        gone.some(({ segments }) => segments.includes(name)) &&
        !stay.some(({ segments }) => segments.includes(name)),
    )
    const { databaseBytes, emptyBytes } = sizes
    const database =
      gone.length === 0 ? databaseBytes : emptyBytes + ((databaseBytes - emptyBytes) * stays) / total
    return Math.round(database) + sizes.spoolBytes - 300 * empty.length
  }
})
