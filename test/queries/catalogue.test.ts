import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { nearestNames, readCatalogue } from '../../queries/catalogue.ts'
import { MetricFileError, readMetric } from '../../queries/read-metric.ts'
import { metricQuery, runMetric } from '../../queries/run-metric.ts'
import { StoreError } from '../../store/index.ts'
import { newFolder, opened } from '../store/folder.ts'
import { tellStories } from './story.ts'

const FOLDER = join(import.meta.dirname, '../../queries/metrics')
const catalogue = readCatalogue()

const HEADER = [
  '-- name: an-example',
  '-- title: An example',
  '-- question: How many?',
  '-- agent: sender',
  '-- schema: 1',
  "-- parameter: since TIMESTAMP = '-infinity': from then on",
  '-- column: slice [text]: all',
  '-- column: value [count]: how many',
]

function file(...changes: [line: number, text: string | undefined][]): string {
  const lines: (string | undefined)[] = [...HEADER]
  for (const [line, text] of changes) lines[line - 1] = text
  return `${lines.filter((line) => line !== undefined).join('\n')}\nSELECT 'all' AS slice, 1 AS value;\n`
}

describe('the catalogue', () => {
  it('holds every file of queries/metrics, each under its own name', () => {
    const files = readdirSync(FOLDER).map((name) => name.replace('.sql', ''))
    expect(catalogue.map(({ name }) => name).sort()).toEqual(files.sort())
    for (const { name, sql } of catalogue) expect(sql).toBe(readFileSync(join(FOLDER, `${name}.sql`), 'utf8'))
  })

  it('asks every metric for the same window and slices, and the agent of the side that the header names', () => {
    for (const { name, sql, agent, parameters } of catalogue) {
      expect(
        parameters.map((parameter) => parameter.name),
        name,
      ).toEqual(['since', 'until', 'slice'])
      for (const parameter of parameters) expect(sql, name).toContain(`getvariable('${parameter.name}')`)
      if (name === 'findings') continue
      const side = agent === 'sender' ? 'from_agent' : 'coalesce(received_by, to_agent)'
      expect(sql, name).toContain(`WHEN 'agent' THEN ${side}\n`)
    }
  })

  it('announces exactly the columns that come, numbers where the unit is one', async () => {
    const store = await opened(newFolder())
    for (const metric of catalogue) {
      const { columns } = await runMetric(store, metric, { limit: 1, timeoutMs: 30_000 })
      expect(
        columns.map(({ name }) => name),
        metric.name,
      ).toEqual(metric.columns.map(({ name }) => name))
      for (const [index, { type }] of columns.entries()) {
        const { unit, name } = metric.columns[index]!
        const kind = unit === 'text' ? /VARCHAR/ : unit === 'time' ? /TIMESTAMP/ : /INT|DOUBLE|DECIMAL/
        expect(type, `${metric.name} ${name}`).toMatch(kind)
      }
    }
  })

  it('finds the name that was meant', () => {
    const names = catalogue.map(({ name }) => name)
    expect(nearestNames('key-covrage', names)[0]).toBe('key-coverage')
    expect(nearestNames('Key_Coverage', names)[0]).toBe('key-coverage')
    expect(nearestNames('growth', names)[0]).toBe('payload-growth')
    expect(nearestNames('weather-in-paris', names)).toEqual([])
  })
})

