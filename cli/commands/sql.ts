import type { Command } from 'commander'
import { plural } from '../../model/counts.ts'
import { note, print, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type SqlOptions = SharedOptions & { limit: string; timeout: string; memory: string; db?: string }

export function sqlCommand(program: Command): void {
  const command = program
    .command('sql')
    .summary('query the views, read only')
    .description(
      'Runs one read-only query over the documented views (runs, handoffs, crossings, findings, events, …).',
    )
    .argument('<query>', 'SQL, in the dialect of DuckDB; - for stdin; behind -- if it begins with a comment')
    .option('--limit <rows>', 'how many rows at the most', '1000')
    .option('--timeout <seconds>', 'how long it may take', '30')
    .option('--memory <size>', 'how much memory it may take', '2GB')
    .option('--db <lake>', 'ask a lake, or all that a pattern names (see handspan export)')
    .action(sql)
  withExamples(withShared(command), [
    [`handspan sql "SELECT check_id, count(*) FROM findings GROUP BY ALL"`, 'findings by check'],
    [`handspan sql "FROM crossings WHERE degree <> 'carried'" --json`, 'for another tool'],
    ['handspan query key-coverage --sql | handspan sql -', 'from stdin'],
  ])
}

async function sql(given: string, options: SqlOptions): Promise<void> {
  const { withSource } = await import('../with-source.ts')
  const { byteSize, wholeNumber } = await import('../numbers.ts')
  const limit = wholeNumber('--limit', options.limit, 1)
  const timeoutMs = wholeNumber('--timeout', options.timeout, 1) * 1000
  const memoryBytes = byteSize('--memory', options.memory)
  const { text } = await import('node:stream/consumers')
  const query = given === '-' ? await text(process.stdin) : given
  const answer = await withSource(options, (source) =>
    source.readOnlyQuery(query, { limit, timeoutMs, memoryBytes }),
  )
  if (options.json) {
    printJson('sql', answer)
    return
  }
  const { answerTable } = await import('../render/answer-table.ts')
  print(answerTable(answer.columns, answer.rows).join('\n'))
  if (answer.truncated) note(`Cut after ${plural(limit, 'row')}. --limit sets another bound.`)
}
