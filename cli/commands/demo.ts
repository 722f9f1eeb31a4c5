import type { Command } from 'commander'
import { EXIT, note, outputWidth, print, printJson, UsageError } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

export function demoCommand(program: Command): void {
  const command = program
    .command('demo')
    .summary('run the lab: one order, six ways to hand it over, two network timings')
    .description(
      'Runs two scripted agents that hand over an order while the warehouse does not answer: six forwarding styles, two ' +
        'network timings. Records every run, prints what came of it, the findings, and the diff of one handoff.',
    )
    .action(demo)
  withExamples(withShared(command), [['handspan demo', 'needs no model, no key and no network']])
}

async function demo(options: SharedOptions): Promise<void> {
  const { start } = await import('../../instrumentation/index.ts')
  const { labTable } = await import('../../lab/index.ts')
  if (process.env.OTEL_SDK_DISABLED === 'true') {
    throw new UsageError('OTEL_SDK_DISABLED is true: nothing can be recorded', 'Unset it.')
  }
  const { makeCaptures } = await import('../captures.ts')
  makeCaptures(options.dir)
  note('Running 12 orders with scripted agents …')
  const handspan = start({ directory: options.dir, service: 'lab' })
  const outcomes = await labTable(handspan)
  handspan.shutdown()
  if (handspan.counters().written === 0) {
    throw new UsageError(
      `Nothing could be recorded in ${options.dir}`,
      'Make the directory writable, or name another one with --dir.',
    )
  }
  const { lookAt } = await import('../analyses.ts')
  const { analyses } = await lookAt(
    outcomes.map(({ run }) => run),
    options.dir,
    {},
  )
  if (options.json) {
    printJson('demo', {
      outcomes,
      findings: analyses.flatMap(({ findings }) => findings),
    })
    return
  }
  const { labTableText } = await import('../render/lab-table.ts')
  const { diffText } = await import('../render/diff-text.ts')
  const { findingText } = await import('../render/finding-text.ts')
  print(labTableText(outcomes, analyses).join('\n'))
  // The shortcut that looks harmless: the tool history is filtered out, and the request is still on its way.
  const index = outcomes.findIndex(({ style, timing }) => style === 'no-tools' && timing === 'delayed')
  const { run, findings, diffs } = analyses[index]!
  print(`\nOne of them: the tool history filtered out, the request still travelling (run ${run.id})\n`)
  for (const finding of findings)
    print(`${findingText(finding, outputWidth(), { name: run.id, dir: options.dir })}\n`)
  print(diffText(diffs[0]!, outputWidth()))
  const { pasted } = await import('../render/pasted.ts')
  const further = [
    [pasted(['replay', run.id], options.dir), 'every step of it, with the state'],
    [pasted(['diff', outcomes.at(-1)!.run], options.dir), "the same order with the runtime's record"],
    [pasted(['runs'], options.dir), 'all of them'],
    [pasted(['tui', run.id], options.dir), 'in the terminal UI: e finds the lost key, Enter why'],
  ]
  const width = Math.max(...further.map(([command]) => command!.length))
  const lines = further.map(([command, what]) => `  ${command!.padEnd(width)}  ${what}`)
  print(`\nWhere to go from here\n${lines.join('\n')}`)
  process.exitCode = EXIT.fine
}
