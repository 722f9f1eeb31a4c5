import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { addToLake } from '../lake/add-to-lake.ts'
import { compactLake } from '../lake/compact.ts'
import { openLake } from '../lake/open-lake.ts'
import { readCatalogue } from '../queries/catalogue.ts'
import { runMetric, type Slice } from '../queries/run-metric.ts'
import { searchContent } from '../queries/search.ts'
import { openStore } from '../store/index.ts'
import { fillDerived } from './fill-derived.ts'

/** Milliseconds on the wall and of the processor (user and system), which a busy machine changes less. */
export type Cost = { wall: number; cpu: number }

export type Filled = Cost & { bytes: number; runs: number; items: number }

/** Makes a store with the derived rows of that many handoffs. */
export async function fillStore({
  directory,
  handoffs,
}: {
  directory: string
  handoffs: number
}): Promise<Filled> {
  const store = await openStore(directory, { create: true })
  await store.close()
  const cost = await costOf(async () => {
    const instance = await DuckDBInstance.create(store.paths.database)
    const connection = await instance.connect()
    await fillDerived(connection, handoffs)
    await connection.run('CHECKPOINT')
    connection.closeSync()
    instance.closeSync()
  })
  const { size } = statSync(store.paths.database)
  return { ...cost, bytes: size, runs: Math.ceil(handoffs / 10), items: handoffs * 20 }
}

export type MetricTimes = { name: string; all: Cost; pair: Cost; day: Cost }

/** The fastest of some turns for each metric, through the store, one at a time. */
export async function timeMetrics({
  directory,
  turns,
}: {
  directory: string
  turns: number
}): Promise<MetricTimes[]> {
  const store = await openStore(directory)
  const times: MetricTimes[] = []
  for (const metric of readCatalogue()) {
    const time = (by: Slice | undefined) =>
      fastest(turns, () => runMetric(store, metric, { by, limit: 1000, timeoutMs: 600_000 }))
    times.push({
      name: metric.name,
      all: await time(undefined),
      pair: await time('pair'),
      day: await time('day'),
    })
  }
  await store.close()
  return times
}

export type Kept = { what: string; cost: Cost; bytes: number }

/** What an operator does with a store of ingested runs, each once. */
export async function keepStore({ directory }: { directory: string }): Promise<Kept[]> {
  const store = await openStore(directory)
  const kept: Kept[] = []
  const time = async (what: string, act: () => Promise<unknown>, bytes: () => number) => {
    const cost = await costOf(act)
    kept.push({ what, cost, bytes: bytes() })
  }
  const lake = join(directory, 'lake')
  const backup = join(directory, 'backup.duckdb')
  await time(
    '`handspan export --parquet`',
    () => addToLake(store, lake),
    () => folderBytes(lake),
  )
  await addToLake(store, lake, { all: true })
  await time(
    '`handspan lake compact`, everything exported twice',
    () => compactLake(lake),
    () => folderBytes(lake),
  )
  await time(
    'key-coverage over the lake, opening it included',
    () => keyCoverageOf(lake),
    () => folderBytes(lake),
  )
  await time(
    '`handspan backup`',
    () => store.backup(backup),
    () => statSync(backup).size,
  )
  const [row] = await store.query('SELECT quantile_disc(last_at, 0.5) AS middle FROM runs')
  const bounds = { before: Date.parse(String(row!.middle)), inDoubt: true, dryRun: false }
  await time(
    '`handspan prune`, half of the runs',
    () => store.prune(bounds),
    () => statSync(store.paths.database).size,
  )
  await store.close()
  rmSync(lake, { recursive: true })
  rmSync(backup)
  return kept
}

async function keyCoverageOf(folder: string): Promise<void> {
  const lake = await openLake(folder)
  const metric = readCatalogue().find(({ name }) => name === 'key-coverage')!
  await runMetric(lake, metric, { limit: 100, timeoutMs: 60_000 })
  await lake.close()
}

export type Searched = { bytes: number; grep: number; searches: { what: string; cost: Cost; hits: number }[] }

/** Searches ingested runs, against grep over the JSON lines that they came from. */
export async function searchStore({ directory }: { directory: string }): Promise<Searched> {
  const store = await openStore(directory)
  const spool = join(directory, 'spool')
  const files = readdirSync(spool).map((name) => join(spool, name))
  const search = async (what: string, text: string, more: { ignoreCase?: boolean; run?: string } = {}) => {
    const ask = () =>
      searchContent(store, { text, ignoreCase: false, limit: 50, timeoutMs: 600_000, ...more })
    const { hits } = await ask()
    return { what, cost: await fastest(3, ask), hits: hits.length }
  }
  const [first] = await store.query('SELECT run FROM runs ORDER BY run LIMIT 1')
  const searches = [
    await search('a text that stands nowhere', 'no such words anywhere'),
    await search('the same, any case', 'no such words anywhere', { ignoreCase: true }),
    await search('a text that stands in most lines, the latest 50', 'warehouse'),
    await search('that in one run', 'warehouse', { run: String(first!.run) }),
  ]
  await store.close()
  const grep = await fastest(3, async () => spawnSync('grep', ['-cF', 'no such words anywhere', ...files]))
  return { bytes: files.reduce((sum, file) => sum + statSync(file).size, 0), grep: grep.wall, searches }
}

async function fastest(turns: number, act: () => Promise<unknown>): Promise<Cost> {
  const best: Cost = { wall: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY }
  for (let turn = 0; turn < turns; turn++) {
    const { wall, cpu } = await costOf(act)
    best.wall = Math.min(best.wall, wall)
    best.cpu = Math.min(best.cpu, cpu)
  }
  return best
}

async function costOf(act: () => Promise<unknown>): Promise<Cost> {
  const [started, used] = [performance.now(), process.cpuUsage()]
  await act()
  const { user, system } = process.cpuUsage(used)
  return { wall: performance.now() - started, cpu: (user + system) / 1000 }
}

function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0)
}
