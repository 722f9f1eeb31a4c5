import { FORWARDING, type LabOutcome } from '../../lab/index.ts'
import { bytes } from '../../model/counts.ts'
import type { Analysis } from '../../replay/analyse.ts'
import { colour } from './colours.ts'
import { layTable } from './columns.ts'
import { countBySeverity } from './finding-text.ts'

/** What came of each style under both timings; one row a run, in the order of the lab. */
export function labTableText(outcomes: readonly LabOutcome[], analyses: readonly Analysis[]): string[] {
  const lines = layTable(
    ['forwarding style', 'request', 'reservations', 'obligation', 'words', 'record', 'tokens', 'findings'],
    outcomes.map((outcome, index) => [
      FORWARDING[outcome.style].title,
      outcome.timing,
      `${outcome.effects}${outcome.lateRequestRefused ? ', late one refused' : ''}`,
      outcome.obligationKept ? 'kept' : 'LOST',
      bytes(outcome.wordsBytes),
      outcome.recordBytes === 0 ? 'none' : bytes(outcome.recordBytes),
      String(outcome.wordsTokens.tokens),
      countBySeverity(analyses[index]!.findings),
    ]),
  )
  return [
    colour.strong(lines[0]!),
    ...lines.slice(1).map((line, index) => {
      const { effects, obligationKept } = outcomes[index]!
      return effects === 1 && obligationKept ? line : colour.error(line)
    }),
    `landed: the reservation was made, its reply lost · delayed: the request still travels at the handoff · one reservation is right`,
    `tokens of the words by ${outcomes[0]?.wordsTokens.method}`,
  ]
}
