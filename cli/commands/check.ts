import { type Command, Option } from 'commander'
import { plural } from '../../model/counts.ts'
import { answerByExitCode, EXIT, note, print, UsageError } from '../output.ts'
import { FORMATS, type FormatName } from '../report/report.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type CheckOptions = SharedOptions & {
  failOn: 'error' | 'warning' | 'new'
  format: FormatName
  config?: string
  baseline?: string
  updateBaseline?: boolean
}

export function checkCommand(program: Command): void {
  const command = program
    .command('check')
    .summary('judge runs: exit code 1 if there are findings')
    .description(
      'Judges run-log files (without a database) or recorded runs. Everything given is judged together.\n' +
        'Exit code: 0 fine, 1 findings at or above --fail-on that are not in the baseline, 2 not all of it could be judged.',
    )
    .argument('<file|run...>', 'run-log files, directories of them, - for stdin, or ids of recorded runs')
    .addOption(
      new Option(
        '--fail-on <severity>',
        'exit with 1 from this severity on; new: for whatever the baseline lacks',
      )
        .choices(['error', 'warning', 'new'])
        .default('error'),
    )
    .addOption(
      new Option('--format <format>', 'how to print the verdicts').choices([...FORMATS]).default('text'),
    )
    .option('--baseline <file>', 'findings in this file are known and do not count')
    .option('--update-baseline', 'write the findings into the baseline instead')
    .option('--config <file>', 'configuration, instead of the nearest handspan.config.*')
    .action(check)
  withExamples(withShared(command), [
    ['handspan check incident.jsonl', 'a run log from any language'],
    ['handspan check a.jsonl b.jsonl --json', 'a run and its repetition, for another tool'],
    ['handspan check 01J9… --fail-on warning', 'a recorded run'],
    ['handspan check logs/ --baseline known.json', 'only what is new counts'],
    ['handspan check logs/ --format sarif > handspan.sarif', 'for code scanning'],
  ])
}

async function check(names: string[], options: CheckOptions): Promise<void> {
  if (options.baseline === undefined && (options.updateBaseline || options.failOn === 'new')) {
    throw new UsageError(
      `${options.updateBaseline ? '--update-baseline' : '--fail-on new'} needs a baseline`,
      'Add --baseline FILE.',
    )
  }
  answerByExitCode()
  const { judgeRuns } = await import('../judge.ts')
  const { reportFormat } = await import('../report/formats.ts')
  // With one name for one run, that name leads to its diff; several files given together are looked at one by one.
  const [name] = names
  const { sourceOf } = await import('../render/pasted.ts')
  const source = names.length > 1 || !name ? undefined : sourceOf(name, options.dir)
  const report = reportFormat(options.json ? 'json' : options.format, source)(print)
  const { failed, incomplete, accepted } = await judgeRuns(names, options, report)
  if (accepted !== undefined) note(`${options.baseline} now holds ${plural(accepted, 'finding')}.`)
  else if (incomplete) process.exitCode = EXIT.failed
  else if (failed) process.exitCode = EXIT.findings
}
