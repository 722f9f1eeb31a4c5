import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { countOnce } from '../../cli/count-once.ts'
import { BINARY, handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

type Answer = {
  handoffs: {
    run: string
    handoff: string
    reason?: string
    failed?: boolean
    mutated?: boolean
    solved?: { check: string }[]
    new?: { check: string }[]
  }[]
  total: { tried: number; failed: number; solved: number; new: number }
}

// By its place: a filter in a folder of its own finds no packages.
const DUCKDB = pathToFileURL(createRequire(import.meta.url).resolve('@duckdb/node-api')).href

/** A folder with the log and a filter, and a call of what-if on both. */
async function tryModule(source: string, more: string[] = [], logs: object[][] = [lostKeyLog()]) {
  const folder = newFolder()
  writeFileSync(join(folder, 'filter.mjs'), source)
  const files = logs.map((log, index) => writeLog(folder, `${index}.jsonl`, log))
  const ended = await handspan(['what-if', ...files, '--filter', 'filter.mjs', '--json', ...more], {
    cwd: folder,
  })
  return { ...ended, answer: (ended.stdout === '' ? undefined : JSON.parse(ended.stdout)) as Answer }
}

describe('counting tokens for many trials', () => {
  it('takes each text once, until it is told to forget', () => {
    const asked: string[] = []
    const counter = countOnce({
      method: 'characters',
      count: (text) => {
        asked.push(text)
        return text.length
      },
    })
    expect(['one', 'three', 'one', '', ''].map((text) => counter.count(text))).toEqual([3, 5, 3, 0, 0])
    expect(asked).toEqual(['one', 'three', ''])
    expect(counter.method).toBe('characters')
    counter.forget()
    expect(counter.count('one')).toBe(3)
    expect(asked).toHaveLength(4)
  })
})

describe('handspan what-if', () => {
  it("runs the user's filter on what was captured, in a process of its own", async () => {
    const { code, answer, stderr } = await tryModule(`
      console.log('a filter may print', process.argv[1].split('/').at(-1))
      process.send?.('a filter may write to any channel it finds')
      export default async ({ items, context }) => ({ items: items.slice(0, 1), record: context.known })`)
    expect(code).toBe(0)
    expect(stderr).toContain('a filter may print filter-child.js')
    expect(answer.total).toMatchObject({ tried: 1, failed: 0 })
    expect(answer.handoffs[0]!.solved!.map(({ check }) => check)).toContain('op-in-doubt-key-missing')
  })

  it('says for each handoff how the filter failed, and tries the next one', async () => {
    const ways: Record<string, [source: string, words: string | undefined]> = {
      throws: ['() => { throw new TypeError("no such field") }', 'the filter threw TypeError: no such field'],
      ends: ['() => process.exit(3)', 'the filter ended its process (exit code 3)'],
      'fails later': [
        '() => new Promise(() => setImmediate(() => { throw new Error("left alone") }))',
        'the filter ended its process: Error: left alone',
      ],
      'takes more memory than it may': [
        '() => { const all = []; for (;;) all.push(new Array(1_000_000).fill(all.length)) }',
        'the filter ended its process (SIGABRT)',
      ],
      'loops for ever': ['() => { for (;;); }', 'the filter did not answer within 10 s'],
      'returns garbage': [
        '() => 42',
        'the filter returned a number: return a list of items, or {items, record}',
      ],
      'returns what is no JSON': [
        '({ items }) => { items.self = items; return { items, record: { items, n: 1n } } }',
        'the filter threw TypeError: Do not know how to serialize a BigInt',
      ],
      works: ['({ items }) => items', undefined],
    }
    const { code, answer } = await tryModule(
      `const ways = { ${Object.entries(ways).map(([run, [source]]) => `'${run}': ${source}`)} }
       export default (input) => ways[input.context.run](input)`,
      ['--fail-on', 'new'],
      Object.keys(ways).map((run) => lostKeyLog(run)),
    )
    expect(code).toBe(1)
    expect(answer.total).toMatchObject({ tried: 1, failed: Object.keys(ways).length - 1 })
    expect(Object.fromEntries(answer.handoffs.map(({ run, reason }) => [run, reason]))).toEqual(
      Object.fromEntries(Object.entries(ways).map(([run, [, words]]) => [run, words])),
    )
  })

  it.each([
    ['is no function', 'export default 3', 'the module has no default export that is a function'],
    ['is not exported', 'export const filter = ({ items }) => items', 'no default export'],
    ['is no JavaScript', 'export default (', 'SyntaxError: '],
    ['needs what is not there', "import './gone.mjs'; export default (x) => x", 'gone.mjs'],
    ['throws while it is loaded', 'throw new TypeError("not today")', ': TypeError: not today\n'],
    ['ends its process while it is loaded', 'process.exit(0)', 'ended its process (exit code 0)'],
  ])('ends with 2 and says why where a filter %s', async (_, source, words) => {
    for (const more of [[], ['--fail-on', 'new']]) {
      const { code, stdout, stderr } = await tryModule(source, more)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('handspan: No filter can be loaded from filter.mjs: ')
      expect(stderr).toContain(words)
      expect(stderr).toContain('\nName a module whose default export is a filter: ')
    }
  })

  it('says of a filter that is missing what is said of any other file', async () => {
    const folder = newFolder()
    const log = writeLog(folder, 'a.jsonl', lostKeyLog())
    expect(await handspan(['what-if', log, '--filter', 'gone.mjs'], { cwd: folder })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'handspan: gone.mjs does not exist.\nCheck the path.\n',
    })
  })

  it('tries it on what it can read, names the rest and ends with 2', async () => {
    const folder = newFolder()
    const gone = join(folder, 'gone.jsonl')
    const files = [gone, writeLog(folder, 'a.jsonl', lostKeyLog())]
    const { code, stdout, stderr } = await handspan(['what-if', ...files, '--style', 'record', '--json'])
    expect(code).toBe(2)
    expect(stderr).toContain(`${gone} does not exist.\nCheck the path.`)
    expect(JSON.parse(stdout)).toMatchObject({ total: { tried: 1 }, unread: [{ file: gone }] })
    const alone = await handspan(['what-if', gone, '--style', 'record'])
    expect(alone).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `handspan: ${gone} does not exist.\nCheck the path.\n`,
    })
  })

  it("keeps a filter out of the store's own database, which stays whole", async () => {
    const folder = newFolder()
    const env = { HANDSPAN_DIR: join(folder, 'captures') }
    await handspan(['import', writeLog(folder, 'a.jsonl', lostKeyLog())], { env })
    const filter = join(folder, 'filter.mjs')
    writeFileSync(
      filter,
      `import duckdb from '${DUCKDB}'
       export default async ({ items }) => {
         const database = process.env.HANDSPAN_DIR + '/handspan.duckdb'
         const instance = await duckdb.DuckDBInstance.create(database, { access_mode: 'READ_ONLY' })
         instance.closeSync()
         return items
       }`,
    )
    const tried = await handspan(['what-if', 'latest', '--filter', filter, '--json'], { env })
    expect((JSON.parse(tried.stdout) as Answer).handoffs[0]!.reason).toMatch(/Could not set lock on file/)
    await handspan(['import', writeLog(folder, 'b.jsonl', lostKeyLog('r-2'))], { env })
    const { stdout } = await handspan(
      ['sql', 'SELECT run, count(*) AS events FROM events GROUP BY run ORDER BY run', '--json'],
      {
        env,
      },
    )
    expect(JSON.parse(stdout).rows).toEqual([
      { run: 'r-2', events: 6 },
      { run: 'r-lost', events: 6 },
    ])
  })

  it('leaves no filter running when it is killed itself, not even one that loops for ever', async () => {
    const folder = newFolder()
    writeFileSync(
      join(folder, 'filter.mjs'),
      "import { writeFileSync } from 'node:fs'; writeFileSync('pid', process.pid + '.'); for (;;);",
    )
    const log = writeLog(folder, 'a.jsonl', lostKeyLog())
    const command = spawn(process.execPath, [BINARY, 'what-if', log, '--filter', 'filter.mjs'], {
      cwd: folder,
      stdio: 'ignore',
    })
    const pid = await vi.waitUntil(
      () =>
        existsSync(join(folder, 'pid')) &&
        Number(/^\d+(?=\.)/.exec(readFileSync(join(folder, 'pid'), 'utf8'))?.[0]),
      { timeout: 30_000 },
    )
    expect(pid).not.toBe(command.pid)
    command.kill('SIGKILL')
    await once(command, 'exit')
    await vi.waitUntil(() => !isAlive(pid), { timeout: 30_000 })
  })

  it('reports a filter that changes its input, which changes nothing else', async () => {
    const { answer } = await tryModule(
      'export default ({ items }) => { items.pop(); return items.slice(0, 1) }',
    )
    expect(answer.handoffs[0]).toMatchObject({ mutated: true })
    const clean = await tryModule('export default ({ items }) => items.slice(0, 1)')
    expect(clean.answer.handoffs[0]).toMatchObject({ mutated: false })
  })

  it('prints how things crossed and would cross, and a table over many runs', async () => {
    const folder = newFolder()
    const a = writeLog(folder, 'a.jsonl', lostKeyLog('r-a'))
    const b = writeLog(folder, 'b.jsonl', lostKeyLog('r-b'))
    const one = await handspan(['what-if', a, '--style', 'record'])
    expect(one.stdout).toMatch(/operation op-2 reserve_stock +mentioned +carried/)
    expect(one.stdout).toMatch(/^solved\n/m)
    const many = await handspan(['what-if', a, b, '--style', 'no-tools'])
    expect(many.stdout).toMatch(/2 of 2 handoffs tried: 0 findings solved, 0 new/)
  })

  it('tries recorded runs since a time, and says what is wrong with a call', async () => {
    const folder = newFolder()
    const now = new Date().toISOString()
    const log = lostKeyLog('r-now').map((event) => ({ ...event, at: now }))
    await handspan(
      [
        'import',
        writeLog(folder, 'now.jsonl', log),
        writeLog(
          folder,
          'old.jsonl',
          lostKeyLog('r-old').map((event) => ({ ...event, at: '2020-01-01T00:00:00Z' })),
        ),
      ],
      { cwd: folder },
    )
    const { stdout } = await handspan(['what-if', '--since', '1h', '--style', 'record', '--json'], {
      cwd: folder,
    })
    expect((JSON.parse(stdout).handoffs as { run: string }[]).map(({ run }) => run)).toEqual(['r-now'])
    const wrong = await handspan(['what-if', 'x.jsonl'], { cwd: folder })
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--filter and --style')])
  })
})

/** False for a process that has ended, though nobody has asked for its exit code yet. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const status = `/proc/${pid}/status`
  return !existsSync(status) || !/^State:\s+Z/m.test(readFileSync(status, 'utf8'))
}
