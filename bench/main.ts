import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { analyse } from './analyse.ts'
import type { Benchmark, Size } from './benchmark.ts'
import { checks } from './checks.ts'
import { cli } from './cli.ts'
import { importTime } from './import-time.ts'
import { ingest } from './ingest.ts'
import { otlp } from './otlp.ts'
import { machine, page, type Results, section } from './page.ts'
import { queries } from './queries.ts'
import { recordEvent } from './record-event.ts'

// main.js PRODUCT [NAME …] [--size tiny] [--out FILE]: runs the benchmarks, prints their tables, writes them as a page.

// Once run.mjs is gone nobody waits for figures. Probes end when their channel to this process closes.
new Worker(new URL('./parent-watch.js', import.meta.url), { workerData: process.ppid }).unref()

const BENCHMARKS: Benchmark[] = [recordEvent, importTime, analyse, cli, otlp, ingest, checks, queries]

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { size: { type: 'string', default: 'full' }, out: { type: 'string' } },
})
const [product, ...names] = positionals as [string, ...string[]]
const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name))
if (unknown.length > 0 || (values.size !== 'full' && values.size !== 'tiny')) {
  process.stderr.write(
    `usage: node bench/run.mjs [${BENCHMARKS.map(({ name }) => name).join('|')}] [--size tiny] [--out FILE]\n`,
  )
  process.exit(2)
}

const before = machine()
const results: Results[] = []
for (const benchmark of BENCHMARKS) {
  if (names.length > 0 && !names.includes(benchmark.name)) continue
  const scratch = join(product, 'scratch', benchmark.name)
  mkdirSync(scratch, { recursive: true })
  const tables = await benchmark.run({ size: values.size as Size, product, scratch })
  results.push({ benchmark, tables })
  process.stdout.write(`${section({ benchmark, tables })}\n`)
  // After each: a run that is stopped keeps what it has measured.
  if (values.out !== undefined) writeFileSync(values.out, page(results, before))
}
