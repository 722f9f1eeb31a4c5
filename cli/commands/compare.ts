import type { Command } from 'commander'
import { escapeText } from '../../model/escape.ts'
import type { Analysis } from '../../replay/analyse.ts'
import { print, printJson, UsageError } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type CompareOptions = SharedOptions & { handoff?: string[] }

export function compareCommand(program: Command): void {
  const command = program
    .command('compare')
    .summary('show two runs, or two handoffs, side by side')
    .description(
      'Shows what one payload had that the other lacks. Of two runs the handoffs are compared in order; where the senders ' +
        'had the same and the receivers did not get the same, the runtime is not deterministic.',
    )
    .argument('<a>', 'id of a recorded run, or a run-log file')
    .argument('<b>', 'the same; may be the same run, with two handoffs')
    .option('--handoff <id...>', 'only this handoff; with two ids, the first of a and the second of b')
    .action(compare)
  withExamples(withShared(command), [
    ['handspan compare 01J9… 01JA…', 'two runs, handoff by handoff'],
    ['handspan compare a.jsonl b.jsonl --handoff h-1', 'one handoff in both'],
    ['handspan compare latest latest --handoff h-1 h-2', 'two handoffs of one run'],
  ])
}

async function compare(a: string, b: string, options: CompareOptions): Promise<void> {
  const { lookAtOne } = await import('../analyses.ts')
  const { compareRuns } = await import('../../replay/compare.ts')
  const [first, second = first] = options.handoff ?? []
  const left = only(await lookAtOne(a, options.dir), first)
  const right = only(await lookAtOne(b, options.dir), second)
  const comparison = compareRuns(left, right)
  if (options.json) {
    const { comparisonJson } = await import('../../report/comparison-json.ts')
    printJson('compare', { a: left.run.id, b: right.run.id, ...comparisonJson(comparison) })
    return
  }
  const { comparisonText } = await import('../render/comparison-text.ts')
  print(comparisonText(left, right, comparison).join('\n'))
}

/** The analysis with the last attempt of one handoff only. */
function only(analysis: Analysis, id: string | undefined): Analysis {
  if (id === undefined) return analysis
  const diff = analysis.diffs.findLast(({ handoff }) => handoff.id === id)
  if (diff !== undefined) return { ...analysis, diffs: [diff] }
  const known = [...new Set(analysis.diffs.map(({ handoff }) => escapeText(handoff.id)))].join(', ')
  throw new UsageError(
    `Run ${escapeText(analysis.run.id)} has no handoff ${id}`,
    known === '' ? 'It has none.' : `It has: ${known}.`,
  )
}
