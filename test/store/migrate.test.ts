import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { openStore, SCHEMA_VERSION } from '../../store/index.ts'
import { CAPTURED_TABLES } from '../../store/schema.ts'
import { handspan } from '../cli/command.ts'
import { lostKeyLog } from '../cli/lost-key-log.ts'
import { newFolder, opened } from './folder.ts'

const FIXTURE = readFileSync(join(import.meta.dirname, 'fixtures', 'schema-v1.sql'), 'utf8')

/** A directory with the database that version 1 wrote, and more statements on it. */
async function older(...statements: string[]): Promise<string> {
  const folder = newFolder()
  const instance = await DuckDBInstance.create(join(folder, 'handspan.duckdb'), {
    storage_compatibility_version: 'v1.5.0',
  })
  const connection = await instance.connect()
  await connection.run(FIXTURE)
  for (const sql of statements) await connection.run(sql)
  connection.closeSync()
  instance.closeSync()
  return folder
}

const DERIVED = ['runs', 'handoffs', 'crossings', 'operations', 'items', 'findings', 'messages', 'not_judged']

describe('a database of schema version 1', () => {
  it('is made anew from its events: everything is as if the log had been imported today', async () => {
    const folder = await older('UPDATE base.runs SET findings = 99')
    const store = await opened(folder)
    await store.ingest()
    const fresh = await opened(newFolder())
    const log = join(newFolder(), 'log.jsonl')
    writeFileSync(
      log,
      lostKeyLog()
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
    )
    await fresh.importPaths([log])
    for (const view of DERIVED) {
      const all = (one: typeof store) => one.query(`SELECT * FROM ${view} ORDER BY ALL`)
      expect([view, await all(store)]).toEqual([view, await all(fresh)])
    }
    expect(await store.query('SELECT schema_version FROM base.meta')).toEqual([
      { schema_version: SCHEMA_VERSION },
    ])
    // What was captured is carried over as it was.
    expect(await store.query('SELECT source, line_number, line FROM quarantine')).toEqual([
      { source: 'shop-7-m1a2b3c4d5e6-1.jsonl', line_number: 7, line: 'no event' },
    ])
    expect(await store.query('SELECT events, bytes_read FROM sources')).toEqual([
      { events: 6, bytes_read: 1301 },
    ])
  })

  it('stays beside the new one, whole, and the command says where', async () => {
    const folder = await older()
    const { stderr, stdout, code } = await handspan(['runs', '--dir', folder])
    expect(code).toBe(0)
    expect(stdout).toContain('r-lost')
    const backup = join(folder, 'handspan.duckdb.v1.backup')
    expect(stderr).toContain(backup)
    expect((await handspan(['runs', '--dir', folder])).stderr).not.toContain('backup')
    const instance = await DuckDBInstance.create(backup, { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    expect((await connection.runAndReadAll('SELECT count(*)::INTEGER FROM events')).getRows()).toEqual([[6]])
    connection.closeSync()
    instance.closeSync()
    expect(readdirSync(folder).filter((name) => name.includes('next'))).toEqual([])
  })

  it('is refused and left as it is when a table that was captured is missing', async () => {
    const folder = await older('DROP VIEW quarantine', 'DROP TABLE base.quarantine')
    const error = await openStore(folder).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'older-schema', path: join(folder, 'handspan.duckdb') })
    expect(error.cause.message).toContain('quarantine')
    expect(existsSync(join(folder, 'handspan.duckdb.v1.backup'))).toBe(false)
  })

  it('restores as a backup, too', async () => {
    const folder = await older()
    const store = await opened(newFolder())
    expect(await store.restore(join(folder, 'handspan.duckdb'))).toMatchObject({ events: 6 })
    await store.ingest()
    expect(await store.query('SELECT run, findings > 0 AS judged FROM runs')).toEqual([
      { run: 'r-lost', judged: true },
    ])
  })
})

it('knows since which version each captured table is there', () => {
  for (const since of Object.values(CAPTURED_TABLES)) expect(since).toBeLessThanOrEqual(SCHEMA_VERSION)
})
