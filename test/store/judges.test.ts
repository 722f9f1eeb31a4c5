import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { generateRun } from '../../bench/generate.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { DERIVED_TABLES } from '../../store/schema.ts'
import { runNode } from '../cli/command.ts'
import { newFolder, opened } from './folder.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CASES = join(ROOT, 'test', 'cases')

/**
 * Imports into a store of the built package, which has threads. Says what happened, in its order: `started` for each
 * thread, `judged` for each of their answers, `asked` for a query that was asked when a thread started; then every table.
 */
const PROGRAM = `
import { openStore } from '${pathToFileURL(join(ROOT, 'dist', 'store.js')).href}'
const [act, directory, ...files] = process.argv.slice(2)
const said = []
const store = await openStore(directory, { create: true })
process.on('worker', (thread) => {
  said.push('started')
  if (act === 'end-first' && said.length === 1) thread.terminate()
  thread.on('message', () => said.push('judged'))
  store.query('SELECT 1').then(() => said.push('asked'))
})
await store.importPaths(files)
const tables = {}
for (const table of ${JSON.stringify(DERIVED_TABLES)}) {
  tables[table] = (await store.query('FROM ' + table)).map((row) => JSON.stringify(row)).sort()
}
await store.close()
console.log(JSON.stringify({ said, tables }))
`

type Said = { said: ('started' | 'judged' | 'asked')[]; tables: Record<string, string[]> }

async function inThreads(act: 'import' | 'end-first', files: string[]): Promise<Said> {
  const folder = newFolder()
  const program = join(folder, 'program.mjs')
  writeFileSync(program, PROGRAM)
  const { code, stdout, stderr } = await runNode([program, act, join(folder, 'store'), ...files])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

function written(runs: RunEvent[][]): string {
  const file = join(newFolder(), 'runs.jsonl')
  writeFileSync(
    file,
    runs
      .flat()
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  )
  return file
}

describe('judging in threads', () => {
  // The tests run from the sources, where there is no file for a thread: there it is done in place.
  it('gives the rows that judging in place gives', async () => {
    const runs = Array.from({ length: 30 }, (_, n) => generateRun({ run: `g${n}`, events: 200, seed: n + 7 }))
    const repeated = generateRun({ run: 'again', events: 60, seed: 8 }).map((event) =>
      event.kind === 'run.start' ? { ...event, replay_of: 'g1' } : event,
    )
    const files = [CASES, written([...runs, repeated])]
    const store = await opened(newFolder())
    await store.importPaths(files)
    const { said, tables } = await inThreads('import', files)
    expect(said.filter((one) => one === 'judged').length).toBeGreaterThan(1)
    for (const table of DERIVED_TABLES) {
      const rows = await store.query(`FROM ${table}`)
      expect(tables[table]).toEqual(rows.map((row) => JSON.stringify(row)).sort())
    }
    expect(tables.findings!.length).toBeGreaterThan(0)
  })

  it('leaves the owner free to answer', async () => {
    const { said } = await inThreads('import', [written([generateRun({ run: 'r', events: 6000, seed: 3 })])])
    expect(said).toEqual(['started', 'asked', 'judged'])
  })

  it('says of the runs whose thread ended that they were not judged, and goes on with a new one', async () => {
    const runs = Array.from({ length: 60 }, (_, n) => generateRun({ run: `g${n}`, events: 200, seed: n + 7 }))
    const { said, tables } = await inThreads('end-first', [written(runs)])
    const failed = tables.not_judged!.map((row) => JSON.parse(row)).filter((row) => row.check_id === '*')
    expect(said).toContain('judged')
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.length).toBeLessThan(60)
    expect(new Set(failed.map((row) => row.reason))).toEqual(
      new Set(['the run could not be analysed: the thread that judged it ended']),
    )
    expect(tables.runs).toHaveLength(60)
  })
})
