import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { generateRun } from '../../bench/generate.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { DERIVED_TABLES } from '../../store/schema.ts'
import { runNode } from '../cli/command.ts'
import { newFolder } from './folder.ts'

// The tests run from the sources, where there is no file for a thread: there runs are judged in place. Here the built
// package is asked.
const STORE = pathToFileURL(join(import.meta.dirname, '..', '..', 'dist', 'store.js')).href

/**
 * Imports files into a new store. Says what happened, in its order: `started` for each thread, `asked` for a query that was
 * asked then and answered, `judged` for each answer of a thread, `read` when all was read. Then the derived rows, and how
 * they are when everything is derived anew.
 */
const PROGRAM = `
import { openStore } from '${STORE}'
const [act, directory, ...files] = process.argv.slice(2)
const said = []
const store = await openStore(directory, { create: true })
process.on('worker', (thread) => {
  said.push('started')
  if (act === 'end-first' && said.length === 1) {
    const post = thread.postMessage
    thread.postMessage = (...task) => {
      post.apply(thread, task)
      thread.terminate()
    }
  }
  thread.on('message', () => said.push('judged'))
  store.query('SELECT 1').then(() => said.push('asked'))
})
const { runs } = await store.importPaths(files, ({ phase }) => {
  if (phase === 'derive' && !said.includes('read')) said.push('read')
})
const tables = async () => {
  const all = {}
  for (const table of ${JSON.stringify(DERIVED_TABLES)}) {
    all[table] = (await store.query('FROM ' + table)).map((row) => JSON.stringify(row)).sort()
  }
  return all
}
const first = await tables()
await store.rebuild()
console.log(JSON.stringify({ said, runs, tables: first, anew: await tables() }))
await store.close()
`

type Answer = {
  said: ('started' | 'judged' | 'asked' | 'read')[]
  runs: number
  tables: Record<string, string[]>
  anew: Record<string, string[]>
}

async function imported(act: 'import' | 'end-first', events: readonly RunEvent[]): Promise<Answer> {
  const folder = newFolder()
  const program = join(folder, 'program.mjs')
  const log = join(folder, 'runs.jsonl')
  writeFileSync(program, PROGRAM)
  writeFileSync(log, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const { code, stdout, stderr } = await runNode([program, act, join(folder, 'store'), log])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** A run with a long message, which costs nothing to judge. */
function longRun(number: number, kilobytes: number): RunEvent[] {
  const events = generateRun({ run: `run-${number}`, events: 40, seed: number + 1, eventsPerHandoff: 15 })
  const { at, run, writer, seq } = events.at(-1)!
  const content = { text: 'lorem '.repeat((kilobytes * 1024) / 6) }
  events.splice(-1, 0, { v: 1, seq, at, writer, run, kind: 'message', role: 'user', content } as never)
  return events.map((event, index) => ({ ...event, seq: index + 1 }))
}

describe('runs that are judged while others are read', () => {
  it('have the rows that they have when all is derived at the end, whatever comes later', async () => {
    // 15 MB: lines are read 8 MB at a time, and there has to be a second time.
    const runs = Array.from({ length: 60 }, (_, number) => longRun(number, 256))
    // A field of another form than it should have: it is left out, and said to be.
    const odd = runs[4]!.findIndex(({ kind }) => kind === 'operation')
    runs[4]![odd] = { ...runs[4]![odd], attempt: 'first' } as never
    const at = '2031-03-04T12:00:00Z'
    const late = [
      // More of a run that had ended, from another process.
      {
        v: 1,
        at,
        run: 'run-1',
        kind: 'operation',
        op: 'late',
        tool: 'issue_refund',
        effect: 'write',
        state: 'intended',
      },
      {
        v: 1,
        at,
        run: 'run-1',
        kind: 'operation',
        op: 'late',
        tool: 'issue_refund',
        effect: 'write',
        state: 'unknown',
      },
      // A run that repeats one, which is judged together with it.
      ...longRun(2, 1).map((event) => ({
        ...event,
        run: 'again',
        ...(event.kind === 'run.start' && { replay_of: 'run-2' }),
      })),
      // An orphan, which belongs to the run in whose span its handoff was sent.
      {
        v: 1,
        at,
        run: 'run-3',
        kind: 'handoff.sent',
        handoff: 'over',
        from: 'a',
        to: 'b',
        mode: 'transfer',
        trace: { id: 'ab'.repeat(16), span: 'cd'.repeat(8) },
      },
      {
        v: 1,
        at,
        run: 'lost',
        kind: 'handoff.received',
        handoff: 'unknown',
        by: 'b',
        orphan: true,
        link: { id: 'ab'.repeat(16), span: 'cd'.repeat(8) },
      },
    ] as unknown as RunEvent[]
    const { said, runs: derived, tables, anew } = await imported('import', [...runs.flat(), ...late])
    expect(said.indexOf('judged')).toBeGreaterThan(0)
    expect(said.indexOf('judged')).toBeLessThan(said.indexOf('read'))
    expect(tables).toEqual(anew)
    expect(tables.runs).toHaveLength(61)
    expect(derived).toBe(62)
    expect(tables.operations!.filter((row) => row.includes('"op":"late"'))).toHaveLength(1)
    expect(tables.handoffs!.filter((row) => row.includes('"handoff":"over"'))[0]).toContain(
      '"received_by":"b"',
    )
    expect(tables.findings!.length).toBeGreaterThan(0)
    // The threads that judged the import judge what is derived anew as well.
    const threads = Math.max(1, Math.min(2, availableParallelism() - 1))
    expect(said.filter((one) => one === 'started').length).toBeLessThanOrEqual(threads)
    const odds = tables.not_judged!.filter((row) => row.includes('"*"'))
    expect(odds).toHaveLength(1)
    expect(odds[0]).toContain('"run":"run-4"')
  })

  it('leave the owner free to answer', async () => {
    const { said } = await imported(
      'import',
      longRun(0, 256).concat(generateRun({ run: 'large', events: 3000, seed: 3 })),
    )
    expect(said.slice(0, 3)).toEqual(['started', 'asked', 'judged'])
  })

  it('say that they were not judged when their thread ended, and another one goes on', async () => {
    const runs = Array.from({ length: 60 }, (_, number) => longRun(number, 64))
    const { said, tables, anew } = await imported('end-first', runs.flat())
    const failed = tables.not_judged!.map((row) => JSON.parse(row)).filter((row) => row.check_id === '*')
    expect(said).toContain('judged')
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.length).toBeLessThan(60)
    expect(new Set(failed.map((row) => row.reason))).toEqual(
      new Set(['the run could not be analysed: the thread that judged it ended']),
    )
    expect(tables.runs).toHaveLength(60)
    expect(anew.not_judged!.filter((row) => row.includes('"*"'))).toEqual([])
  })
})
