import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { line, newFolder, opened } from './folder.ts'

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

  it('says which path does not exist', async () => {
    const store = await opened(newFolder())
    await expect(store.importPaths(['/nowhere/at/all.jsonl'])).rejects.toMatchObject({
      code: 'unreadable',
      path: '/nowhere/at/all.jsonl',
    })
  })

  it('never opens the database as a run log, under whatever name', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    symlinkSync(store.paths.database, join(folder, 'link.jsonl'))
    linkSync(store.paths.database, join(folder, 'other.jsonl'))
    for (const path of [
      store.paths.database,
      join(folder, 'link.jsonl'),
      join(folder, 'other.jsonl'),
      folder,
    ]) {
      await expect(store.importPaths([path])).rejects.toMatchObject({ code: 'unreadable' })
    }
  })
})