describe('a file of a metric', () => {
  it('runs in DuckDB by itself, with variables and without, and says the same as through the store', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    const { Readable } = await import('node:stream')
    const { events, facts } = tellStories(3, 10)
    await store.importStream(Readable.from(events.map((event) => `${JSON.stringify(event)}\n`)))
    const since = new Date(facts[4]!.sentAt).toISOString()
    const asked = await Promise.all(
      catalogue.map((metric) =>
        runMetric(store, metric, { since, by: 'pair', limit: 1000, timeoutMs: 30_000 }),
      ),
    )
    await store.close()
    const instance = await DuckDBInstance.create(store.paths.database, { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    for (const { sql } of catalogue) await connection.run(sql)
    await connection.run(`SET VARIABLE since = TIMESTAMP '${since.replace('Z', '')}'`)
    await connection.run(`SET VARIABLE slice = 'pair'`)
    for (const [index, { sql, name }] of catalogue.entries()) {
      const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
      expect(
        rows.map((row) => [row.slice, Number(row.value)]),
        name,
      ).toEqual(asked[index]!.rows.map((row) => [row.slice, Number(row.value)]))
    }
    connection.closeSync()
    instance.closeSync()
  })

  it('is read with its header', () => {
    expect(readMetric(file(), 'x.sql')).toMatchObject({
      name: 'an-example',
      agent: 'sender',
      schema: 1,
      parameters: [{ name: 'since', type: 'TIMESTAMP', fallback: "'-infinity'", meaning: 'from then on' }],
      columns: [
        { name: 'slice', unit: 'text' },
        { name: 'value', unit: 'count', meaning: 'how many' },
      ],
    })
  })

  it.each([
    ['no header', 'SELECT 1', 'x.sql, line 1: there is no header.'],
    ['a missing field', file([2, undefined]), 'x.sql, line 1: the header has no title.'],
    ['a field twice', file([2, '-- name: again']), 'x.sql, line 2: name stands here a second time.'],
    ['an unknown field', file([3, '-- answer: 42']), "x.sql, line 3: there is no field 'answer'."],
    ['a line of another form', file([3, '-- question How many?']), 'x.sql, line 3:'],
    ['a bad name', file([1, '-- name: An Example']), 'x.sql, line 1:'],
    ['a bad side', file([4, '-- agent: nobody']), 'x.sql, line 4: agent is sender or receiver'],
    ['a bad version', file([5, '-- schema: one']), 'x.sql, line 5: schema is a whole number'],
    ['a bad parameter', file([6, '-- parameter: since']), 'x.sql, line 6: a parameter is'],
    ['an unknown unit', file([8, '-- column: value [miles]: far']), 'x.sql, line 8: miles is no unit'],
    ['other first columns', file([7, '-- column: total [count]: all']), 'x.sql, line 7: the first columns'],
  ])('is refused with %s, naming file and line', (_, text, message) => {
    expect(() => readMetric(text, 'x.sql')).toThrow(MetricFileError)
    expect(() => readMetric(text, 'x.sql')).toThrow(message)
  })

  it('whose SQL is broken fails by its name; one that takes too long is ended; one for a newer store is refused', async () => {
    const store = await opened(newFolder())
    const run = (sql: string, header = file()) =>
      runMetric(store, { ...readMetric(header, 'x.sql'), sql }, { limit: 10, timeoutMs: 300 })
    await expect(run('SELECT no_such_column FROM handoffs')).rejects.toMatchObject({
      code: 'query-failed',
      message: expect.stringContaining('The metric an-example cannot be run: '),
    })
    await expect(
      run('SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b'),
    ).rejects.toMatchObject({
      code: 'timed-out',
    })
    await expect(run('SELECT 1', file([5, '-- schema: 99']))).rejects.toThrow(StoreError)
    await expect(run('SELECT 1', file([5, '-- schema: 99']))).rejects.toMatchObject({ code: 'newer-schema' })
  })

  it('has its variables to itself: the next question does not see them', async () => {
    const store = await opened(newFolder())
    const bounds = { limit: 10, timeoutMs: 30_000 }
    const ask = (variables?: Record<string, string>) =>
      store.readOnlyQuery("SELECT getvariable('slice')::VARCHAR AS slice", { ...bounds, variables })
    expect((await ask({ slice: "it's" })).rows).toEqual([{ slice: "it's" }])
    expect((await ask()).rows).toEqual([{ slice: null }])
    await expect(ask({ 'slice = 1; x': 'a' })).rejects.toMatchObject({ code: 'query-refused' })
  })

  it('is not changed by what is asked: that goes into variables', () => {
    const metric = catalogue[0]!
    const query = metricQuery(metric, { since: '2031-03-04T00:00:00.000Z', by: 'day' })
    expect(query).toEqual({
      sql: metric.sql,
      variables: { since: '2031-03-04T00:00:00.000', until: null, slice: 'day' },
    })
  })
})
