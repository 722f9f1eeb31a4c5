import { type Command, Option } from 'commander'
import { EXIT, note, outputWidth, print, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type CheckOptions = SharedOptions & { failOn: 'error' | 'warning' }

export function checkCommand(program: Command): void {
  const command = program
    .command('check')
    .summary('judge runs: exit code 1 if there are findings')
    .description(
      'Judges run-log files (without a database) or recorded runs. Everything given is judged together.',
    )
    .argument('<file|run...>', 'run-log files, directories of them, - for stdin, or ids of recorded runs')
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 from this severity on')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .action(check)
  withExamples(withShared(command), [
    ['handspan check incident.jsonl', 'a run log from any language'],
    ['handspan check a.jsonl b.jsonl --json', 'a run and its repetition, for another tool'],
    ['handspan check 01J9… --fail-on warning', 'a recorded run'],
  ])
}

async function check(names: string[], options: CheckOptions): Promise<void> {
  const { lookAt } = await import('../analyses.ts')
  const { countBySeverity, findingText } = await import('../render/finding-text.ts')
  const { escapeText } = await import('../../model/escape.ts')
  const { analyses, refused } = await lookAt(names, options.dir)
  const all = analyses.flatMap((analysis) => analysis.findings)
  if (options.json) {
    printJson('check', {
      runs: analyses.map(({ run, findings, notJudged }) => ({ run: run.id, findings, notJudged })),
      refused,
    })
  } else {
    // With one name for one run, that name leads to its diff; several files given together are looked at one by one.
    const source = names.length === 1 && names[0] !== '-' && analyses.length === 1 ? names[0] : undefined
    for (const { run, findings, notJudged } of analyses) {
      print(`run ${escapeText(run.id)}: ${countBySeverity(findings)}`)
      for (const finding of findings) print(findingText(finding, outputWidth(), source))
      for (const gap of notJudged) {
        print(
          escapeText(
            `not judged: ${gap.check}${gap.handoff === undefined ? '' : ` ${gap.handoff}`}: ${gap.reason}`,
          ),
        )
      }
    }
    if (refused.length > 0) note(`${refused.length} lines could not be read and were not judged.`)
  }
  const failing = options.failOn === 'warning' ? ['error', 'warning'] : ['error']
  if (all.some((finding) => failing.includes(finding.severity))) process.exitCode = EXIT.findings
}
