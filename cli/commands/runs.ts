import type { Command } from 'commander'
import { plural } from '../../model/counts.ts'
import { note, print, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type RunsOptions = SharedOptions & { limit: string }

export function runsCommand(program: Command): void {
  const command = program
    .command('runs')
    .summary('list recorded runs, newest first')
    .description('Lists recorded runs, newest first.')
    .option('--limit <number>', 'how many at the most', '30')
    .action(runs)
  withExamples(withShared(command), [
    ['handspan runs', 'the newest 30'],
    ['handspan runs --limit 1000 --json', 'for another tool'],
  ])
}

async function runs(options: RunsOptions): Promise<void> {
  const { withStore } = await import('../with-store.ts')
  const { wholeNumber } = await import('../numbers.ts')
  const limit = wholeNumber('--limit', options.limit, 1)
  const { loadConfig } = await import('../config/load.ts')
  const { counting } = await import('../../queries/counting.ts')
  const { today } = await import('../../report/accepted.ts')
  const { suppressions } = await loadConfig()
  const { rows, total } = await withStore(options.dir, async (store) => ({
    rows: await store.query(
      counting(
        `SELECT run, started_at, outcome, principal_kind, principal_id, agents, handoffs, operations, in_doubt, findings,
           errors, warnings, worst, (SELECT count(*) FROM suppressed WHERE suppressed.run = runs.run)::INTEGER AS suppressed
         FROM runs ORDER BY started_at DESC NULLS LAST, run DESC LIMIT ${limit}`,
        suppressions,
        today(),
      ),
    ),
    total: Number((await store.query('SELECT count(*) AS count FROM runs'))[0]!.count),
  }))
  if (options.json) {
    printJson('runs', { runs: rows, total })
    return
  }
  if (rows.length === 0) {
    const { howToRecord } = await import('../captures.ts')
    note(`No runs in ${options.dir}. ${howToRecord(options.dir)}`)
    return
  }
  const { runsTable } = await import('../render/runs-table.ts')
  print(runsTable(rows).join('\n'))
  if (total > rows.length) note(`${rows.length} of ${plural(total, 'run')}. --limit ${total} shows all.`)
}
