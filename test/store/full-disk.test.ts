import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { line, newFolder, opened } from './folder.ts'
import { run, runWithFileLimit, script } from './processes.ts'

/** A store with a run that goes and one that stays, over 3 MB, in a finished segment each. */
async function large(): Promise<{ folder: string; database: string; segments: string[] }> {
  const folder = newFolder()
  mkdirSync(join(folder, 'spool'))
  const then = new Date(Date.now() - 48 * 3600 * 1000)
  const random = () => Array.from({ length: 400 }, () => Math.random().toString(36)).join('')
  const segments = ['old', 'new'].map((id) => {
    const path = join(folder, 'spool', `shop-${id}-1.jsonl`)
    const at = id === 'old' ? '2021-02-03T00:00:00Z' : '2031-02-03T00:00:00Z'
    writeFileSync(
      path,
      Array.from({ length: 400 }, (_, seq) => line({ run: id, seq, at, content: random() })).join(''),
    )
    utimesSync(path, then, then)
    return path
  })
  const store = await opened(folder)
  await store.ingest()
  await store.close()
  return { folder, database: store.paths.database, segments }
}

const BOUNDS = JSON.stringify({ before: Date.parse('2025-01-01T00:00:00Z'), inDoubt: false, dryRun: false })

async function runsOf(folder: string): Promise<unknown[]> {
  const store = await opened(folder)
  const rows = await store.query(
    'SELECT run, (SELECT count(*) FROM events e WHERE e.run = runs.run) AS n FROM runs ORDER BY run',
  )
  await store.close()
  return rows.map((row) => [row.run, row.n])
}

// Whoever is killed below is to be killed at its work, not while it is built.
beforeAll(async () => {
  await script('child')
})

describe('on a full disk', () => {
  it.each([
    ['prune', [BOUNDS]],
    ['backup', ['"FILE"']],
  ])(
    '%s ends with an error; nothing is lost, nothing is left over, and it works once there is room',
    async (method, args) => {
      const { folder, segments } = await large()
      const file = join(newFolder(), 'backup.duckdb')
      const given = args.map((arg) => arg.replace('FILE', file))
      // No file may grow beyond 1 MB: writing fails in the same way as on a full disk.
      const child = await runWithFileLimit(2048, 'do', folder, method, ...given)
      await child.next()
      expect(await child.next()).toMatchObject({ code: 'disk-full' })
      await child.ended
      expect(existsSync(file)).toBe(false)
      expect(readdirSync(join(folder, 'outgoing'))).toEqual([])
      expect(segments.map((path) => existsSync(path))).toEqual([true, true])
      expect(await runsOf(folder)).toEqual([
        ['new', 400],
        ['old', 400],
      ])
      const again = await run('do', folder, method, ...given)
      await again.next()
      expect(await again.next()).toHaveProperty('done')
      await again.ended
    },
  )
})

describe('killed', () => {
  it('while it prunes, at any moment, a store has either all runs or those that stay, and can be pruned again', {
    timeout: 300_000,
  }, async () => {
    const { folder, database, segments } = await large()
    const before = statSync(database).size
    for (let wait = 100; ; wait *= 3) {
      const child = await run('do', folder, 'prune', BOUNDS)
      await child.next()
      await new Promise((done) => setTimeout(done, wait))
      await child.kill()
      const runs = await runsOf(folder)
      expect([
        [
          ['new', 400],
          ['old', 400],
        ],
        [['new', 400]],
      ]).toContainEqual(runs)
      if (runs.length === 1) break
      expect(segments.every((path) => existsSync(path))).toBe(true)
    }
    // The segment may be there still; another pruning removes it, and nothing of it is read again.
    const store = await opened(folder)
    expect(await store.ingest()).toMatchObject({ events: 0 })
    await store.prune(JSON.parse(BOUNDS))
    expect(segments.map((path) => existsSync(path))).toEqual([false, true])
    expect(statSync(database).size).toBeLessThan(before * 0.75)
    await store.rebuild()
    expect(await store.query('SELECT run FROM runs')).toEqual([{ run: 'new' }])
  })
})
