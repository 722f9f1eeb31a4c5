import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

type Answer = {
  handoffs: {
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

describe('handspan what-if', () => {
  it("runs the user's filter on what was captured, outside of its own thread", async () => {
    const { code, answer, stderr } = await tryModule(`
      import { isMainThread } from 'node:worker_threads'
      console.log('a filter may print', isMainThread)
      export default async ({ items, context }) => ({ items: items.slice(0, 1), record: context.known })`)
    expect(code).toBe(0)
    expect(stderr).toContain('a filter may print false')
    expect(answer.total).toMatchObject({ tried: 1, failed: 0 })
    expect(answer.handoffs[0]!.solved!.map(({ check }) => check)).toContain('op-in-doubt-key-missing')
  })

  it.each([
    ['throws', 'export default () => { throw new TypeError("no such field") }', 'TypeError: no such field'],
    ['ends its process', 'export default () => process.exit(0)', 'ended its thread'],
    ['returns garbage', 'export default () => 42', 'returned a number'],
    [
      'returns what is no JSON',
      'export default ({ items }) => { items.self = items; return { items, record: { items, n: 1n } } }',
      'threw TypeError',
    ],
    ['is no function', 'export default 3', 'no default export that is a function'],
    ['cannot be loaded', 'export default (', 'SyntaxError'],
    [
      'tries to read a database',
      `import duckdb from '${DUCKDB}'
       const { DuckDBInstance } = duckdb
       export default async () => await DuckDBInstance.create('handspan.duckdb', { access_mode: 'READ_ONLY' })`,
      'Cannot open',
    ],
  ])('says for the handoff that a filter %s', async (_, source, words) => {
    const { code, answer } = await tryModule(source, ['--fail-on', 'new'])
    expect(code).toBe(1)
    expect(answer.total).toMatchObject({ tried: 0, failed: 1 })
    expect(answer.handoffs[0]!.reason).toContain(words)
  })

  it('ends a filter that loops for ever, and tries the next handoff', async () => {
    const source = `export default ({ items, context }) => { if (context.run === 'r-1') for (;;); return items }`
    const { answer } = await tryModule(source, [], [lostKeyLog('r-1'), lostKeyLog('r-2')])
    expect(answer.handoffs.map(({ reason }) => reason)).toEqual([
      'the filter did not answer within 10 s',
      undefined,
    ])
    expect(answer.total).toMatchObject({ tried: 1, failed: 1 })
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
