import { join } from 'node:path'
import type { Benchmark } from './benchmark.ts'
import { probe, type Whole, wholeProcesses } from './children.ts'
import { figure, megabytes, ratio } from './figures.ts'
import type { Written } from './spool.ts'

export const cli: Benchmark = {
  name: 'cli',
  about: 'The command as a person waits for it: whole processes, against a Node process that does nothing.',
  async run({ size, product, scratch }) {
    const full = size === 'full'
    const command = join(product, 'dist', 'handspan.js')
    const log = join(scratch, 'runs.jsonl')
    const { value: written } = await probe<Written>('writeRunLog', { path: log, runs: full ? 1000 : 3 })
    const [nothing, help] = wholeProcesses(
      [
        ['-e', ''],
        [command, '--help'],
      ],
      full ? 21 : 2,
    )
    const [check] = wholeProcesses([[command, 'check', log]], full ? 3 : 1)
    const row = (name: string, whole: Whole): string[] => [
      name,
      figure(whole.ms),
      ratio(whole.ms, nothing!.ms),
      figure(whole.fastest),
      megabytes(whole.peak),
    ]
    return [
      {
        title: 'Whole processes',
        columns: ['', 'ms', 'to nothing', 'fastest ms', 'peak memory'],
        rows: [
          row("`node -e ''`", nothing!),
          row('`handspan --help`', help!),
          row(`\`handspan check\` of ${figure(written.runs)} runs, ${figure(written.events)} events`, check!),
        ],
        note: 'Budget: `--help` under 200 ms. Medians, and the fastest of all, which other work disturbs least.',
      },
      {
        title: '`handspan check`',
        columns: ['JSON lines', 'events/s', 'runs/s', 'MB/s', 'memory to file'],
        rows: [
          [
            megabytes(written.bytes),
            figure(written.events / (check!.ms / 1000)),
            figure(written.runs / (check!.ms / 1000)),
            figure(written.bytes / 1e6 / (check!.ms / 1000)),
            ratio(check!.peak, written.bytes),
          ],
        ],
      },
    ]
  },
}
