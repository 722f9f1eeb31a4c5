import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import { storePaths } from '../../store/paths.ts'
import { line, newFolder, opened } from './folder.ts'

const options = { limit: 100, timeoutMs: 10_000 }

describe('SQL of users', () => {
  async function filled() {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const file = join(folder, 'log.jsonl')
    writeFileSync(
      file,
      line({ run: 'a', seq: 1, kind: 'run.start' }) + line({ run: 'b', seq: 2, kind: 'run.start' }),
    )
    await store.importPaths([file])
    return store
  }

  it('may ask in every form that reads', async () => {
    const store = await filled()
    const count = async (sql: string) => (await store.readOnlyQuery(sql, options)).rows.length
    expect(await count('SELECT run FROM runs')).toBe(2)
    expect(await count('FROM runs')).toBe(2)
    expect(await count("WITH one AS (SELECT * FROM runs WHERE run = 'a') SELECT * FROM one;")).toBe(1)
    expect(await count('DESCRIBE runs')).toBeGreaterThan(10)
    expect(await count('SHOW TABLES')).toBeGreaterThan(10)
    expect(await count('SUMMARIZE runs')).toBeGreaterThan(10)
    expect(await count('EXPLAIN SELECT * FROM runs')).toBeGreaterThan(0)
    expect(await count('-- why\n/* so */ EXPLAIN ANALYZE SELECT * FROM runs')).toBeGreaterThan(0)
    expect(await count('EXPLAIN (ANALYZE, FORMAT json) SELECT * FROM runs')).toBeGreaterThan(0)
    expect(await count('EXPLAIN (SELECT run FROM runs)')).toBeGreaterThan(0)
    expect(await count('SELECT unnest(agents) FROM runs, range(3)')).toBe(0)
    expect(await count("FROM events PIVOT (count(*) FOR kind IN ('run.start')) SELECT run")).toBe(2)
  })

  it.each([
    'FROM "DIR/x".csv',
    'FROM "DIR"."x"."csv"',
    'DESCRIBE "DIR/x"."csv"',
    'SELECT (SELECT a FROM "DIR/x".csv)',
    'FROM handspan.duckdb',
    'FROM x.csv',
    'FROM "x"."csv?y"',
  ])('reads no file whose name stands in parts: %s', async (sql) => {
    const folder = newFolder()
    const store = await opened(folder)
    const outgoing = join(folder, 'outgoing')
    mkdirSync(outgoing, { recursive: true })
    writeFileSync(join(outgoing, 'x.csv'), 'a,b\n1,2\n')
    const asked = store.readOnlyQuery(sql.replace('DIR', outgoing), { limit: 10, timeoutMs: 60_000 })
    await expect(asked).rejects.toMatchObject({ code: 'query-refused' })
  })
  it('may name views with their schema', async () => {
    const store = await opened(newFolder())
    for (const name of [
      'main.runs',
      'base.events',
      'handspan.main.runs',
      'handspan.runs',
      'information_schema.tables',
      'pg_catalog.pg_class',
    ])
      await store.readOnlyQuery(`SELECT count(*) FROM ${name}`, { limit: 1, timeoutMs: 60_000 })
  })

  it('may not change anything, nor reach a file', async () => {
    const store = await filled()
    const { database } = store.paths
    const outside = join(store.paths.directory, 'out')
    const refused = [
      'DELETE FROM base.events',
      'INSERT INTO base.stale_runs VALUES (1)',
      'CREATE TABLE t (a INTEGER)',
      'DROP VIEW runs',
      "ATTACH '/tmp/x.db'",
      `COPY base.events TO '${outside}'`,
      `EXPORT DATABASE '${outside}'`,
      "SET memory_limit = '1GB'",
      'PRAGMA database_list',
      'CALL pragma_version()',
      'CHECKPOINT',
      'BEGIN',
      'SELECT 1; DELETE FROM base.events',
      'EXPLAIN ANALYZE DELETE FROM base.events',
      'EXPLAIN SELECT 1; DELETE FROM base.events',
      'EXPLAIN (FORMAT json) DELETE FROM base.events',
      '',
      ' ; ',
      `SELECT * FROM read_blob('${database}')`,
      `SELECT * FROM read_text('${database}')`,
      `SELECT * FROM read_csv('/etc/hosts')`,
      `SELECT (SELECT count(*) FROM read_blob('${database}'))`,
      `WITH x AS (FROM read_blob('${database}')) FROM x`,
      `SELECT * FROM query('FROM read_blob(''${database}'')')`,
      `SELECT * FROM query_table(['runs'])`,
      `SELECT * FROM glob('/etc/*')`,
      `SELECT * FROM '${database}'`,
      "SELECT * FROM '/etc/hosts.csv'",
      'SELECT * FROM "x.parquet"',
      `SELECT * FROM sniff_csv('/etc/hosts')`,
      `SELECT * FROM parquet_metadata('x')`,
      `DESCRIBE FROM read_blob('${database}')`,
      `SUMMARIZE '${database}'`,
      `SELECT * FROM runs WHERE run IN (FROM read_text('${database}') SELECT content)`,
    ]
    for (const sql of refused) {
      const outcome = await store.readOnlyQuery(sql, options).then(
        () => 'answered',
        (error) => error.code,
      )
      expect([sql, outcome]).toEqual([sql, 'query-refused'])
    }
    // Where comments nest, this deletes; what is run is what was checked.
    await store.readOnlyQuery('/* /* */ EXPLAIN SELECT 1 -- */ */ DELETE FROM base.events', options)
    expect(existsSync(outside)).toBe(false)
    expect(await store.query('SELECT count(*) AS n FROM events')).toEqual([{ n: 2 }])
  })

  it('has external access switched off underneath', async () => {
    const database = await openDatabase(storePaths(newFolder()))
    await expect(database.writer.run("SELECT * FROM read_text('/etc/hosts')")).rejects.toThrow(
      /disabled by config/,
    )
    await expect(database.writer.run('SET enable_external_access = true')).rejects.toThrow()
    await database.close()
  })

  it('is held to the same when it is asked as a query of the program', async () => {
    const store = await filled()
    for (const sql of [`FROM read_blob('${store.paths.database}')`, 'DELETE FROM base.events']) {
      await expect(store.query(sql)).rejects.toMatchObject({ code: 'query-refused' })
    }
  })

  it('says where a mistake is', async () => {
    const store = await filled()
    await expect(store.readOnlyQuery('SELEC 1', options)).rejects.toMatchObject({ code: 'query-failed' })
    await expect(store.readOnlyQuery('SELECT nonsense FROM runs', options)).rejects.toMatchObject({
      code: 'query-failed',
      message: expect.stringContaining('nonsense'),
    })
  })

  it('gets no more rows than it asked for, and is told', async () => {
    const store = await filled()
    const cut = await store.readOnlyQuery('SELECT * FROM range(5000)', { ...options, limit: 3000 })
    expect(cut.rows).toHaveLength(3000)
    expect(cut.truncated).toBe(true)
    const whole = await store.readOnlyQuery('SELECT * FROM range(5000)', { ...options, limit: 5000 })
    expect(whole.rows).toHaveLength(5000)
    expect(whole.truncated).toBe(false)
    expect(whole.columns).toEqual([{ name: 'range', type: 'BIGINT' }])
  })

  it('is ended when its time is over, and the store goes on', async () => {
    const store = await filled()
    const slow = 'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5'
    await expect(store.readOnlyQuery(slow, { ...options, timeoutMs: 200 })).rejects.toMatchObject({
      code: 'timed-out',
    })
    expect((await store.readOnlyQuery('SELECT 1 AS one', options)).rows).toEqual([{ one: 1 }])
  })

  it('is ended when it takes more memory than it may, says so, and the store goes on', async () => {
    const store = await filled()
    const bounds = { ...options, timeoutMs: 60_000, memoryBytes: 50_000_000 }
    for (const hungry of [
      "SELECT count(*) FROM (SELECT DISTINCT range::VARCHAR || repeat('x', 20) FROM range(20000000))",
      "SELECT len(list(range::VARCHAR || repeat('x', 40))) FROM range(20000000)",
      'SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY hash(range)) AS n FROM range(20000000))',
    ]) {
      const error = await store.readOnlyQuery(hungry, bounds).catch((thrown) => thrown)
      expect([hungry, error.code, error.message]).toEqual([
        hungry,
        'out-of-memory',
        'The query was ended: it took more than 50 MB.',
      ])
      expect(error.remedy).toContain('--memory')
    }
    expect((await store.readOnlyQuery('SELECT count(*) AS n FROM runs', bounds)).rows).toEqual([{ n: 2 }])
  })
})
