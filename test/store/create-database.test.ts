import { closeSync, openSync, readdirSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { line, newFolder, opened } from './folder.ts'
import { run } from './processes.ts'

// DuckDB's files carry this from byte 8 on.
const MARK = 'DUCK'

function markOf(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  const mark = Buffer.alloc(MARK.length)
  const length = readSync(file, mark, 0, mark.length, 8)
  closeSync(file)
  return mark.toString('latin1', 0, length)
}

describe('a new database', () => {
  it('is there as a whole or not at all, for whoever looks while it is made', async () => {
    for (let round = 0; round < 3; round++) {
      const folder = newFolder()
      const makers = await Promise.all([1, 2].map(() => run('ingest', folder, 'once')))
      let isMaking = true
      const codes = Promise.all(makers.map((maker) => maker.ended)).finally(() => {
        isMaking = false
      })
      const seen = new Set<string | undefined>()
      while (isMaking) {
        for (let look = 0; look < 200; look++) seen.add(markOf(join(folder, 'handspan.duckdb')))
        await new Promise(setImmediate)
      }
      expect(await codes).toEqual([0, 0])
      expect([...seen].filter((mark) => mark !== undefined)).toEqual([MARK])
      expect(readdirSync(join(folder, 'outgoing'))).toEqual([])
    }
  })

  it('takes nothing from the log of one that was removed', async () => {
    const folder = newFolder()
    const file = join(folder, 'a.jsonl')
    writeFileSync(file, line({ run: 'a', seq: 1 }))
    const owner = await run('contend', folder)
    await owner.next()
    const asking = await opened(folder)
    await asking.importPaths([file])
    await asking.close()
    await owner.kill()
    expect(readdirSync(folder)).toContain('handspan.duckdb.wal')
    rmSync(join(folder, 'handspan.duckdb'))
    const store = await opened(folder)
    expect(await store.query('SELECT count(*) AS events FROM events')).toEqual([{ events: 0 }])
    expect(await store.importPaths([file])).toMatchObject({ events: 1 })
  })
})
