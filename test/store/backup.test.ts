import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { openStore, SCHEMA_VERSION } from '../../store/index.ts'
import { line, newFolder, opened } from './folder.ts'
import { run as runChild } from './processes.ts'

/** Opens a database file that no store has open, runs SQL, closes it. Returns the rows of the last statement. */
async function inFile(path: string, ...statements: string[]): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  let rows: unknown[][] = []
  for (const sql of statements) rows = (await connection.runAndReadAll(sql)).getRowsJson()
  connection.closeSync()
  instance.closeSync()
  return rows
}

function spool(folder: string, name: string, events: Record<string, unknown>[]): void {
  mkdirSync(join(folder, 'spool'), { recursive: true })
  writeFileSync(join(folder, 'spool', name), events.map(line).join(''))
}

const eventsOf = (run: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ run, seq: at + 1, content: `word ${at}` }))

const VIEWS = ['runs', 'messages', 'events', 'sources', 'quarantine', 'not_judged']

describe('a backup', () => {
  it('holds everything, opens in plain DuckDB with the views, and restores elsewhere to the same', async () => {
    const folder = newFolder()
    spool(folder, 'shop-1-a-1.jsonl', eventsOf('a', 50))
    const store = await opened(folder)
    await store.ingest()
    const file = join(newFolder(), "it's a backup.duckdb")
    const report = await store.backup(file)
    expect(report).toMatchObject({ events: 50, runs: 1 })
    expect(await inFile(file, 'SELECT count(*)::INTEGER FROM messages')).toEqual([[50]])
    const away = newFolder()
    const other = await opened(away)
    expect(await other.restore(file)).toMatchObject({ events: 50, runs: 1, kept: undefined })
    for (const view of VIEWS) {
      const all = (one: typeof store) => one.query(`SELECT * FROM ${view} ORDER BY ALL`)
      expect([view, await all(other)]).toEqual([view, await all(store)])
    }
    // The copy is a store like any other.
    const log = join(away, 'log.jsonl')
    writeFileSync(log, eventsOf('b', 2).map(line).join(''))
    expect(await other.importPaths([log])).toMatchObject({ events: 2, runs: 1 })
    expect(readdirSync(join(folder, 'outgoing'))).toEqual([])
    expect(readdirSync(join(away, 'outgoing'))).toEqual([])
  })

  it('is one state of the database, whatever agents and others store meanwhile, and loses nothing of that', async () => {
    const folder = newFolder()
    spool(folder, 'shop-1-a-1.jsonl', eventsOf('first', 200))
    const store = await opened(folder)
    await store.ingest()
    const writer = await runChild('append', folder, '40')
    const files: string[] = []
    for (let n = 0; n < 5; n++) {
      const file = join(newFolder(), 'backup.duckdb')
      const [, report] = await Promise.all([store.ingest(), store.backup(file)])
      const [[events, lines, known]] = (await inFile(
        file,
        `SELECT (SELECT count(*) FROM events)::INTEGER, (SELECT sum(events) FROM sources)::INTEGER,
           (SELECT sum(lines_read) FROM sources)::INTEGER`,
      )) as [[number, number, number]]
      // What is stored and how far the spool was read are of one transaction in the copy, too.
      expect([events, lines, known]).toEqual([report.events, report.events, report.events])
      files.push(file)
    }
    await writer.ended
    await store.ingest()
    const [{ n }] = (await store.query('SELECT count(*) AS n FROM events')) as [{ n: number }]
    expect(n).toBe(240)
    // A restored backup reads the rest from the spool.
    await store.close()
    const again = await openStore(folder)
    await again.restore(files[0]!, { overwrite: true })
    await again.ingest()
    expect(await again.query('SELECT count(*) AS n FROM events')).toEqual([{ n: 240 }])
    await again.close()
  })

  it('does not replace a file or itself unless told, and needs a folder', async () => {
    const store = await opened(newFolder())
    const file = join(newFolder(), 'backup.duckdb')
    writeFileSync(file, 'mine')
    await expect(store.backup(file)).rejects.toMatchObject({ code: 'not-empty', path: file })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    await store.backup(file, { overwrite: true })
    expect(readFileSync(file).subarray(8, 12).toString()).toBe('DUCK')
    await expect(store.backup(store.paths.database, { overwrite: true })).rejects.toMatchObject({
      code: 'unreadable',
    })
    await expect(store.backup(join(file, 'x.duckdb'))).rejects.toMatchObject({ code: 'unreadable' })
  })
})

describe('a restore', () => {
  it('keeps a database with events unless told, and then keeps it under another name', async () => {
    const folder = newFolder()
    spool(folder, 'shop-1-a-1.jsonl', eventsOf('present', 3))
    const store = await opened(folder)
    await store.ingest()
    const file = join(newFolder(), 'backup.duckdb')
    await store.backup(file)
    const log = join(folder, 'log.jsonl')
    writeFileSync(log, eventsOf('later', 4).map(line).join(''))
    await store.importPaths([log])
    await expect(store.restore(file)).rejects.toMatchObject({ code: 'not-empty', path: store.paths.database })
    expect(await store.query('SELECT count(*) AS n FROM runs')).toEqual([{ n: 2 }])
    const { kept } = await store.restore(file, { overwrite: true })
    expect(kept).toBe(`${store.paths.database}.replaced`)
    expect(await store.query('SELECT run FROM runs')).toEqual([{ run: 'present' }])
    expect(await inFile(kept!, 'SELECT count(*)::INTEGER FROM runs')).toEqual([[2]])
  })

  it.each([
    ['a text', 'not-a-backup'],
    ['a database of somebody else', 'not-a-backup'],
    ['a copy of a database that was open', 'not-a-backup'],
    ['a newer schema', 'newer-schema'],
    ['nothing', 'unreadable'],
    ['the database itself', 'unreadable'],
  ])('refuses %s, and leaves the database as it is', async (what, code) => {
    const folder = newFolder()
    const store = await opened(folder)
    const log = join(folder, 'log.jsonl')
    writeFileSync(log, eventsOf('a', 2).map(line).join(''))
    await store.importPaths([log])
    const file = join(folder, 'given.duckdb')
    if (what === 'a text') writeFileSync(file, 'no database, but rather a text of some length'.repeat(400))
    if (what === 'a database of somebody else') await inFile(file, 'CREATE TABLE mine (a INTEGER)')
    if (what.startsWith('a copy')) {
      await store.backup(file)
      copyFileSync(file, `${file}.wal`)
    }
    if (what === 'a newer schema') {
      await store.backup(file)
      await inFile(file, `UPDATE base.meta SET schema_version = ${SCHEMA_VERSION + 1}`)
    }
    const given = what === 'the database itself' ? store.paths.database : file
    const error = await store.restore(given, { overwrite: true }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code, path: given, remedy: expect.any(String) })
    expect(await store.query('SELECT count(*) AS n FROM events')).toEqual([{ n: 2 }])
    expect(readdirSync(join(folder, 'outgoing'))).toEqual([])
    expect(existsSync(`${store.paths.database}.replaced`)).toBe(false)
  })
})
