import { type Command, Option } from 'commander'
import { commandWords, optionWords } from '../../model/command-words.ts'
import { bytes, plural } from '../../model/counts.ts'
import type { StyleName } from '../../replay/what-if/styles.ts'
import { type TriedHandoff, trialJson } from '../../report/trial-json.ts'
import type { Unread } from '../../store/readable-files.ts'
import { complain } from '../complain.ts'
import { answerByExitCode, EXIT, note, outputWidth, print, printJson, UsageError } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'
import type { Tried } from '../what-if.ts'

type WhatIfOptions = SharedOptions & {
  handoff?: string
  filter?: string
  style?: StyleName
  since?: string
  failOn?: 'new'
  config?: string
}

const STYLE_NAMES = ['full', 'last-pair', 'no-tools', 'brief', 'nested', 'record']

export function whatIfCommand(program: Command): void {
  const command = program
    .command('what-if')
    .summary('try another filter on what was really captured')
    .description(
      'Runs a filter over the items that senders really had, puts its output in the place of what their receivers got, and ' +
        'judges again: findings solved, new and unchanged, bytes saved. What receivers did afterwards stays as it was.',
    )
    .argument('[file|run...]', 'run-log files, directories of them, or ids of recorded runs')
    .option(
      '--filter <file>',
      'a module whose default export is a filter: ({items, record, context}) => items',
    )
    .addOption(new Option('--style <style>', 'a built-in way to hand over').choices(STYLE_NAMES))
    .option('--handoff <id>', 'only this handoff')
    .option('--since <duration>', 'all recorded runs that started since then: 7d, 12h, 30m')
    .addOption(
      new Option(
        '--fail-on <what>',
        'new: exit with 1 if there would be new findings, or the filter fails',
      ).choices(['new']),
    )
    .option('--config <file>', 'configuration, instead of the nearest handspan.config.*')
    .action(tryIt)
  withExamples(withShared(command), [
    ['handspan what-if latest --style record', 'what the record of the operations log would have changed'],
    ['handspan what-if incident.jsonl --handoff h-1 --filter ./my-filter.mjs', 'one handoff, in detail'],
    ['handspan what-if --since 7d --filter ./my-filter.mjs --fail-on new', 'in CI, before a filter ships'],
  ])
}

async function tryIt(names: string[], options: WhatIfOptions): Promise<void> {
  const tried = whatIsTried(options)
  if (options.failOn !== undefined) answerByExitCode()
  const { loadConfig } = await import('../config/load.ts')
  const { tryFilter } = await import('../what-if.ts')
  const config = await loadConfig(options.config)
  const runs =
    options.since === undefined ? names : [...names, ...(await runsSince(options.since, options.dir))]
  if (runs.length === 0) {
    throw new UsageError('There is no run to try it on', 'Name a run or a run-log file, or a longer --since.')
  }
  const all: TriedHandoff[] = []
  const unread: Unread[] = []
  const pass = (one: Unread) => {
    complain({ message: one.reason, remedy: one.remedy })
    unread.push(one)
  }
  const way = { handoff: options.handoff, pass, onProgress: progressLine() }
  for await (const one of tryFilter(runs, options.dir, config, tried, way)) all.push(one)
  const { pasted } = await import('../render/pasted.ts')
  if (all.length === 0 && unread.length === 0) {
    throw new UsageError(
      options.handoff === undefined
        ? 'These runs hold no handoff'
        : `These runs hold no handoff ${options.handoff}`,
      `${pasted(commandWords('replay', [runs[0]!], []), options.dir)} shows what it holds.`,
    )
  }
  if (options.json) printJson('what-if', { handoffs: all.map(trialJson), total: totalsOf(all), unread })
  else if (all.length > 0) {
    await printTrials(all)
    await sayMore(all, names, options)
  }
  const fails = all.some(({ trial, failed }) => failed === true || (trial?.fresh.length ?? 0) > 0)
  if (unread.length > 0) process.exitCode = EXIT.failed
  else if (options.failOn === 'new' && fails) process.exitCode = EXIT.findings
}

