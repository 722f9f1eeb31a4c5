import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { StoreError } from '../../store/errors.ts'
import { findFiles } from '../../store/find-files.ts'
import { readImport } from '../../store/import-read.ts'
import { whyUnread } from '../../store/why-unread.ts'
import { line, newFolder, opened } from './folder.ts'

const TRACES = resolve(import.meta.dirname, '../importers/traces')

/** Root may read everything. */
async function asOrdinaryUser<T>(act: () => Promise<T>): Promise<T> {
  const user = process.geteuid!()
  if (user === 0) process.seteuid!(65534)
  try {
    return await act()
  } finally {
    process.seteuid!(user)
  }
}

describe('importing', () => {
  it('takes a file whose last line has no line feed, and reports one that is cut off', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const whole = join(folder, 'whole.jsonl')
    writeFileSync(whole, line({ run: 'a', seq: 1 }) + line({ run: 'a', seq: 2 }).trimEnd())
    expect(await store.importPaths([whole])).toMatchObject({ events: 2, quarantined: 0 })
    const torn = join(folder, 'torn.jsonl')
    writeFileSync(torn, line({ run: 'b', seq: 1 }) + line({ run: 'b', seq: 2 }).slice(0, 30))
    expect(await store.importPaths([torn])).toMatchObject({ events: 1, quarantined: 1 })
    expect(await store.importPaths([torn])).toMatchObject({ events: 0, quarantined: 0 })
    expect(await store.query('SELECT source, line_number FROM quarantine')).toEqual([
      { source: torn, line_number: 2 },
    ])
  })

  it('counts equal lines without seq by their place among their equals', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const file = join(folder, 'log.jsonl')
    const bare = line({ run: 'a', content: 'again' })
    writeFileSync(file, bare + bare)
    expect(await store.importPaths([file])).toMatchObject({ events: 2 })
    writeFileSync(file, bare + bare + bare)
    expect(await store.importPaths([file])).toMatchObject({ events: 1, duplicates: 2 })
  })

  it('does not double a spool segment that is imported as a file as well', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    mkdirSync(join(folder, 'spool'))
    writeFileSync(
      join(folder, 'spool', 'h-1-1-1.jsonl'),
      line({ run: 'a', seq: 1 }) + line({ run: 'a', seq: 2 }),
    )
    await store.ingest()
    expect(await store.importPaths([folder])).toMatchObject({ files: 1, events: 0, duplicates: 2 })
  })

  it('reads a stream', async () => {
    const store = await opened(newFolder())
    const text = `${line({ run: 'a', seq: 1 }) + line({ run: 'a', seq: 2 })}no event`
    expect(await store.importStream(Readable.from([text.slice(0, 50), text.slice(50)]))).toMatchObject({
      events: 2,
      quarantined: 1,
    })
    expect(await store.query('SELECT source FROM quarantine')).toEqual([{ source: 'stdin' }])
  })

  it('reads what it can of several paths, and says of each of the others why not', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const logs = join(folder, 'logs')
    mkdirSync(logs)
    const missing = join(folder, 'nowhere.jsonl')
    const foreign = join(folder, 'package.json')
    const inFolder = join(logs, '1.jsonl')
    writeFileSync(foreign, '{\n  "name": "x"\n}\n')
    writeFileSync(inFolder, '[\n  1\n]\n')
    writeFileSync(join(logs, '2.jsonl'), line({ run: 'a', seq: 1 }))
    writeFileSync(join(folder, 'last.jsonl'), line({ run: 'b', seq: 1 }))
    const report = await store.importPaths([missing, foreign, logs, join(folder, 'last.jsonl')])
    expect(report).toMatchObject({ events: 2, runs: 2, files: 2 })
    expect(report.unread).toEqual([
      { file: missing, reason: `${missing} does not exist.`, remedy: 'Check the path.' },
      ...[foreign, inFolder].map((file) => ({
        file,
        reason: `${file} is JSON, but holds no spans in a form that is read.`,
        remedy: expect.stringContaining('OTLP'),
      })),
    ])
    expect(await store.query('SELECT run FROM runs ORDER BY run')).toEqual([{ run: 'a' }, { run: 'b' }])
  })

  it('takes from a folder the .json files that hold spans, and passes over the others', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const exports = join(folder, 'exports')
    mkdirSync(join(exports, 'below'), { recursive: true })
    writeFileSync(join(exports, 'package.json'), '{\n  "name": "x"\n}\n')
    writeFileSync(join(exports, 'one-line.json'), '{"name":"x"}\n')
    writeFileSync(join(exports, 'torn.json'), '{"resourceSpans":[')
    writeFileSync(join(exports, 'notes.txt'), 'no log')
    const none = `${exports} holds no .jsonl or .ndjson file, and no .json file with spans.`
    expect(await store.importPaths([exports])).toMatchObject({
      files: 0,
      quarantined: 0,
      unread: [{ file: exports, reason: none, remedy: 'Name files with other endings one by one.' }],
    })
    copyFileSync(join(TRACES, 'triage.openinference.otlp.json'), join(exports, 'below', 'spans.json'))
    writeFileSync(join(exports, 'log.jsonl'), line({ run: 'a', seq: 1 }))
    const report = await store.importPaths([exports])
    expect(report).toMatchObject({ files: 2, runs: 2, quarantined: 0, unread: [] })
    expect(report.spans).toBeGreaterThan(0)
  })

  it('says of a file in which no line is an event that it holds nothing, each time, and keeps the lines', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const notes = join(folder, 'notes.txt')
    writeFileSync(notes, 'not JSON\n{"a": 1}\n')
    const empty = join(folder, 'empty.jsonl')
    writeFileSync(empty, '')
    for (const quarantined of [2, 0]) {
      expect(await store.importPaths([notes, empty])).toMatchObject({
        // A log that nobody has written to yet is no fault.
        files: 1,
        quarantined,
        unread: [{ file: notes, reason: expect.stringContaining('none of its 2 lines') }],
      })
    }
    expect(await store.query('SELECT line_number FROM quarantine ORDER BY 1')).toHaveLength(2)
  })

  it('reads what is beside a folder that cannot be listed', async () => {
    const folder = newFolder()
    const closed = join(folder, 'b')
    mkdirSync(closed)
    for (const name of ['a.jsonl', 'b/c.jsonl', 'd.jsonl']) {
      writeFileSync(join(folder, name), line({ run: name, seq: 1 }))
    }
    chmodSync(folder, 0o755)
    chmodSync(closed, 0o000)
    const found = await asOrdinaryUser(() => findFiles([folder], join(folder, 'none.duckdb')))
    expect(found.map(({ path }) => path)).toEqual(
      ['a.jsonl', 'b', 'd.jsonl'].map((name) => join(folder, name)),
    )
    expect(await asOrdinaryUser(() => readImport(closed, closed).next())).toMatchObject({
      value: { file: closed, reason: `${closed} cannot be read: permission denied.` },
    })
    chmodSync(closed, 0o755)
  })

  it('follows the links of a folder to files, and to no folder', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const logs = join(folder, 'logs')
    mkdirSync(logs)
    writeFileSync(join(folder, 'elsewhere'), line({ run: 'a', seq: 1 }))
    symlinkSync(join(folder, 'elsewhere'), join(logs, 'a.jsonl'))
    symlinkSync(logs, join(logs, 'circle.jsonl'))
    const gone = join(logs, 'gone.jsonl')
    symlinkSync(join(folder, 'nowhere'), gone)
    expect(await store.importPaths([logs])).toMatchObject({
      files: 1,
      events: 1,
      unread: [{ file: gone, reason: `${gone} does not exist.` }],
    })
  })

  it('does not wait for a pipe', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const pipe = join(folder, 'pipe.jsonl')
    execFileSync('mkfifo', [pipe])
    expect(await store.importPaths([pipe])).toMatchObject({
      files: 0,
      unread: [{ file: pipe, reason: `${pipe} is no file but a pipe.` }],
    })
  })

  it('calls a stream that holds nothing it can read by its name', async () => {
    const store = await opened(newFolder())
    expect(await store.importStream(Readable.from(['{\n"name": "x"}\n']))).toMatchObject({
      files: 0,
      unread: [{ file: 'stdin', reason: 'stdin is JSON, but holds no spans in a form that is read.' }],
    })
  })

  it('takes a disk that is full for no fault of the file', async () => {
    expect(() => whyUnread('a.jsonl', new StoreError('disk-full', 'full', { remedy: '' }))).toThrow('full')
    expect(() => whyUnread('a.jsonl', new TypeError('a fault of this program'))).toThrow('a fault')
    expect(whyUnread('logs', fault('EACCES', 'logs/deep'))).toEqual({
      reason: 'logs/deep cannot be read: permission denied.',
      remedy: 'Make it readable for this user.',
    })
  })

  it('never opens the database as a run log, under whatever name', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    symlinkSync(store.paths.database, join(folder, 'link.jsonl'))
    linkSync(store.paths.database, join(folder, 'other.jsonl'))
    writeFileSync(join(folder, 'sound.jsonl'), line({ run: 'a', seq: 1 }))
    for (const path of [store.paths.database, join(folder, 'link.jsonl'), join(folder, 'other.jsonl')]) {
      expect(await store.importPaths([path])).toMatchObject({
        files: 0,
        unread: [{ reason: expect.stringContaining('is the database of this store itself') }],
      })
    }
    expect(await store.importPaths([folder])).toMatchObject({
      files: 1,
      events: 1,
      unread: [{ file: join(folder, 'link.jsonl') }, { file: join(folder, 'other.jsonl') }],
    })
  })
})

/** What the file system refuses with. */
function fault(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: permission denied, scandir '${path}'`), { code, path })
}
