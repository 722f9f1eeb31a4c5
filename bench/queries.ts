import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Benchmark, Place, Table } from './benchmark.ts'
import { type Probed, probe } from './children.ts'
import { figure, megabytes, ratio } from './figures.ts'
import type { Cost, Filled, Kept, MetricTimes, Searched } from './queries-probe.ts'
import type { Written } from './spool.ts'

type Measured = { handoffs: number; filled: Probed<Filled>; metrics: Probed<MetricTimes[]> }

export const queries: Benchmark = {
  name: 'queries',
  about:
    'Every metric of the catalogue at growing numbers of handoffs, a search over content, and what keeping a store costs: export, backup, pruning.',
  async run(place) {
    const sizes = place.size === 'full' ? [10_000, 100_000, 1_000_000] : [200, 2000]
    const measured: Measured[] = []
    for (const handoffs of sizes) measured.push(await measure(place, handoffs))
    const ingested = await ingest(place)
    return [stores(measured), metrics(measured), slices(measured.at(-1)!), ...ingested]
  },
}

async function measure({ size, scratch }: Place, handoffs: number): Promise<Measured> {
  const directory = join(scratch, `metrics-${handoffs}`)
  const filled = await probe<Filled>('fillStore', { directory, handoffs })
  const timed = await probe<MetricTimes[]>('timeMetrics', { directory, turns: size === 'full' ? 3 : 1 })
  rmSync(directory, { recursive: true })
  return { handoffs, filled, metrics: timed }
}

async function ingest({ size, scratch }: Place): Promise<Table[]> {
  const directory = join(scratch, 'ingested')
  const events = size === 'full' ? 50_000 : 400
  const { value: spool } = await probe<Written>('writeSpool', { directory, events })
  await probe('ingestSpool', { directory })
  const searched = await probe<Searched>('searchStore', { directory })
  const kept = await probe<Kept[]>('keepStore', { directory })
  return [searches(spool, searched), keeping(spool, kept)]
}

function stores(measured: Measured[]): Table {
  return {
    title: 'Stores at size',
    columns: [
      'handoffs',
      'runs',
      'items',
      'file',
      'bytes a handoff',
      'filled in s',
      'peak memory of all metrics',
      'growth',
    ],
    rows: measured.map(({ handoffs, filled: { value }, metrics: { peak } }, at) => [
      figure(handoffs),
      figure(value.runs),
      figure(value.items),
      megabytes(value.bytes),
      figure(value.bytes / handoffs),
      figure(value.wall / 1000),
      megabytes(peak),
      at === 0 ? '' : ratio(value.bytes, measured[at - 1]!.filled.value.bytes),
    ]),
    note: 'Made by DuckDB, without the lines of the events: they measure queries, not ingest. Twenty items, ten crossings and four operations a handoff, three findings a run.',
  }
}

function metrics(measured: Measured[]): Table {
  const names = measured[0]!.metrics.value.map(({ name }) => name)
  return {
    title: 'Every metric over all handoffs',
    columns: [
      'metric',
      ...measured.flatMap(({ handoffs }) => [`${figure(handoffs)}: ms`, 'CPU ms']),
      'growth of CPU',
    ],
    rows: names.map((name, at) => {
      const costs = measured.map((one) => one.metrics.value[at]!.all)
      const [before, last] = costs.slice(-2) as [Cost, Cost]
      return [
        name,
        ...costs.flatMap(({ wall, cpu }) => [figure(wall), figure(cpu)]),
        ratio(last.cpu, before.cpu),
      ]
    }),
    note: 'Budget: under 1,000 ms at a million. The fastest of three, one at a time, through the store. Growth is from the last size but one to the last, for ten times as many handoffs: 10x is linear.',
  }
}

function slices({ handoffs, metrics: { value } }: Measured): Table {
  return {
    title: `The same at ${figure(handoffs)}, split`,
    columns: ['metric', 'all ms', 'by pair ms', 'CPU ms', 'by day ms', 'CPU ms', 'slowest to all'],
    rows: value.map(({ name, all, pair, day }) => [
      name,
      figure(all.wall),
      figure(pair.wall),
      figure(pair.cpu),
      figure(day.wall),
      figure(day.cpu),
      ratio(Math.max(pair.wall, day.wall), all.wall),
    ]),
  }
}

function searches(spool: Written, { value }: Probed<Searched>): Table {
  return {
    title: `Searching ${megabytes(value.bytes)} of content in ${figure(spool.runs)} runs`,
    columns: ['', 'places', 'ms', 'CPU ms', 'MB/s', 'to grep'],
    rows: [
      ...value.searches.map(({ what, cost, hits }) => [
        what,
        figure(hits),
        figure(cost.wall),
        figure(cost.cpu),
        figure(value.bytes / 1000 / cost.wall),
        ratio(cost.wall, value.grep),
      ]),
      [
        '`grep -cF` over the JSON lines',
        '',
        figure(value.grep),
        '',
        figure(value.bytes / 1000 / value.grep),
        '1.00x',
      ],
    ],
    note: 'grep starts a process, and reads files that are in the cache; the store reads lines that are compressed.',
  }
}

function keeping(spool: Written, { value, peak }: Probed<Kept[]>): Table {
  return {
    title: `Keeping a store of ${figure(spool.events)} events`,
    columns: ['', 's', 'CPU s', 'bytes afterwards', 'to the JSON lines'],
    rows: value.map(({ what, cost, bytes }) => [
      what,
      figure(cost.wall / 1000),
      figure(cost.cpu / 1000),
      megabytes(bytes),
      ratio(bytes, spool.bytes),
    ]),
    note: `Ingested from the spool, ${megabytes(spool.bytes)} of JSON lines. Peak memory of all of it together: ${megabytes(peak)}.`,
  }
}
