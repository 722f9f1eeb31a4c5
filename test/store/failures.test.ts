import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { openStore, SCHEMA_VERSION } from '../../store/index.ts'
import { line, newFolder, opened } from './folder.ts'
import { run, runWithFileLimit } from './processes.ts'

/** Runs SQL on a database file that no store has open. */
async function alter(path: string, ...statements: string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  for (const sql of statements) await connection.run(sql)
  connection.closeSync()
  instance.closeSync()
}

async function storeWithRun(): Promise<{ folder: string; database: string }> {
  const folder = newFolder()
  mkdirSync(join(folder, 'spool'))
  writeFileSync(
    join(folder, 'spool', 'h-1-1-1.jsonl'),
    line({ run: 'a', seq: 1 }) + line({ run: 'a', content: 'bare' }),
  )
  const store = await openStore(folder)
  await store.ingest()
  await store.close()
  return { folder, database: store.paths.database }
}

describe('failures', () => {
  it('a file that is no database is named and left as it is', async () => {
    const folder = newFolder()
    const path = join(folder, 'handspan.duckdb')
    writeFileSync(path, 'this is a text, and a rather long one at that'.repeat(500))
    await expect(openStore(folder)).rejects.toMatchObject({
      code: 'not-a-database',
      path,
      remedy: expect.any(String),
    })
    expect(readFileSync(path, 'utf8')).toContain('this is a text')
  })

  it('a database that was cut off or changed on the disk is named, whenever that is found', async () => {
    const { folder, database } = await storeWithRun()
    const large = join(newFolder(), 'large.jsonl')
    writeFileSync(large, line({ run: 'b', seq: 1, content: randomBytes(600_000).toString('base64') }))
    const filled = await opened(folder)
    await filled.importPaths([large])
    await filled.close()
    const whole = readFileSync(database)
    const read = async () => {
      const store = await openStore(folder).catch((error) => ({ at: 'opening', error }))
      if ('error' in store) return store
      const error = await store
        .query('SELECT sum(length(body::VARCHAR)) FROM events')
        .catch((thrown) => thrown)
      await store.close()
      return { at: 'asking', error }
    }
    const sick = { code: 'not-a-database', path: database, remedy: expect.stringContaining('backup') }
    writeFileSync(database, whole.subarray(0, 200_000))
    expect(await read()).toEqual({ at: 'opening', error: expect.objectContaining(sick) })
    const found = new Set<string>()
    const HEADERS = 3 * 4096
    const BLOCK = 262_144
    for (let block = HEADERS; block < whole.length && found.size < 2; block += BLOCK) {
      const changed = Buffer.from(whole)
      changed[block + 1000]! ^= 0xff
      writeFileSync(database, changed)
      const { at, error } = await read()
      // A block in which nothing is that was asked for may be what it likes.
      if (!(error instanceof Error)) continue
      expect(error).toMatchObject(sick)
      found.add(at)
    }
    expect(found).toEqual(new Set(['opening', 'asking']))
    writeFileSync(database, whole)
    expect(await (await opened(folder)).query('SELECT count(*) AS n FROM events')).toEqual([{ n: 3 }])
  })

  it('a database of somebody else is named and left as it is', async () => {
    const folder = newFolder()
    const path = join(folder, 'handspan.duckdb')
    await alter(path, 'CREATE TABLE mine (a INTEGER)')
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'not-a-database', path })
    await alter(path, 'INSERT INTO mine VALUES (1)')
  })

  it('a newer schema is refused with path and remedy', async () => {
    const { folder, database } = await storeWithRun()
    await alter(database, `UPDATE base.meta SET schema_version = ${SCHEMA_VERSION + 1}`)
    await expect(openStore(folder)).rejects.toMatchObject({
      code: 'newer-schema',
      path: database,
      message: expect.stringContaining(String(SCHEMA_VERSION + 1)),
      remedy: expect.stringContaining('newer handspan'),
    })
  })

  it('an older schema is rebuilt from its events, with a backup beside it', async () => {
    const { folder, database } = await storeWithRun()
    await alter(
      database,
      'UPDATE base.meta SET schema_version = 0',
      'DROP VIEW findings',
      'DELETE FROM base.runs',
    )
    const store = await opened(folder)
    // What was read of the spool is known, so nothing is read twice; everything derived is made anew.
    expect(await store.ingest()).toMatchObject({ events: 0, duplicates: 0, bytes: 0, runs: 1 })
    expect(await store.query('SELECT run, events FROM runs')).toEqual([{ run: 'a', events: 2 }])
    expect(await store.query('SELECT * FROM findings')).toEqual([])
    expect(await store.query('SELECT schema_version FROM base.meta')).toEqual([
      { schema_version: SCHEMA_VERSION },
    ])
    expect(readdirSync(folder).filter((name) => name.includes('backup'))).toEqual([
      'handspan.duckdb.v0.backup',
    ])
    expect(existsSync(`${database}.next`)).toBe(false)
  })

  it('an older schema whose events cannot be carried over is refused and left as it is', async () => {
    const { folder, database } = await storeWithRun()
    await alter(
      database,
      'UPDATE base.meta SET schema_version = 0',
      'DROP VIEW events',
      'DROP TABLE base.events',
    )
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'older-schema', path: database })
    expect(readdirSync(folder).filter((name) => /backup|next/.test(name))).toEqual([])
    await alter(database, 'SELECT * FROM base.sources')
  })

  it('a directory that is missing is said to be, unless it is to be made', async () => {
    const folder = join(newFolder(), 'not', 'there')
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'directory-missing', path: folder })
    await (await openStore(folder, { create: true })).close()
  })

  it('a directory that cannot be made or written is named', async () => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    const folder = join(file, 'store')
    await expect(openStore(folder, { create: true })).rejects.toMatchObject({
      code: 'not-writable',
      path: folder,
    })
    // proc refuses new files to everybody, root included: it stands for a read-only directory.
    if (existsSync('/proc/self')) {
      await expect(openStore('/proc/self')).rejects.toMatchObject({
        code: 'not-writable',
        remedy: expect.any(String),
      })
      // Asked for a folder there and those above it at once, Node tries for ever.
      await expect(openStore('/proc/handspan/captures', { create: true })).rejects.toMatchObject({
        code: 'not-writable',
        path: '/proc/handspan/captures',
      })
    }
  })

  it('a directory in the place of the database is said to be one', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'handspan.duckdb'))
    await expect(openStore(folder)).rejects.toMatchObject({
      code: 'not-a-database',
      message: expect.stringContaining('is a directory'),
      path: join(folder, 'handspan.duckdb'),
    })
  })

  it('a full disk ends the import with an error, and what was stored before stays', {
    timeout: 120_000,
  }, async () => {
    const { folder, database } = await storeWithRun()
    const file = join(folder, 'large.jsonl')
    const random = () => Array.from({ length: 50 }, () => Math.random().toString(36)).join('')
    writeFileSync(
      file,
      Array.from({ length: 8000 }, (_, seq) => line({ run: `b${seq % 100}`, seq, content: random() })).join(
        '',
      ),
    )
    // No file may grow beyond 4 MB: writing fails in the same way as on a full disk.
    const child = await runWithFileLimit(8192, 'import', folder, file)
    expect(await child.next()).toMatchObject({
      code: 'disk-full',
      path: database,
      remedy: expect.any(String),
    })
    await child.ended
    const store = await opened(folder)
    expect(await store.query("SELECT count(*) AS n FROM events WHERE run = 'a'")).toEqual([{ n: 2 }])
    await store.importPaths([file])
    expect(await store.query("SELECT count(*) AS n FROM events WHERE run <> 'a'")).toEqual([{ n: 8000 }])
  })

  it('a disk that is full from the start is said to be, and keeps nobody out once there is room', async () => {
    const { folder } = await storeWithRun()
    const child = await runWithFileLimit(0, 'import', folder, join(folder, 'no.jsonl'))
    expect(await child.next()).toMatchObject({ code: 'disk-full', path: folder })
    await child.ended
    expect(readdirSync(folder).filter((name) => name.endsWith('.lock'))).toEqual([])
    await opened(folder)
  })

  it('a file that a foreign process has open names that process', async () => {
    const folder = newFolder()
    const child = await run('hold', folder)
    const { pid } = (await child.next())!
    await expect(openStore(folder)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${pid}`),
      path: join(folder, 'handspan.duckdb'),
    })
  })
})