// Quick work says nothing; of a long run each handoff takes a judgement of all of it.
const EVERY_MILLISECONDS = 1000

function progressLine(): (done: number, total: number, run: string) => void {
  let last = Date.now()
  return (done, total, run) => {
    if (done === 0 || Date.now() - last < EVERY_MILLISECONDS) return
    last = Date.now()
    note(`trying: ${done} of ${plural(total, 'handoff')} of run ${run}`)
  }
}

function whatIsTried({ filter, style }: WhatIfOptions): Tried {
  if (filter !== undefined && style === undefined) return { filter }
  if (style !== undefined && filter === undefined) return { style }
  throw new UsageError('One of --filter and --style is needed', `Styles: ${STYLE_NAMES.join(', ')}.`)
}

const UNITS: Record<string, string> = { d: 'days', h: 'hours', m: 'minutes' }

async function runsSince(since: string, directory: string): Promise<string[]> {
  const [, count, unit] = /^(\d{1,6})([dhm])$/.exec(since) ?? []
  if (count === undefined) throw new UsageError(`--since ${since} is not a duration`, 'Give 7d, 12h or 30m.')
  const { withStore } = await import('../with-store.ts')
  const rows = await withStore(directory, (store) =>
    store.query(
      `SELECT run FROM runs WHERE started_at >= (now() AT TIME ZONE 'UTC') - to_${UNITS[unit!]}($1::INTEGER) ORDER BY started_at, run`,
      [Number(count)],
    ),
  )
  return rows.map(({ run }) => String(run))
}

function totalsOf(all: readonly TriedHandoff[]) {
  const sum = (of: (trial: NonNullable<TriedHandoff['trial']>) => number) =>
    all.reduce((total, { trial }) => total + (trial === undefined ? 0 : of(trial)), 0)
  return {
    handoffs: all.length,
    tried: all.filter(({ trial }) => trial !== undefined).length,
    failed: all.filter(({ failed }) => failed).length,
    solved: sum(({ solved }) => solved.length),
    new: sum(({ fresh }) => fresh.length),
    unchanged: sum(({ unchanged }) => unchanged.length),
    bytesSaved: sum(({ bytes }) => bytes.before - bytes.after),
  }
}

async function printTrials(all: readonly TriedHandoff[]): Promise<void> {
  const { trialPairs, trialFindings, trialsTable } = await import('../render/trials-text.ts')
  print(trialsTable(all).join('\n'))
  const changed = all.filter(({ trial }) => trial !== undefined)
  if (changed.length === 1) {
    const { trial } = changed[0]!
    print(`\n${trialPairs(trial!).join('\n')}`)
    print(trialFindings(trial!, outputWidth()).join('\n'))
    return
  }
  const { tried, solved, new: fresh, unchanged, bytesSaved } = totalsOf(all)
  print(
    `\n${tried} of ${plural(all.length, 'handoff')} tried: ${plural(solved, 'finding')} solved, ${fresh} new, ${unchanged} unchanged, ` +
      `${bytes(bytesSaved)} saved`,
  )
}

/** How to see one handoff with new findings in detail: in its run if that is stored, else in what was named. */
async function sayMore(all: readonly TriedHandoff[], names: readonly string[], options: WhatIfOptions) {
  const worst = all.find(({ trial }) => (trial?.fresh.length ?? 0) > 0)
  if (worst === undefined || all.filter(({ trial }) => trial !== undefined).length === 1) return
  const { isLogPath } = await import('../../store/log-files.ts')
  const { pasted } = await import('../render/pasted.ts')
  const areFiles = await Promise.all(names.map((name) => isLogPath(name)))
  const which = areFiles.includes(true) ? names : [worst.run]
  const way = options.filter === undefined ? ['--style', options.style!] : ['--filter', options.filter]
  const config = options.config === undefined ? [] : ['--config', options.config]
  const words = commandWords('what-if', which, [
    ...way,
    ...optionWords('--handoff', [worst.handoff]),
    ...config,
  ])
  note(`${pasted(words, options.dir)} shows one in detail.`)
}
