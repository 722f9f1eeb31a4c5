import type { Command } from 'commander'
import { escapeText } from '../../model/escape.ts'
import type { Analysis } from '../../replay/analyse.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Finding } from '../../replay/finding.ts'
import { note, outputWidth, print, printJson, UsageError } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

export function diffCommand(program: Command): void {
  const command = program
    .command('diff')
    .summary("show a handoff: the sender's log beside the receiver's payload")
    .description(
      "Shows the sender's operations log beside what the receiver's model got, with a verdict for each operation. " +
        'Without a handoff: the one with the worst finding (with --json: all).',
    )
    .argument('<run>', 'id of a recorded run, or a run-log file')
    .argument('[handoff]', 'id of the handoff')
    .action(diff)
  withExamples(withShared(command), [
    ['handspan diff 01J9…', 'the handoff with the worst finding'],
    ['handspan diff 01J9… h-2', 'that handoff'],
    ['handspan diff incident.jsonl --json', 'sizes and degrees of crossing, all handoffs'],
  ])
}

async function diff(name: string, id: string | undefined, options: SharedOptions): Promise<void> {
  const { lookAtOne } = await import('../analyses.ts')
  const analysis = await lookAtOne(name, options.dir)
  const diffs = chosen(analysis, id)
  if (options.json) {
    const { diffJson } = await import('../../report/diff-json.ts')
    printJson('diff', { run: analysis.run.id, handoffs: diffs.map(diffJson) })
    return
  }
  const { diffText } = await import('../render/diff-text.ts')
  const { suppressedWords } = await import('../../report/accepted.ts')
  const { findingText } = await import('../render/finding-text.ts')
  const shown = id === undefined ? worstFirst(analysis, diffs).slice(0, 1) : diffs
  if (shown.length === 0) {
    const { commandWords } = await import('../../model/command-words.ts')
    const { pasted, sourceOf } = await import('../render/pasted.ts')
    const source = sourceOf(name, options.dir)
    const hint =
      source === undefined
        ? ''
        : ` ${pasted(commandWords('replay', [name], []), source.dir)} shows what it does hold.`
    note(`Run ${escapeText(analysis.run.id)} holds no handoff.${hint}`)
    return
  }
  for (const one of shown) {
    print(diffText(one, outputWidth()))
    for (const finding of ofHandoff(analysis.findings, one)) print(`\n${findingText(finding, outputWidth())}`)
    const suppressed = suppressedWords(ofHandoff(analysis.suppressed, one))
    if (suppressed.length > 0) print(`\n${suppressed.map((words) => escapeText(words)).join('\n')}`)
  }
  const others = diffs.filter((other) => !shown.includes(other)).map(({ handoff }) => handoff.id)
  if (others.length > 0)
    note(`\nOther handoffs of this run: ${[...new Set(others)].map(escapeText).join(', ')}`)
}

function chosen({ run, diffs }: Analysis, id: string | undefined): HandoffDiff[] {
  if (id === undefined) return diffs
  const found = diffs.filter(({ handoff }) => handoff.id === id)
  if (found.length > 0) return found
  const known = [...new Set(diffs.map(({ handoff }) => escapeText(handoff.id)))]
  throw new UsageError(
    `Run ${escapeText(run.id)} has no handoff ${id}`,
    known.length === 0 ? 'It has none at all.' : `Its handoffs: ${known.join(', ')}.`,
  )
}

function ofHandoff<F extends Finding>(findings: readonly F[], { handoff }: HandoffDiff): F[] {
  return findings.filter(
    (finding) => finding.handoff === handoff.id && (finding.attempt ?? handoff.attempt) === handoff.attempt,
  )
}

const WEIGHT: Record<string, number> = { error: 100, warning: 10, info: 1 }

/** The handoff with the gravest findings first; the order of the run decides between equals. */
function worstFirst(analysis: Analysis, diffs: readonly HandoffDiff[]): HandoffDiff[] {
  const weigh = (one: HandoffDiff) =>
    Math.max(0, ...ofHandoff(analysis.findings, one).map(({ severity }) => WEIGHT[severity] ?? 0))
  return [...diffs].sort((a, b) => weigh(b) - weigh(a))
}
