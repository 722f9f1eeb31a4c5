import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunEvent } from '../model/run-log.ts'
import { analyse } from '../replay/analyse.ts'
import { derivedRows } from '../store/derive/rows.ts'
import { type EventRow, readEventRow } from '../store/event-row.ts'
import { openStore } from '../store/index.ts'
import { type Line, readLines } from '../store/lines.ts'
import { writeRunLog } from './spool.ts'

/** Milliseconds: `read` until all events are stored, `derive` until every run is judged, `close` until the file is whole. */
export type Ingested = {
  ms: number
  read: number
  derive: number
  close: number
  events: number
  findings: number
  derivedRows: number
  bytes: number
}

/** Reads a spool into a new database through the store, as `handspan import` and `serve` do, and closes it. */
export async function ingestSpool({ directory }: { directory: string }): Promise<Ingested> {
  const started = performance.now()
  const store = await openStore(directory)
  let read = Number.NaN
  const { events } = await store.ingest(({ phase }) => {
    if (phase === 'read') read = performance.now()
  })
  const derived = performance.now()
  // Asked between the two clocks: what is counted here is not measured.
  const counts = await countRows(store)
  const counted = performance.now()
  await store.close()
  const closed = performance.now()
  return {
    ms: derived - started + (closed - counted),
    read: read - started,
    derive: derived - read,
    close: closed - counted,
    events,
    ...counts,
    bytes: statSync(store.paths.database).size,
  }
}

/** How often a store that stays open ingests. */
const TIMES = 8

/** Milliseconds of each of several ingests of as many runs, by one process in one store. */
export async function ingestAgain({
  directory,
  runs,
}: {
  directory: string
  runs: number
}): Promise<number[]> {
  const spool = join(directory, 'spool')
  mkdirSync(spool, { recursive: true })
  const store = await openStore(directory, { create: true })
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) {
    writeRunLog({ path: join(spool, `bench-${time}-1.jsonl`), runs, first: time * runs })
    const started = performance.now()
    await store.ingest()
    times.push(performance.now() - started)
  }
  await store.close()
  return times
}

async function countRows(store: Awaited<ReturnType<typeof openStore>>) {
  const tables =
    'runs handoffs crossings operations approvals constraints commitments items findings messages'
  const counts = tables.split(' ').map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)
  const [row] = await store.query(`SELECT ${counts.join(', ')}`)
  const values = Object.values(row!) as number[]
  return { findings: row!.findings as number, derivedRows: values.reduce((sum, value) => sum + value, 0) }
}

/** Milliseconds that each step of an ingest takes by itself, without the database. */
export type Parts = { lines: number; parse: number; reparse: number; analyse: number; rows: number }

export async function ingestParts({ directory }: { directory: string }): Promise<Parts> {
  const clock = stopwatch()
  const spool = join(directory, 'spool')
  const lines: { line: Line; source: string }[] = []
  for (const source of readdirSync(spool).sort()) {
    const file = await open(join(spool, source), 'r')
    for await (const batch of readLines(file, { offset: 0, number: 1 }, { final: true })) {
      for (const line of batch.lines) lines.push({ line, source })
    }
    await file.close()
  }
  const linesMs = clock()
  const rows = lines.map(({ line, source }) => readEventRow(line, source, () => '') as EventRow)
  const parse = clock()
  const logs = new Map<string, RunEvent[]>()
  for (const { run, line } of rows) {
    const event = JSON.parse(line.text) as RunEvent
    const log = logs.get(run)
    if (log === undefined) logs.set(run, [event])
    else log.push(event)
  }
  const reparse = clock()
  let analyseMs = 0
  let rowsMs = 0
  for (const log of logs.values()) {
    clock()
    const analysis = analyse(log)
    analyseMs += clock()
    derivedRows(analysis)
    rowsMs += clock()
  }
  return { lines: linesMs, parse, reparse, analyse: analyseMs, rows: rowsMs }
}

/** Milliseconds since it was last asked. */
function stopwatch(): () => number {
  let last = performance.now()
  return () => {
    const before = last
    last = performance.now()
    return last - before
  }
}
