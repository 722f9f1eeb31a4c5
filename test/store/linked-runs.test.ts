import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addToLake } from '../../lake/add-to-lake.ts'
import { openLake } from '../../lake/open-lake.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { searchContent } from '../../queries/search.ts'
import { analyseTogether } from '../../replay/analyse.ts'
import { joinOrphans } from '../../replay/join-orphans.ts'
import { openStore, type Store } from '../../store/index.ts'
import { findRun } from '../../store/run-names.ts'
import { lostKeyLog } from '../cli/lost-key-log.ts'
import { newFolder, opened } from './folder.ts'

const span = (letter: string) => ({ id: letter.repeat(32), span: letter.repeat(16) })

/** Orders hands over with a write in doubt, in the span `a`. */
const SENDER = (lostKeyLog('home') as RunEvent[])
  .filter(({ kind }) => kind !== 'handoff.received' && kind !== 'run.end')
  .map((event) => (event.kind === 'handoff.sent' ? { ...event, trace: span('a') } : event))

/** Billing got the trace only, and writes the same again. */
const RECEIVER = [
  {
    kind: 'handoff.received',
    handoff: 'x',
    orphan: true,
    link: span('a'),
    by: 'billing',
    items: ['Bill it.'],
  },
  { kind: 'handoff.accepted', handoff: 'x', by: 'billing' },
  { kind: 'operation', agent: 'billing', op: 'op-b', tool: 'reserve_stock', effect: 'write', state: 'sent' },
].map((event, index) => numbered('stray', event, index, 20))

/** Billing hands on, twice, and both get the trace only. */
const FURTHER = [
  { kind: 'handoff.sent', handoff: 'y', from: 'billing', to: 'audit', trace: span('B') },
  { kind: 'handoff.sent', handoff: 'z', from: 'billing', to: 'stock', trace: span('c'), attempt: 2 },
].map((event, index) => numbered('stray', event, index + 3, 20))
const AUDIT = [numbered('stray-2', received('b', 'audit'), 0, 40)]
const STOCK = [numbered('stray-3', received('c', 'stock'), 0, 50)]
const REPEAT = (lostKeyLog('again') as RunEvent[]).map((event) =>
  event.kind === 'run.start' ? { ...event, replay_of: 'home' } : event,
)

function received(letter: string, by: string): object {
  return {
    kind: 'handoff.received',
    handoff: 'w',
    orphan: true,
    link: span(letter),
    by,
    items: [`To ${by}.`],
  }
}

function numbered(run: string, event: object, index: number, seconds: number): RunEvent {
  return {
    run,
    writer: `of ${run}`,
    seq: index + 1,
    at: `2031-03-04T09:00:${seconds + index}Z`,
    ...event,
  } as RunEvent
}

const VIEWS = [
  'runs',
  'handoffs',
  'crossings',
  'operations',
  'approvals',
  'constraints',
  'commitments',
  'items',
]
const ALL = [...VIEWS, 'findings', 'messages', 'not_judged']

async function rows(store: Pick<Store, 'query'>): Promise<object> {
  const read = ALL.map(async (view) => [view, await store.query(`SELECT * FROM ${view} ORDER BY ALL`)])
  return Object.fromEntries(await Promise.all(read))
}

async function bring(store: Store, events: readonly RunEvent[]): Promise<void> {
  const file = join(newFolder(), 'log.jsonl')
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  await store.importPaths([file])
}

/** What a store says of logs in which every orphan was put into its sender's run before. */
async function expected(logs: readonly (readonly RunEvent[])[]): Promise<object> {
  const store = await opened(newFolder())
  await bring(store, joinOrphans(logs.flat()))
  return rows(store)
}

const checks = (found: readonly { check?: string; check_id?: unknown; run?: unknown }[]) =>
  found.map(({ check, check_id, run }) => `${run}: ${check ?? check_id}`).sort()

const byRun = (a: { run: string }, b: { run: string }) => (a.run < b.run ? -1 : 1)

