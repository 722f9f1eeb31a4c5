import type { Command } from 'commander'
import { plural } from '../../model/counts.ts'
import { EXIT, note, print, printJson, UsageError } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type SearchOptions = SharedOptions & {
  run?: string
  since?: string
  until?: string
  limit: string
  timeout: string
  ignoreCase?: boolean
  db?: string
}

export function searchCommand(program: Command): void {
  const command = program
    .command('search')
    .summary('find a text in what was captured')
    .description(
      'Finds a text in items, records, arguments, results and messages, the latest first, and says in which run, handoff ' +
        'and item it stands. Exits with 1 if it stands nowhere.',
    )
    .argument('<text>', 'the text, as it is')
    .option('-i, --ignore-case', 'large and small letters are the same')
    .option('--run <run>', 'only in that run')
    .option('--since <time>', 'only from then on: 7d, 24h, 2031-03-04')
    .option('--until <time>', 'only before then')
    .option('--limit <places>', 'how many places at the most', '50')
    .option('--timeout <seconds>', 'how long it may take', '30')
    .option('--db <lake>', 'search a lake, or all that a pattern names')
    .action(search)
  withExamples(withShared(command), [
    ['handspan search order-7:2', 'where a key went'],
    ['handspan search "do not ship" -i --since 7d', 'a rule in words'],
    ['handspan search order-7:2 --run latest --json', 'for another tool'],
  ])
}

async function search(text: string, options: SearchOptions): Promise<void> {
  if (text === '') throw new UsageError('There is nothing to search for.', 'Give a text.')
  const { windowOf } = await import('../query-request.ts')
  const { wholeNumber } = await import('../numbers.ts')
  const { searchContent } = await import('../../queries/search.ts')
  const { withSource } = await import('../with-source.ts')
  const request = {
    text,
    ignoreCase: options.ignoreCase === true,
    ...windowOf(options, new Date()),
    limit: wholeNumber('--limit', options.limit, 1),
    timeoutMs: wholeNumber('--timeout', options.timeout, 1) * 1000,
  }
  const { findRun } = await import('../../store/run-names.ts')
  const answer = await withSource(options, async (source) =>
    searchContent(source, {
      ...request,
      run: options.run === undefined ? undefined : await findRun(source, options.run),
    }),
  )
  if (answer.hits.length === 0) process.exitCode = EXIT.findings
  if (options.json) {
    printJson('search', { text, ...answer })
    return
  }
  const { searchLines } = await import('../render/search-text.ts')
  for (const line of searchLines(answer.hits)) print(line)
  if (answer.hits.length === 0) note('Nothing holds that text.')
  if (answer.truncated) note(`Cut after ${plural(answer.hits.length, 'place')}. --limit sets another bound.`)
}
