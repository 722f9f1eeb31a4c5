import type { Command } from 'commander'
import { plural } from '../../model/counts.ts'
import { outputWidth, print, printJson, UsageError } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type ReplayOptions = SharedOptions & { step?: string }

export function replayCommand(program: Command): void {
  const command = program
    .command('replay')
    .summary('show a run step by step, with the state')
    .description(
      'Shows what was recorded of a run: the timeline, and the state at a step. Nothing is called again.',
    )
    .argument('<run>', 'id of a recorded run, or a run-log file')
    .option('--step <number>', 'show the state after this step instead of the last one')
    .action(replay)
  withExamples(withShared(command), [
    ['handspan replay 01J9…', 'timeline and final state'],
    ['handspan replay incident.jsonl --step 5', 'the state after step 5'],
  ])
}

async function replay(name: string, options: ReplayOptions): Promise<void> {
  const { lookAtOne } = await import('../analyses.ts')
  const { stateText, timelineText } = await import('../render/timeline-text.ts')
  const { countBySeverity } = await import('../render/finding-text.ts')
  const { replayJson } = await import('../../report/replay-json.ts')
  const { suppressedWords } = await import('../../report/accepted.ts')
  const { escapeText } = await import('../../model/escape.ts')
  const { run, findings, suppressed } = await lookAtOne(name, options.dir)
  const step = stepOf(options.step, run.events.length)
  if (options.json) {
    printJson('replay', replayJson(run, step))
    return
  }
  print(`run ${escapeText(run.id)}  ${plural(run.handoffs.length, 'handoff')}  ${countBySeverity(findings)}`)
  for (const words of suppressedWords(suppressed)) print(escapeText(words))
  print('recorded data, nothing is called')
  print('')
  const lines = timelineText(run, findings, outputWidth())
  print((options.step === undefined ? lines : lines.slice(0, step + 1)).join('\n'))
  print('')
  print(stateText(run, step).join('\n'))
}

/** The index of a step given as people count, from 1; the last one if none is given. */
function stepOf(given: string | undefined, count: number): number {
  if (given === undefined) return count - 1
  const step = Number(given)
  if (!Number.isInteger(step) || step < 1 || step > count) {
    throw new UsageError(`--step ${given} is not a step of this run`, `Give a number from 1 to ${count}.`)
  }
  return step - 1
}
