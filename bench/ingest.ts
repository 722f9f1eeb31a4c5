import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Appended } from './appender-probe.ts'
import type { Benchmark, Place, Table } from './benchmark.ts'
import { type Probed, probe } from './children.ts'
import { figure, median, megabytes, ratio } from './figures.ts'
import type { Ingested, Parts } from './ingest-probe.ts'
import type { Written } from './spool.ts'

type Measured = {
  spool: Written
  ingest: Probed<Ingested>
  value: Probed<Appended>
  chunk: Probed<Appended>
  allByValue: Probed<Appended>
  all: Probed<Appended>
  parts: Parts
}

export const ingest: Benchmark = {
  name: 'ingest',
  about:
    "From spool segments to a closed database with every run folded, diffed and judged, against DuckDB's Appender, which is given the finished event rows and derives nothing.",
  async run(place) {
    const sizes = place.size === 'full' ? [10_000, 50_000, 200_000] : [400]
    const measured: Measured[] = []
    for (const events of sizes) measured.push(await measure(place, events))
    return [
      against(measured),
      parts(measured.at(-1)!),
      await again(place),
      await million(place),
      space(measured),
      await inserts(place, measured[0]!),
    ]
  },
}

async function measure({ size, scratch }: Place, events: number): Promise<Measured> {
  const spoolFolder = join(scratch, `ingest-${events}`)
  const { value: spool } = await probe<Written>('writeSpool', { directory: spoolFolder, events })
  const rounds: Omit<Measured, 'spool' | 'parts'>[] = []
  // The five take turns.
  for (let round = 0; round < (size === 'full' && events < 100_000 ? 3 : 1); round++) {
    const ingested = await probe<Ingested>('ingestSpool', { directory: spoolFolder })
    const store = join(spoolFolder, 'handspan.duckdb')
    const database = join(scratch, 'appended.duckdb')
    const append = async (name: string, input: object) => {
      const appended = await probe<Appended>(name, { ...input, database })
      rmSync(database)
      return appended
    }
    const allByValue = await append('appendStore', { store, by: 'value' })
    const all = await append('appendStore', { store, by: 'chunk' })
    rmSync(store)
    const value = await append('appendEvents', { directory: spoolFolder, by: 'value' })
    const chunk = await append('appendEvents', { directory: spoolFolder, by: 'chunk' })
    rounds.push({ ingest: ingested, value, chunk, allByValue, all })
  }
  const { value: alone } = await probe<Parts>('ingestParts', { directory: spoolFolder })
  return {
    spool,
    ingest: middle(rounds.map((round) => round.ingest)),
    value: middle(rounds.map((round) => round.value)),
    chunk: middle(rounds.map((round) => round.chunk)),
    allByValue: middle(rounds.map((round) => round.allByValue)),
    all: middle(rounds.map((round) => round.all)),
    parts: alone,
  }
}

function middle<T extends { ms: number }>(runs: Probed<T>[]): Probed<T> {
  const ms = median(runs.map(({ value }) => value.ms))
  return runs.find(({ value }) => value.ms === ms)!
}

function against(measured: Measured[]): Table {
  return {
    title: "Ingest and DuckDB's Appender",
    columns: ['events', '', 'rows written', 's', 'events/s', 'to events', 'to all rows', 'peak memory'],
    rows: measured.flatMap(({ spool, ingest: ours, value, chunk, allByValue, all }) => {
      const row = (name: string, { value: { ms }, peak }: Probed<{ ms: number }>, rows: number): string[] => [
        figure(spool.events),
        name,
        figure(rows),
        figure(ms / 1000),
        figure(spool.events / (ms / 1000)),
        ratio(ms, value.value.ms),
        ratio(ms, all.value.ms),
        megabytes(peak),
      ]
      return [
        row('`store.ingest()`, findings included', ours, spool.events + ours.value.derivedRows),
        row('Appender, events a value at a time', value, spool.events),
        row('Appender, events in chunks', chunk, spool.events),
        row('Appender, all rows a value at a time', allByValue, allByValue.value.rows),
        row('Appender, all rows in chunks', all, all.value.rows),
      ]
    }),
    note: 'Budget: within 2x of the Appender on the same rows. `to events`: against the Appender that writes the event rows alone, to the same columns; `to all rows`: against the one that writes every row that the ingest wrote, those derived from the runs included, in chunks. A value at a time means the method of each type; tables with a list or a map are in chunks all the same, since the general method takes ten times as long. Reading and making the rows is in the time of handspan only. Runs of 200 events, one handoff in 50. Medians of three; the largest was measured once.',
  }
}

