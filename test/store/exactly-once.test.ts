import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../store/index.ts'
import { line, newFolder, opened } from './folder.ts'
import { run } from './processes.ts'

const COUNTS = `
  SELECT count(*) AS events, count(DISTINCT writer || ':' || seq) AS different, count(DISTINCT run) AS runs FROM events`

describe('exactly once', () => {
  it('holds when the reader is killed again and again while agents write', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'spool'))
    const writers = [1, 2, 3].map((n) => ({
      name: `w${n}`,
      path: join(folder, 'spool', `host-${n}-1-1.jsonl`),
      seq: 0,
    }))
    const write = (lines: number) => {
      for (const writer of writers) {
        let text = ''
        for (let n = 0; n < lines; n++) {
          writer.seq++
          text += line({
            run: `r${writer.seq % 17}`,
            writer: writer.name,
            seq: writer.seq,
            content: 'x'.repeat(300),
          })
        }
        appendFileSync(writer.path, text)
      }
    }
    write(2000)
    for (let kill = 0; kill < 8; kill++) {
      const reader = await run('ingest', folder)
      // Now in the middle of its start, now of its reading, its deriving or its closing.
      await wait(300 + kill * 130)
      write(300)
      await wait(kill * 40)
      await reader.kill()
    }
    const store = await opened(folder)
    await store.ingest()
    const written = writers.reduce((sum, writer) => sum + writer.seq, 0)
    expect(await store.query(COUNTS)).toEqual([{ events: written, different: written, runs: 17 }])
    expect(await store.query('SELECT count(*) AS runs, sum(events) AS events FROM runs')).toEqual([
      { runs: 17, events: written },
    ])
    expect(await store.info()).toMatchObject({ staleRuns: 0, pendingBytes: 0, quarantined: 0 })
  })

  it('holds when several processes and this one import the same file at once', {
    timeout: 60_000,
  }, async () => {
    const folder = newFolder()
    const file = join(folder, 'log.jsonl')
    const total = 3000
    writeFileSync(
      file,
      Array.from({ length: total }, (_, n) =>
        line({ run: `r${n % 50}`, writer: 'w', seq: n, content: 'y'.repeat(200) }),
      ).join(''),
    )
    const directory = join(folder, 'store')
    const children = await Promise.all([1, 2, 3].map(() => run('import', directory, file)))
    const here = await Promise.all([
      openStore(directory, { create: true }),
      openStore(directory, { create: true }),
    ])
    const counts = [
      ...(await Promise.all(here.map((store) => store.importPaths([file])))),
      ...(await Promise.all(children.map((child) => child.next()))),
    ]
    expect(counts.map((one) => (one!.events as number) + (one!.duplicates as number))).toEqual(
      Array(5).fill(total),
    )
    expect(counts.reduce((sum, one) => sum + (one!.events as number), 0)).toBe(total)
    expect(await here[0]!.query(COUNTS)).toEqual([{ events: total, different: total, runs: 50 }])
    await Promise.all(here.map((store) => store.close()))
  })
})