describe('an orphan and its sender in the store', () => {
  it.each([
    ['the sender first', [SENDER, RECEIVER]],
    ['the receiver first', [RECEIVER, SENDER]],
  ])('are one run, as they are in files given together: %s', async (_name, logs) => {
    const store = await opened(newFolder())
    for (const log of logs) await bring(store, log)
    expect(await rows(store)).toEqual(await expected(logs))
    expect(await store.query('SELECT run FROM runs')).toEqual([{ run: 'home' }])
    expect(await store.query('SELECT handoff, received_by, evidence FROM handoffs')).toEqual([
      { handoff: 'h1', received_by: 'billing', evidence: 'link' },
    ])
    const together = analyseTogether(logs.flat()).flatMap(({ findings }) => findings)
    expect(checks(await store.query('SELECT run, check_id FROM findings'))).toEqual(checks(together))
    expect(together.length).toBeGreaterThan(0)
    // Whoever has the id of the orphan is shown the run that it belongs to, whole.
    expect(await findRun(store, 'stray')).toBe('home')
    expect(await store.readRun('home')).toEqual(joinOrphans(logs.flat()))
    await store.rebuild()
    expect(await rows(store)).toEqual(await expected(logs))
  })

  it('are told apart while the sender is missing', async () => {
    const store = await opened(newFolder())
    await bring(store, RECEIVER)
    await bring(store, lostKeyLog('another') as RunEvent[])
    expect(await store.query('SELECT run FROM runs ORDER BY run')).toEqual([
      { run: 'another' },
      { run: 'stray' },
    ])
    expect(await findRun(store, 'stray')).toBe('stray')
    expect(await store.readRun('stray')).toEqual(RECEIVER)
    expect(await store.query('FROM joined')).toEqual([])
  })

  it('stay one with orphans of the orphan, and with a run that repeats it, from the spool', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'spool'))
    const logs = [AUDIT, REPEAT, STOCK, [...RECEIVER, ...FURTHER], SENDER]
    const store = await opened(folder)
    for (const [index, log] of logs.entries()) {
      const text = log.map((event) => `${JSON.stringify(event)}\n`).join('')
      writeFileSync(join(folder, 'spool', `shop-${index}-a-1.jsonl`), text)
      await store.ingest()
    }
    expect(await rows(store)).toEqual(await expected(logs))
    expect(await store.query('SELECT * FROM joined ORDER BY orphan')).toEqual(
      ['stray', 'stray-2', 'stray-3'].map((orphan) => ({ run: 'home', orphan })),
    )
    expect(
      await store.query("SELECT received_by FROM handoffs WHERE run = 'home' ORDER BY received_at"),
    ).toEqual([{ received_by: 'billing' }, { received_by: 'audit' }, { received_by: 'stock' }])
  })

  it('are told apart again when another run sent in the same span', async () => {
    const store = await opened(newFolder())
    const other = SENDER.map((event) => ({ ...event, run: 'other' }))
    for (const log of [SENDER, RECEIVER, other]) await bring(store, log)
    expect(await rows(store)).toEqual(await expected([SENDER, RECEIVER, other]))
    expect(await store.query('SELECT run FROM runs ORDER BY run')).toEqual([
      { run: 'home' },
      { run: 'other' },
      { run: 'stray' },
    ])
    expect(await store.query('FROM joined')).toEqual([])
    expect(await store.readRun('home')).toEqual(SENDER)
  })

  it('go together when the store is pruned, by the time of their latest event', async () => {
    const store = await opened(newFolder())
    for (const log of [RECEIVER, AUDIT, SENDER]) await bring(store, log)
    const bounds = { inDoubt: true, dryRun: false }
    expect(await store.prune({ ...bounds, before: Date.parse('2031-03-04T09:00:10Z') })).toMatchObject({
      runs: 0,
    })
    expect(await store.prune({ ...bounds, before: Date.parse('2031-03-04T09:00:30Z') })).toMatchObject({
      runs: 1,
      events: SENDER.length + RECEIVER.length,
    })
    expect(await store.query('SELECT run FROM runs')).toEqual([{ run: 'stray-2' }])
    expect(await store.query('SELECT DISTINCT run FROM events')).toEqual([{ run: 'stray-2' }])
    expect(await store.query('SELECT DISTINCT run FROM base.handoff_spans')).toEqual([{ run: 'stray-2' }])
    expect(await store.query('FROM joined')).toEqual([])
  })

  it('go together into a lake, and a text is found in the run that it belongs to', async () => {
    const store = await opened(newFolder())
    for (const log of [RECEIVER, SENDER]) await bring(store, log)
    const folder = join(newFolder(), 'lake')
    await addToLake(store, folder)
    const lake = await openLake(folder)
    onTestFinished(() => lake.close())
    expect(await rows(lake)).toEqual(await rows(store))
    expect(await lake.query('SELECT run, count(*)::INTEGER AS n FROM events GROUP BY run')).toEqual([
      { run: 'home', n: SENDER.length + RECEIVER.length },
    ])
    for (const source of [store, lake]) {
      const found = (run?: string) =>
        searchContent(source, { text: 'Bill it.', ignoreCase: false, run, limit: 9, timeoutMs: 9000 })
      expect((await found('home')).hits).toHaveLength(1)
      expect((await found('home')).hits).toEqual((await found()).hits)
    }
  })

  it('are joined in a database that an older version wrote', async () => {
    const folder = newFolder()
    const first = await openStore(folder, { create: true })
    for (const log of [AUDIT, RECEIVER, SENDER]) await bring(first, log)
    await first.close()
    const instance = await DuckDBInstance.create(join(folder, 'handspan.duckdb'))
    const connection = await instance.connect()
    for (const sql of [
      'DROP VIEW joined',
      'DROP TABLE base.joined',
      'DROP TABLE base.handoff_spans',
      'UPDATE base.meta SET schema_version = 4',
    ]) {
      await connection.run(sql)
    }
    connection.closeSync()
    instance.closeSync()
    const store = await opened(folder)
    expect(store.rebuiltFrom).toMatch(/v4\.backup$/)
    await store.ingest()
    expect(await rows(store)).toEqual(await expected([AUDIT, RECEIVER, SENDER]))
    await bring(store, FURTHER)
    expect(await rows(store)).toEqual(await expected([AUDIT, RECEIVER, SENDER, FURTHER]))
  })

  it('whatever is linked to what, and in whatever order it arrives', async () => {
    const letter = fc.constantFrom('a', 'b', 'c')
    const event = fc.oneof(
      letter.map((l) => ({
        kind: 'handoff.sent',
        handoff: `s-${l}`,
        from: 'one',
        to: 'two',
        trace: span(l),
      })),
      letter.map((l) => received(l, 'two')),
      letter.map((l) => ({ ...received(l, 'two'), handoff: 'v' })),
      fc.constant({ kind: 'run.start' }),
    )
    const log = fc.tuple(
      fc.constantFrom('r1', 'r2', 'r3', 'r4'),
      fc.array(event, { minLength: 1, maxLength: 2 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(log, { minLength: 2, maxLength: 5 }), async (pieces) => {
        const logs = pieces.map(([run, events], piece) =>
          events.map((one, index) =>
            numbered(run, { ...one, seq: piece * 2 + index }, index, 10 + 3 * piece),
          ),
        )
        const store = await openStore(newFolder(), { create: true })
        try {
          for (const one of logs) await bring(store, one)
          const together = analyseTogether(logs.flat())
          expect(await store.query('SELECT run, events FROM runs ORDER BY run')).toEqual(
            together.map(({ run }) => ({ run: run.id, events: run.events.length })).sort(byRun),
          )
          const found = together.flatMap(({ findings }) => findings)
          expect(checks(await store.query('SELECT run, check_id FROM findings'))).toEqual(checks(found))
          for (const { run } of together) expect(await store.readRun(run.id)).toHaveLength(run.events.length)
        } finally {
          await store.close()
        }
      }),
      { numRuns: 7 },
    )
  })
})

describe('the name of a run', () => {
  it('that means several, or none yet, is told in one line with what to do', async () => {
    const store = await opened(newFolder())
    await expect(findRun(store, 'latest')).rejects.toMatchObject({
      code: 'no-such-run',
      message: expect.stringContaining('There is no run in'),
      remedy: expect.stringContaining('handspan demo'),
    })
    await bring(store, lostKeyLog('order\n::error::1') as RunEvent[])
    await bring(store, lostKeyLog('order\n::error::2') as RunEvent[])
    await expect(findRun(store, 'order')).rejects.toMatchObject({
      message: expect.stringMatching(/^order means several runs: [^\n]*$/),
    })
  })
})
