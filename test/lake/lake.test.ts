import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addToLake } from '../../lake/add-to-lake.ts'
import { compactLake } from '../../lake/compact.ts'
import { openLake } from '../../lake/open-lake.ts'
import { readCatalogue } from '../../queries/catalogue.ts'
import { runMetric, type Slice } from '../../queries/run-metric.ts'
import { searchContent } from '../../queries/search.ts'
import type { Store } from '../../store/index.ts'
import { tellStories } from '../queries/story.ts'
import { line, newFolder, opened } from '../store/folder.ts'

type Asked = Pick<Store, 'readOnlyQuery'>
const catalogue = readCatalogue()
const SLICES: (Slice | undefined)[] = [undefined, 'pair']

/** What every metric says, whole and split. */
async function allAnswers(source: Asked): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const metric of catalogue) {
    for (const by of SLICES) {
      const { columns, rows } = await runMetric(source, metric, { by, limit: 10_000, timeoutMs: 60_000 })
      answers.push({ metric: metric.name, by, columns, rows: rows.map((row) => JSON.stringify(row)).sort() })
    }
  }
  return answers
}

async function storeOf(events: readonly Record<string, unknown>[]): Promise<Store> {
  const store = await opened(newFolder())
  await store.importStream(Readable.from(events.map((event) => `${JSON.stringify(event)}\n`)))
  return store
}

async function lakeAt(pattern: string) {
  const lake = await openLake(pattern)
  onTestFinished(() => lake.close())
  return lake
}

const parquetFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet') && !name.includes('columns-'))
    .sort()

