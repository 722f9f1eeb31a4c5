import type { Command } from 'commander'
import type { Metric } from '../../queries/metric.ts'
import { answerByExitCode, EXIT, note, print, printJson } from '../output.ts'
import type { QueryOptions } from '../query-request.ts'
import { withExamples, withShared } from '../shared-options.ts'

export function queryCommand(program: Command): void {
  const command = program
    .command('query')
    .summary('measure handoff quality')
    .description(
      'Runs a metric of the catalogue over the recorded handoffs; without a name it lists them all.',
    )
    .argument('[name]', 'name of a metric')
    .option('--since <time>', 'only from then on: 7d, 24h, 2031-03-04, or a time with its zone')
    .option('--until <time>', 'only before then')
    .option('--by <what>', 'a row for each pair, agent, day, framework or style')
    .option('--format <format>', 'table, json, csv, md or parquet', 'table')
    .option('--output <file>', 'write there instead of to the terminal; parquet needs it')
    .option('--limit <rows>', 'how many rows at the most', '100')
    .option('--timeout <seconds>', 'how long it may take', '30')
    .option('--chart', 'draw value as bars; by day, if --by says nothing else')
    .option('--watch [seconds]', 'run it again and again')
    .option('--fail-if <condition>', 'exit with 1 if it holds of a row: "value < 0.99"')
    .option('--db <lake>', 'measure a lake, or all that a pattern names (see handspan export)')
    .option('--sql', 'print the SQL of the metric, for the DuckDB shell')
    .action(query)
  withExamples(withShared(command), [
    ['handspan query', 'what can be measured'],
    ['handspan query key-coverage --since 7d --by pair', 'for each pair of agents'],
    ['handspan query redundant-calls --chart', 'the trend, day by day'],
    ['handspan query key-coverage --fail-if "value < 0.99"', 'for CI'],
  ])
}

async function query(name: string | undefined, options: QueryOptions): Promise<void> {
  const { readCatalogue } = await import('../../queries/catalogue.ts')
  const catalogue = readCatalogue()
  const { findMetric, readRequest, refuseWithoutMetric } = await import('../query-request.ts')
  if (name === undefined) {
    refuseWithoutMetric(options)
    await list(catalogue, options)
    return
  }
  const metric = findMetric(name, catalogue)
  if (options.sql) {
    print(metric.sql.trimEnd())
    return
  }
  const request = readRequest(metric, options)
  if (request.failIf !== undefined) answerByExitCode()
  const { withSource } = await import('../with-source.ts')
  const { setTimeout: wait } = await import('node:timers/promises')
  await withSource(options, async (source) => {
    for (;;) {
      const { runMetric } = await import('../../queries/run-metric.ts')
      const answer = await runMetric(source, metric, request)
      const { showAnswer } = await import('../show-answer.ts')
      await showAnswer(metric, request, answer)
      const { fails } = await import('../fail-if.ts')
      if (await fails(source, metric, request)) process.exitCode = EXIT.findings
      if (request.watchSeconds === undefined || process.exitCode === EXIT.findings) return
      await wait(request.watchSeconds * 1000)
      await source.refresh()
    }
  })
}

async function list(catalogue: readonly Metric[], options: QueryOptions): Promise<void> {
  if (options.json || options.format === 'json') {
    printJson('query', { metrics: catalogue.map(({ sql: _, ...metric }) => metric) })
    return
  }
  const width = Math.max(...catalogue.map(({ name }) => name.length))
  for (const { name, title } of catalogue) print(`${name.padEnd(width)}  ${title}`)
  const { pasted } = await import('../render/pasted.ts')
  note(
    `${pasted(['query', 'NAME'], options.dir)} answers one. docs/queries.md says what each of them counts.`,
  )
}
