import os from 'node:os'
import duckdb from '@duckdb/node-api'
import type { Benchmark, Table } from './benchmark.ts'
import { figure } from './figures.ts'

export type Results = { benchmark: Benchmark; tables: Table[] }

/** What the figures were measured on, before the first of them. */
export type Machine = { text: string; load: number; cores: number; date: string }

export function machine(): Machine {
  const cpus = os.cpus()
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GiB of memory`
  return {
    text: `${cpus.length} x ${cpus[0]?.model.trim() ?? 'unknown'}, ${memory}, ${os.type()}; Node ${process.version}, DuckDB ${duckdb.version()}`,
    load: os.loadavg()[0]!,
    cores: cpus.length,
    date: new Date().toISOString().slice(0, 10),
  }
}

/** The results as docs/benchmarks.md. */
export function page(results: Results[], { text, load, cores, date }: Machine): string {
  const busy = load > cores / 2
  return `# Benchmarks

Written by \`npm run bench\`; do not edit. Ratios are measured side by side in one run and hold from machine to machine;
absolute times do not.

- ${date}, ${text}.
- ${busy ? `Other work was running: the load was ${figure(load)} on ${cores} cores before the first measurement. The absolute times are too long by that, the ratios less so.` : `The load was ${figure(load)} on ${cores} cores before the first measurement.`}
- One benchmark alone: the command above its tables, after \`npm ci\`.

${results.map(section).join('\n')}`
}

/** One benchmark with its tables. */
export function section({ benchmark, tables }: Results): string {
  return `## ${benchmark.name}

${benchmark.about}

    node bench/run.mjs ${benchmark.name}

${tables.map(tableText).join('\n')}`
}

function tableText({ title, columns, rows, note }: Table): string {
  const widths = columns.map((column, index) =>
    Math.max(...[column, ...rows.map((row) => row[index]!)].map((cell) => cell.length)),
  )
  // Names stand left, figures right.
  const isText = columns.map((_, index) =>
    rows.some((row) => !/^[\d,.]*( ?(x|%|MB))?$|^-$/.test(row[index]!)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, index) => (isText[index] ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!))).join(' | ')} |`
  const rule = `|${widths.map((width, index) => (isText[index] ? `${'-'.repeat(width + 2)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return `### ${title}

${[line(columns), rule, ...rows.map(line)].join('\n')}
${note === undefined ? '' : `\n${note}\n`}`
}