describe('a lake', () => {
  it('says the same as the database: of two stores side by side, in plain DuckDB, and compacted', async () => {
    const { events } = tellStories(23, 14)
    const runs = [...new Set(events.map(({ run }) => String(run)))]
    const ofFirst = new Set(runs.slice(0, runs.length / 2))
    const whole = await storeOf(events)
    const parts = [
      await storeOf(events.filter(({ run }) => ofFirst.has(String(run)))),
      await storeOf(events.filter(({ run }) => !ofFirst.has(String(run)))),
    ]
    const wanted = await allAnswers(whole)
    const folder = join(newFolder(), "the team's lake")
    // Both make the lake, and neither knows of the other.
    const reports = await Promise.all(parts.map((store) => addToLake(store, folder)))
    expect(reports.reduce((sum, report) => sum + report.runs, 0)).toBe(runs.length)
    expect(await allAnswers(await lakeAt(folder))).toEqual(wanted)
    expect(await inPlainDuckDB(folder)).toEqual(await valuesOf(whole))

    const before = parquetFiles(folder)
    const report = await compactLake(folder)
    const after = parquetFiles(folder)
    expect(report).toMatchObject({ filesBefore: before.length, filesAfter: after.length, dropped: 0 })
    expect(after.length).toBeLessThan(before.length)
    const places = after.map((name) => name.slice(0, name.lastIndexOf('/')))
    expect(new Set(places).size).toBe(places.length)
    expect(await allAnswers(await lakeAt(folder))).toEqual(wanted)
    expect(await inPlainDuckDB(folder)).toEqual(await valuesOf(whole))
    // A second one finds nothing to do.
    expect(await compactLake(folder)).toMatchObject({ days: 0 })
    expect(parquetFiles(folder)).toEqual(after)
  })

  it('has the same views with the same columns and types, and the same rows', async () => {
    const store = await storeOf(tellStories(5, 6).events)
    const folder = join(newFolder(), 'lake')
    await addToLake(store, folder)
    const lake = await lakeAt(folder)
    const views = await lake.query(
      `SELECT view_name AS name FROM duckdb_views() WHERE NOT internal ORDER BY name`,
    )
    expect(views.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['runs', 'handoffs', 'crossings', 'items', 'events', 'findings']),
    )
    for (const { name } of views) {
      const shape = `SELECT column_name, column_type FROM (DESCRIBE ${name})`
      expect([name, await lake.query(shape)]).toEqual([name, await store.query(shape)])
      const rows = `SELECT * FROM ${name} ORDER BY ALL`
      expect([name, await lake.query(rows)]).toEqual([name, await store.query(rows)])
    }
  })

  it('is added to with what is new; of a run that went on, the longer one counts, and compacting leaves the other out', async () => {
    const folder = join(newFolder(), 'lake')
    const store = await opened(newFolder())
    const log = join(store.paths.directory, 'log.jsonl')
    const add = async (...events: Record<string, unknown>[]) => {
      writeFileSync(log, events.map(line).join(''))
      await store.importPaths([log])
      return addToLake(store, folder)
    }
    const first = { run: 'a', seq: 1, kind: 'run.start' }
    expect(await add(first, { run: 'b', seq: 1, kind: 'run.start' })).toMatchObject({ runs: 2, known: 0 })
    expect(await addToLake(store, folder)).toMatchObject({ runs: 0, known: 2, files: 0 })
    // An event from before the first one: the run now lies in another day.
    expect(await add(first, { run: 'a', seq: 0, at: '2031-05-01T00:00:00Z' })).toMatchObject({
      runs: 1,
      known: 1,
    })
    const rows = `SELECT run, events, (SELECT count(*) FROM events e WHERE e.run = runs.run) AS lines FROM runs ORDER BY run`
    const wanted = [
      { run: 'a', events: 2, lines: 2 },
      { run: 'b', events: 1, lines: 1 },
    ]
    expect(await (await lakeAt(folder)).query(rows)).toEqual(wanted)
    expect(await addToLake(store, folder, { all: true })).toMatchObject({ runs: 2 })
    expect(await (await lakeAt(folder)).query(rows)).toEqual(wanted)
    expect(await compactLake(folder)).toMatchObject({ dropped: 3 })
    expect(await (await lakeAt(folder)).query(rows)).toEqual(wanted)
    expect(await addToLake(store, folder)).toMatchObject({ runs: 0, known: 2 })
  })

  it('answers while others add and compact', async () => {
    const folder = join(newFolder(), 'lake')
    const stores = await Promise.all(
      [0, 1, 2].map((n) =>
        storeOf(
          [0, 1].map((at) => ({
            run: `r-${n}-${at}`,
            seq: 1,
            kind: 'run.start',
            at: `2031-05-0${at + 1}T00:00:00Z`,
          })),
        ),
      ),
    )
    await addToLake(stores[0]!, folder)
    const lake = await lakeAt(folder)
    let done = false
    const seen: number[] = []
    const reading = (async () => {
      while (!done) {
        const [row] = await lake.query('SELECT count(*) AS n, count(DISTINCT run) AS runs FROM events')
        expect(row!.n).toBe(row!.runs)
        seen.push(Number(row!.n))
        await lake.refresh()
      }
    })()
    await Promise.all(stores.slice(1).map((store) => addToLake(store, folder)))
    for (let n = 0; n < 3; n++) {
      // Two compactions at once are one too many, and do no harm.
      await Promise.all([
        compactLake(folder),
        compactLake(folder),
        addToLake(stores[n]!, folder, { all: true }),
      ])
    }
    done = true
    await reading
    expect(seen.every((n, at) => n >= (seen[at - 1] ?? 2))).toBe(true)
    await lake.refresh()
    expect(await lake.query('SELECT count(*) AS n FROM runs')).toEqual([{ n: 6 }])
  })

  it('does not count an export that did not come to its end', async () => {
    const folder = join(newFolder(), 'lake')
    const store = await storeOf([{ run: 'a', seq: 1, kind: 'run.start', at: '2031-05-06T07:08:09Z' }])
    await addToLake(store, folder)
    // As if its writer had been killed before the file of `runs`, the last one.
    const events = parquetFiles(folder).find((name) => name.startsWith('events/'))!
    copyFileSync(join(folder, events), join(folder, 'events', 'day=2031-05-06', '01KILLED_0.parquet'))
    expect(await (await lakeAt(folder)).query('SELECT count(*) AS n FROM events')).toEqual([{ n: 1 }])
    await compactLake(folder)
    expect(await (await lakeAt(folder)).query('SELECT count(*) AS n FROM events')).toEqual([{ n: 1 }])
  })

  it('may be several, by a pattern; content is searched in them, too', async () => {
    const home = newFolder()
    for (const name of ['east', 'west']) {
      const events = [{ run: name, seq: 1, kind: 'message', content: `greetings from the ${name}` }]
      await addToLake(await storeOf(events), join(home, name))
    }
    mkdirSync(join(home, 'other'))
    const lake = await lakeAt(join(home, '*'))
    expect(await lake.query('SELECT run FROM runs ORDER BY run')).toEqual([{ run: 'east' }, { run: 'west' }])
    const found = await searchContent(lake, {
      text: 'the west',
      ignoreCase: false,
      limit: 10,
      timeoutMs: 60_000,
    })
    expect(found.hits).toMatchObject([{ run: 'west', path: 'content', excerpt: 'greetings from the west' }])
  })

  it('answers only queries that read its views, within bounds', async () => {
    const folder = join(newFolder(), 'lake')
    await addToLake(await storeOf([{ run: 'a', seq: 1, kind: 'run.start' }]), folder)
    const lake = await lakeAt(folder)
    const bounds = { limit: 10, timeoutMs: 500 }
    for (const sql of [
      `SELECT * FROM read_parquet('${folder}/runs/*/*.parquet')`,
      `FROM '${folder}/views.sql'`,
      `COPY runs TO '${folder}/out.csv'`,
    ]) {
      await expect(lake.readOnlyQuery(sql, bounds)).rejects.toMatchObject({ code: 'query-refused' })
    }
    const long = 'SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b'
    await expect(lake.readOnlyQuery(long, bounds)).rejects.toMatchObject({ code: 'timed-out' })
  })

  it('names the file that is not whole, whoever opens it, and is itself again once that is gone', async () => {
    const folder = newFolder()
    const store = await storeOf(tellStories(3, 4).events)
    await addToLake(store, folder)
    const whole = join(folder, parquetFiles(folder).find((name) => name.startsWith('handoffs'))!)
    const lake = await lakeAt(folder)
    const cut = whole.replace('.parquet', '-cut.parquet')
    for (const bytes of [readFileSync(whole).subarray(0, -200), 'PAR1', '']) {
      writeFileSync(cut, bytes)
      const refusal = { code: 'unreadable', path: cut, message: expect.stringContaining(cut) }
      for (const open of [() => openLake(folder), () => lake.refresh(), () => addToLake(store, folder)]) {
        await expect(open()).rejects.toMatchObject(refusal)
      }
    }
    rmSync(cut)
    expect(await (await lakeAt(folder)).query('SELECT count(*)::INTEGER AS n FROM runs')).toEqual([{ n: 4 }])

    const bytes = readFileSync(whole)
    writeFileSync(whole, bytes.subarray(0, -200))
    const asked = lake.readOnlyQuery('FROM handoffs', { limit: 10, timeoutMs: 60_000 })
    await expect(asked).rejects.toMatchObject({ code: 'unreadable', path: whole })
    await addToLake(store, folder, { all: true })
    await expect(compactLake(folder)).rejects.toMatchObject({ code: 'unreadable', path: whole })
  })

  it('is named when it is none, or of another version', async () => {
    const folder = newFolder()
    await expect(openLake(folder)).rejects.toMatchObject({ code: 'not-a-lake', path: folder })
    await expect(openLake(join(folder, '*'))).rejects.toMatchObject({ code: 'not-a-lake' })
    await expect(compactLake(folder)).rejects.toMatchObject({ code: 'not-a-lake' })
    const marker = join(folder, 'handspan-lake.json')
    writeFileSync(marker, '{"format":1,"schemaVersion":999}')
    await expect(openLake(folder)).rejects.toMatchObject({ code: 'newer-schema', path: folder })
    writeFileSync(marker, '{"format":1,"schemaVersion":1}')
    await expect(openLake(folder)).rejects.toMatchObject({ code: 'older-schema', path: folder })
    writeFileSync(marker, 'what')
    await expect(openLake(folder)).rejects.toMatchObject({ code: 'newer-schema' })
  })
})

/** First and second column of every metric, as plain DuckDB says them over views.sql. */
async function inPlainDuckDB(folder: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`SET file_search_path = '${folder.replaceAll("'", "''")}'`)
  await connection.run(readFileSync(join(folder, 'views.sql'), 'utf8'))
  const values: unknown[] = []
  for (const { name, sql } of catalogue) {
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
    values.push([name, rows.map(({ slice, value }) => [slice, value === null ? null : Number(value)])])
  }
  connection.closeSync()
  instance.closeSync()
  return values
}

async function valuesOf(store: Asked): Promise<unknown[]> {
  const values: unknown[] = []
  for (const metric of catalogue) {
    const { rows } = await runMetric(store, metric, { limit: 10_000, timeoutMs: 60_000 })
    values.push([metric.name, rows.map(({ slice, value }) => [slice, value === null ? null : Number(value)])])
  }
  return values
}
