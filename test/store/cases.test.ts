import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../store/index.ts'

const CASES = join(import.meta.dirname, '..', 'cases')
const files = [
  ...readdirSync(CASES).filter((name) => name.endsWith('.jsonl')),
  ...readdirSync(join(CASES, 'controls')).map((name) => join('controls', name)),
]
const lines = files.flatMap((name) => readFileSync(join(CASES, name), 'utf8').trim().split('\n'))

describe('the public cases', () => {
  let directory: string
  let store: Store
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'handspan-cases-'))
    store = await openStore(directory)
  })
  afterAll(async () => {
    await store.close()
    rmSync(directory, { recursive: true })
  })

  it('import whole, and a second time nothing', async () => {
    const first = await store.importPaths([CASES])
    expect(first).toMatchObject({ files: files.length, events: lines.length, duplicates: 0, quarantined: 0 })
    const again = await store.importPaths([CASES])
    expect(again).toMatchObject({
      files: files.length,
      events: 0,
      duplicates: lines.length,
      quarantined: 0,
      runs: 0,
    })
  })

  it('come back as they were, in their order', async () => {
    for (const name of files) {
      const events = readFileSync(join(CASES, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      for (const run of new Set(events.map((event) => event.run))) {
        expect(await store.readRun(run)).toEqual(events.filter((event) => event.run === run))
      }
    }
  })

  it('have a row for every run, and none that could not be analysed', async () => {
    const runs = new Set(lines.map((line) => JSON.parse(line).run))
    const rows = await store.query('SELECT run FROM runs')
    expect(new Set(rows.map((row) => row.run))).toEqual(runs)
    expect(await store.query("SELECT * FROM not_judged WHERE check_id = '*'")).toEqual([])
  })

  it('give the same derived rows when everything is derived anew', async () => {
    const views = [
      'runs',
      'handoffs',
      'crossings',
      'operations',
      'items',
      'findings',
      'not_judged',
      'messages',
    ]
    const all = () => Promise.all(views.map((view) => store.query(`SELECT * FROM ${view} ORDER BY ALL`)))
    const before = await all()
    await store.rebuild()
    expect(await all()).toEqual(before)
    const empty = views.filter((_, index) => before[index]!.length === 0)
    expect(empty.filter((view) => view !== 'not_judged')).toEqual([])
  })

  it('have the sizes of the items as compact JSON', async () => {
    const sent = lines.map((line) => JSON.parse(line)).filter((event) => event.kind === 'handoff.sent')
    for (const event of sent.filter((one) => one.items_before !== undefined)) {
      const [row] = await store.query(
        'SELECT bytes_before, items_before FROM handoffs WHERE run = $1 AND handoff = $2 AND attempt = $3',
        [event.run, event.handoff, event.attempt ?? 1],
      )
      expect(row).toEqual({
        bytes_before: Buffer.byteLength(JSON.stringify(event.items_before)),
        items_before: event.items_before.length,
      })
    }
  })
})
