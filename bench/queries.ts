import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { readCatalogue } from '../queries/catalogue.ts'
import { runMetric, type Slice } from '../queries/run-metric.ts'
import { openStore } from '../store/index.ts'
import { fillDerived } from './fill-derived.ts'

/*
 * Times every metric over a store with that many handoffs (ten crossings and four operations each): best of four, as a
 * whole and split by pair and by day, on the wall and in processor time (which a busy machine changes less). The rows are
 * made by DuckDB, so this measures queries, not ingest.
 *
 *   npx tsup bench/queries.ts --no-config --format esm --loader .sql=text --out-dir dist-bench
 *   node dist-bench/queries.js 10000 100000 1000000
 */

const SIZES = process.argv.slice(2).map(Number)
const metrics = readCatalogue()
const times = new Map<string, string[]>(metrics.map(({ name }) => [name, []]))

for (const handoffs of SIZES.length > 0 ? SIZES : [10_000, 100_000]) {
  const directory = mkdtempSync(join(tmpdir(), 'handspan-bench-'))
  try {
    await measure(directory, handoffs)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
process.stdout.write(`${[...times].map(([name, row]) => `${name.padEnd(30)}${row.join('')}`).join('\n')}\n`)

async function measure(directory: string, handoffs: number): Promise<void> {
  const store = await openStore(directory)
  await store.close()
  const instance = await DuckDBInstance.create(store.paths.database)
  const connection = await instance.connect()
  await fillDerived(connection, handoffs)
  await connection.run('CHECKPOINT')
  connection.closeSync()
  instance.closeSync()
  const filled = await openStore(directory)
  process.stdout.write(
    `${handoffs} handoffs, ${Math.round(statSync(store.paths.database).size / 1e6)} MB: all, by pair, by day (ms: wall/cpu)\n`,
  )
  for (const metric of metrics) {
    for (const by of [undefined, 'pair', 'day'] as (Slice | undefined)[]) {
      let [best, cpu] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
      for (let turn = 0; turn < 4; turn++) {
        const [start, used] = [performance.now(), process.cpuUsage()]
        await runMetric(filled, metric, { by, limit: 1000, timeoutMs: 600_000 })
        best = Math.min(best, performance.now() - start)
        const { user, system } = process.cpuUsage(used)
        cpu = Math.min(cpu, (user + system) / 1000)
      }
      times.get(metric.name)!.push(`${best.toFixed(0)}/${cpu.toFixed(0)}`.padStart(12))
    }
  }
  await filled.close()
}
