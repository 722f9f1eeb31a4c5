import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { BINARY, handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

/* The commands that keep a store, as a person types them; what they do is held by test/store and test/lake. */

async function stored(): Promise<{ folder: string; dir: string[] }> {
  const folder = newFolder()
  const dir = ['--dir', join(folder, 'captures')]
  const calm = [
    { run: 'r-calm', seq: 1, at: '2031-03-01T09:00:00Z', kind: 'run.start' },
    { run: 'r-calm', seq: 2, at: '2031-03-01T09:00:01Z', kind: 'run.end' },
  ]
  const { code } = await handspan([
    'import',
    writeLog(folder, 'log.jsonl', [...calm, ...lostKeyLog()]),
    ...dir,
  ])
  expect(code).toBe(0)
  return { folder, dir }
}

const runsOf = async (dir: string[]) =>
  JSON.parse((await handspan(['runs', ...dir, '--json'])).stdout).runs.map(({ run }: { run: string }) => run)

describe('handspan prune', () => {
  it('says what would go, and does it when told; a run in doubt stays and is named', async () => {
    const { dir } = await stored()
    const told = await handspan(['prune', '--older-than', '2032-01-01', ...dir])
    expect(told).toMatchObject({ code: 0, stdout: '' })
    expect(told.stderr).toContain('Would remove 1 run with 0 handoffs and 2 events')
    expect(told.stderr).toContain('1 run stays with a write in doubt (r-lost).')
    expect(told.stderr).toContain('Nothing was changed. --yes does it.')
    expect(await runsOf(dir)).toHaveLength(2)
    const done = await handspan(['prune', '--older-than', '2032-01-01', '--yes', '--json', ...dir])
    expect(JSON.parse(done.stdout)).toMatchObject({
      command: 'prune',
      dryRun: false,
      runs: 1,
      events: 2,
      spared: 1,
    })
    expect(await runsOf(dir)).toEqual(['r-lost'])
  })

  it.each([
    [[], 'prune needs a bound.'],
    [['--older-than', 'long'], '--older-than long is no time.'],
    [['--max-size', 'small'], '--max-size small is no size.'],
  ])('%j is a mistake', async (args, message) => {
    const ended = await handspan(['prune', ...args, '--dir', newFolder()])
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(message)
  })
})

describe('handspan backup and restore', () => {
  it('copy the database and bring it back; neither overwrites unasked', async () => {
    const { folder, dir } = await stored()
    const file = join(folder, 'backup.duckdb')
    expect((await handspan(['backup', file, ...dir])).stderr).toContain('2 runs, 8 events')
    const again = await handspan(['backup', file, ...dir])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--overwrite')])
    const refused = await handspan(['restore', file, ...dir])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('holds events already')])
    const other = ['--dir', join(folder, 'other')]
    expect((await handspan(['restore', file, ...other])).code).toBe(0)
    expect(await runsOf(other)).toEqual(await runsOf(dir))
    const log = writeLog(folder, 'no-backup.jsonl', [{}])
    expect((await handspan(['restore', log, ...other, '--overwrite'])).stderr).toBe(
      `handspan: ${log} cannot become the database: it is no DuckDB database, or it is damaged.\nName a file that handspan backup wrote.\n`,
    )
  })
})

describe('handspan search', () => {
  it('says where a text stands, safe for a terminal; exit code 1 if nowhere', async () => {
    const { dir } = await stored()
    const found = await handspan(['search', 'o7:2', ...dir])
    expect(found.code).toBe(0)
    expect(found.stdout.split('\n').slice(0, 3)).toEqual([
      'r-lost',
      '  2031-03-04T09:00:02Z · operation · agent orders · key',
      '    o7:2',
    ])
    const item = await handspan(['search', 'SET 40', '-i', '--run', 'latest', '--json', ...dir])
    expect(JSON.parse(item.stdout)).toMatchObject({
      truncated: false,
      hits: [
        { run: 'r-lost', handoff: 'h1', side: 'receiver', position: 0 },
        { run: 'r-lost', handoff: 'h1', side: 'sender', position: 0 },
      ],
    })
    const none = await handspan(['search', 'nothing of the kind', ...dir])
    expect(none).toMatchObject({ code: 1, stdout: '' })
    const cut = await handspan(['search', 'o7:2', '--limit', '1', ...dir])
    expect(cut.stderr).toContain('Cut after 1 place.')
    const hostile = [
      'captures',
      writeLog(newFolder(), 'h.jsonl', [{ run: 'h', kind: 'message', content: 'red \u001b[31m' }]),
    ]
    await handspan(['import', hostile[1]!, ...dir])
    expect((await handspan(['search', 'red', ...dir])).stdout).not.toContain('\u001b')
  })
})

describe('handspan export, and queries over the lake', () => {
  it('say the same as over the store, before and after it is compacted', async () => {
    const { folder, dir } = await stored()
    const lake = join(folder, 'lake')
    expect((await handspan(['export', '--parquet', lake, ...dir])).stderr).toContain('2 runs added')
    const ask = ['query', 'key-coverage', '--by', 'pair', '--json']
    const wanted = JSON.parse((await handspan([...ask, ...dir])).stdout).rows
    expect(wanted).toHaveLength(1)
    expect(JSON.parse((await handspan([...ask, '--db', lake])).stdout).rows).toEqual(wanted)
    expect((await handspan(['lake', 'compact', lake])).code).toBe(0)
    expect(JSON.parse((await handspan([...ask, '--db', lake])).stdout).rows).toEqual(wanted)
    const sql = await handspan(['sql', 'SELECT run FROM runs ORDER BY run', '--db', lake, '--json'])
    expect(JSON.parse(sql.stdout).rows).toEqual([{ run: 'r-calm' }, { run: 'r-lost' }])
    expect((await handspan(['search', 'o7:2', '--db', lake])).stdout).toContain('r-lost')
    // A lake is only read: nothing becomes a store.
    expect(existsSync(join(lake, 'handspan.duckdb'))).toBe(false)
    mkdirSync(join(folder, 'none'))
    const none = await handspan([...ask, '--db', join(folder, 'none')])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is no lake')])
  })
})

describe('handspan sql', () => {
  const slow = 'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5'

  it('ends a query that takes too much memory or time, and says which', async () => {
    const { dir } = await stored()
    const hungry = "SELECT len(list(range::VARCHAR || repeat('x', 40))) FROM range(30000000)"
    const much = await handspan(['sql', hungry, '--memory', '50MB', ...dir])
    expect([much.code, much.stdout]).toEqual([2, ''])
    expect(much.stderr).toContain('it took more than 50 MB')
    expect(much.stderr).toContain('--memory')
    const long = await handspan(['sql', slow, '--timeout', '1', ...dir])
    expect([long.code, long.stderr]).toEqual([2, expect.stringContaining('ended after 1000 ms')])
  })
  it('is ended by Ctrl-C, also by itself with the database, and the store goes on', async () => {
    const { folder, dir } = await stored()
    const child = spawn(process.execPath, [BINARY, 'sql', slow, ...dir])
    try {
      const ended = new Promise((closed) => child.once('close', closed))
      while (!existsSync(join(folder, 'captures', 'handspan.sock'))) await wait(20)
      // Until it is at the query.
      await wait(1000)
      child.kill('SIGINT')
      expect(await ended).toBe(130)
    } finally {
      child.kill('SIGKILL')
    }
    expect(await runsOf(dir)).toHaveLength(2)
  })
})
