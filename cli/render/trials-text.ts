import { grouped } from '../../model/counts.ts'
import { escapeText } from '../../model/escape.ts'
import type { Finding } from '../../replay/finding.ts'
import type { Trial } from '../../replay/what-if/what-if.ts'
import type { TriedHandoff } from '../../report/trial-json.ts'
import { colour } from './colours.ts'
import { layTable } from './columns.ts'
import { findingText } from './finding-text.ts'

/** One row a handoff: what the other payload would have solved, broken and saved. */
export function trialsTable(tried: readonly TriedHandoff[]): string[] {
  const lines = layTable(
    ['run', 'handoff', 'agents', 'solved', 'new', 'unchanged', 'bytes saved', ''],
    tried.map(({ run, handoff, attempt, from, to, trial, reason, mutated }) =>
      [
        run,
        attempt > 1 ? `${handoff} (${attempt})` : handoff,
        `${from ?? '?'} → ${to ?? '?'}`,
        ...(trial === undefined
          ? ['–', '–', '–', '–', `not tried: ${reason}`]
          : [
              ...[trial.solved, trial.fresh, trial.unchanged].map((list) => String(list.length)),
              grouped(trial.bytes.before - trial.bytes.after),
              mutated ? 'the filter changed its input' : '',
            ]),
      ].map(escapeText),
    ),
  )
  return lines.map((line, index) => (index === 0 ? colour.strong(line) : line))
}

/** How each thing the sender knew crossed, and how it would cross. */
export function trialPairs({ pairs, bytes }: Trial): string[] {
  const size = {
    subject: 'bytes',
    before: grouped(bytes.before),
    after: grouped(bytes.after),
  }
  return layTable(
    ['', 'crossed', 'would cross'],
    [...pairs, size].map(({ subject, before, after }) => [subject, before, after].map(escapeText)),
  )
}

/** The findings of a trial under what the payload does to them. */
export function trialFindings({ solved, fresh, unchanged }: Trial, width: number): string[] {
  const list = (title: string, findings: readonly Finding[]) =>
    findings.length === 0
      ? []
      : ['', colour.strong(title), ...findings.map((finding) => findingText(finding, width))]
  const short = unchanged.map(({ severity, check }) => `${severity.padEnd(9)}${check}`)
  return [
    ...list('solved', solved),
    ...list('new', fresh),
    ...(short.length === 0 ? [] : ['', colour.strong('unchanged'), ...short]),
  ]
}