function parts({ spool, ingest: { value }, all, parts: alone }: Measured): Table {
  const row = (name: string, thread: string, ms: number): string[] => [
    name,
    thread,
    figure(ms / 1000),
    figure((1000 * ms) / spool.events),
  ]
  return {
    title: `Where the time goes at ${figure(spool.events)} events`,
    columns: ['', 'thread', 's', 'µs an event'],
    rows: [
      row('finding the lines', 'owner', alone.lines),
      row('parsing, checking and hashing them', 'owner', alone.parse),
      row("DuckDB's Appender, all rows", 'owner', all.value.ms),
      row('parsing them again', 'judge', alone.reparse),
      row('fold, diff, checks', 'judge', alone.analyse),
      row('making the derived rows', 'judge', alone.rows),
      row('`store.ingest()`', 'both', value.ms),
    ],
    note: 'Each step by itself, in one thread. The ingest judges ended runs in a second thread while the owner reads and stores; it also looks for duplicates, writes a log before the file of what does not fill its part of a table, and copies rows between the threads.',
  }
}

async function again({ size, scratch }: Place): Promise<Table> {
  const rows: string[][] = []
  for (const runs of size === 'full' ? [10, 50, 250] : [3]) {
    const directory = join(scratch, `again-${runs}`)
    const [first, ...later] = (await probe<number[]>('ingestAgain', { directory, runs })).value
    rmSync(directory, { recursive: true })
    const [events, ms] = [200 * runs, median(later)]
    rows.push([
      figure(events),
      figure(first! / 1000),
      figure(ms / 1000),
      ratio(ms, first!),
      figure(events / (ms / 1000)),
    ])
  }
  return {
    title: 'In a store that stays open',
    columns: ['events each time', 'first s', 'later s', 'to the first', 'events/s later'],
    rows,
    note: 'As `serve` and the terminal UI have it: the process and its threads have judged before. Median of seven ingests after the first.',
  }
}

async function million({ size, scratch }: Place): Promise<Table> {
  const directory = join(scratch, 'million')
  const events = size === 'full' ? 1_000_000 : 600
  const { value: spool } = await probe<Written>('writeSpool', { directory, events })
  const { value, peak } = await probe<Ingested>('ingestSpool', { directory })
  const append = async (by: 'value' | 'chunk') => {
    const database = join(scratch, 'appended.duckdb')
    const input = { store: join(directory, 'handspan.duckdb'), database, by }
    const appended = await probe<Appended>('appendStore', input)
    rmSync(database)
    return appended.value.ms
  }
  const [byValue, inChunks] = [await append('value'), await append('chunk')]
  rmSync(directory, { recursive: true })
  return {
    title: `${figure(spool.events)} events at once`,
    columns: [
      'runs',
      'rows written',
      's',
      'events/s',
      'to chunks',
      'to values',
      'peak memory',
      'JSON lines',
      'database',
      'to JSON',
    ],
    rows: [
      [
        figure(spool.runs),
        figure(spool.events + value.derivedRows),
        figure(value.ms / 1000),
        figure(spool.events / (value.ms / 1000)),
        ratio(value.ms, inChunks),
        ratio(value.ms, byValue),
        megabytes(peak),
        megabytes(spool.bytes),
        megabytes(value.bytes),
        ratio(value.bytes, spool.bytes),
      ],
    ],
    note: 'The same runs, findings included, measured once, against the Appender that writes all these rows in chunks and a value at a time.',
  }
}

function space(measured: Measured[]): Table {
  return {
    title: 'On disk',
    columns: ['events', 'findings', 'JSON lines', 'database', 'to JSON', 'Appender, events only', 'to JSON'],
    rows: measured.map(({ spool, ingest: { value }, chunk }) => [
      figure(spool.events),
      figure(value.findings),
      megabytes(spool.bytes),
      megabytes(value.bytes),
      ratio(value.bytes, spool.bytes),
      megabytes(chunk.value.bytes),
      ratio(chunk.value.bytes, spool.bytes),
    ]),
  }
}

async function inserts(
  { size, scratch }: Place,
  { spool, ingest: { value: ours } }: Measured,
): Promise<Table> {
  const rows = size === 'full' ? 2000 : 20
  const folder = join(scratch, 'inserts')
  mkdirSync(folder)
  const { value } = await probe<Appended>('insertEvents', {
    directory: join(scratch, `ingest-${size === 'full' ? 10_000 : 400}`),
    database: join(folder, 'inserts.duckdb'),
    rows,
  })
  const scaled = (value.ms / value.rows) * spool.events
  return {
    title: 'One INSERT an event',
    columns: ['', 's', 'events/s', 'to ingest'],
    rows: [
      [
        `${figure(spool.events)} events, scaled from ${figure(value.rows)}`,
        figure(scaled / 1000),
        figure((1000 * value.rows) / value.ms),
        ratio(scaled, ours.ms),
      ],
    ],
    note: 'Prepared, a transaction each: what writing to the database from the agent would cost, if only one agent wrote.',
  }
}
