import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import { storePaths } from '../../store/paths.ts'
import { line, newFolder, opened } from './folder.ts'
import { run, script } from './processes.ts'

async function inThread(data: { directory: string; file: string; direct: boolean }): Promise<unknown> {
  const worker = new Worker(await script('thread'), { workerData: data })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

describe('what would ruin a database file', () => {
  it('opening it twice in one process is refused', async () => {
    const folder = newFolder()
    const database = await openDatabase(storePaths(folder))
    await expect(openDatabase(storePaths(folder))).rejects.toMatchObject({ code: 'open-twice' })
    await database.close()
    await (await openDatabase(storePaths(folder))).close()
  })

  it('opening it on another thread of the same process is refused', async () => {
    const folder = newFolder()
    const database = await openDatabase(storePaths(folder))
    expect(await inThread({ directory: folder, file: '', direct: true })).toBe('open-twice')
    await database.close()
    expect(await inThread({ directory: folder, file: '', direct: true })).toBe('opened')
  })

  it('several threads that import at once share one owner', async () => {
    const folder = newFolder()
    const file = join(folder, 'log.jsonl')
    writeFileSync(
      file,
      Array.from({ length: 500 }, (_, seq) => line({ run: 'a', writer: 'w', seq })).join(''),
    )
    const data = { directory: join(folder, 'store'), file, direct: false }
    const counts = (await Promise.all([1, 2, 3].map(() => inThread(data)))) as { events: number }[]
    expect(counts.reduce((sum, one) => sum + one.events, 0)).toBe(500)
    const store = await opened(data.directory)
    expect(await store.query('SELECT count(*) AS n FROM events')).toEqual([{ n: 500 }])
  })

  it('a claim left by an earlier process with the same number does not stand in the way', async () => {
    const folder = newFolder()
    const database = await openDatabase(storePaths(folder))
    const claim = readdirSync(folder).find((name) => name.endsWith('.lock'))!
    await database.close()
    writeFileSync(join(folder, claim), 'another start')
    await (await openDatabase(storePaths(folder))).close()
  })

  it('nothing that the owner does drops its lock: another process never gets in', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    const other = await opened(folder)
    const file = join(folder, 'log.jsonl')
    writeFileSync(file, line({ run: 'a', seq: 1, kind: 'run.start' }))
    await store.importPaths([file])
    await store.ingest()
    await store.rebuild()
    await store.info()
    await other.readRun('a')
    const options = { limit: 10, timeoutMs: 10_000 }
    const { database } = store.paths
    // Each of these would make this process open and close the file beside DuckDB.
    for (const sql of [
      `FROM read_blob('${database}')`,
      `FROM '${database}'`,
      `FROM read_text('${database}')`,
    ]) {
      await expect(other.readOnlyQuery(sql, options)).rejects.toMatchObject({ code: 'query-refused' })
    }
    expect(await store.importPaths([database])).toMatchObject({ files: 0, unread: [{ file: database }] })
    const intruder = await run('hold', folder)
    expect(await intruder.next()).toEqual({ refused: expect.stringContaining('Could not set lock') })
  })

  it('the file system gets its path only to look it up, to name it and to rename it', () => {
    const folder = join(import.meta.dirname, '..', '..', 'store')
    const uses = readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [
        ...readFileSync(join(folder, name), 'utf8').matchAll(/(\w+)\([^()]*\bpaths\.database\b/g),
      ])
      .map((match) => match[1]!)
    // What opens a descriptor, such as open, readFile or copyFile, must never stand here.
    const allowed = [
      'create',
      'schemaVersion',
      'translateError',
      'renameSync',
      'findFiles',
      'sizeOf',
      'statSync',
      'inTheWay',
      'freeName',
      'StoreError',
      'linkSync',
      'putInPlace',
      'refuseLog',
      'refuseDatabase',
      'notEmpty',
      'inspectBackup',
      // Looks only whether it is there, and names or renames another file.
      'existsSync',
      'putIfNothingIs',
    ]
    expect(uses.filter((name) => !allowed.includes(name))).toEqual([])
    expect(uses).toContain('create')
  })
})
