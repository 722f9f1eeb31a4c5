import type { HandoffDiff } from './diff/handoff-diff.ts'
import type { Draft, Severity } from './finding.ts'
import type { Run } from './run.ts'
import type { Thresholds } from './settings.ts'

/** What a check judges: one run with its diffs, and the other runs given with it (for what only a pair can show). */
export type CheckInput = {
  run: Run
  diffs: HandoffDiff[]
  /** Other runs judged together with this one, such as the run that this one repeats, with their diffs. */
  related: { run: Run; diffs: HandoffDiff[] }[]
  /** Limits that the user set. */
  thresholds?: Thresholds | undefined
}

/** Findings, and what could not be judged with the reason. */
export type CheckResult = {
  findings: Draft[]
  notJudged?: { handoff?: string | undefined; reason: string }[]
}

/** One check: one file in checks/, named by its id. The texts also make its documentation page. */
export type Check = {
  id: string
  severity: Severity
  /** One line. */
  title: string
  /** The question it answers. */
  question: string
  /** When it is raised, when it is not, and what it needs to judge; shown by `d` in the terminal and in the docs. */
  definition: string
  /**
   * True if it compares all that the receiver read. Where the provider holds the history that is not in the log, and where an
   * entry is in a form that is not read nobody can say that something is not in it.
   */
  needsWholePayload?: boolean
  /**
   * Whose words it searches for what it would miss. Where the log has these by size and hash only (`content: shape`), nobody
   * can say that it is not among them.
   */
  searchesWordsOf?: 'all' | 'agents'
  /** True if it judges by what was said, asked or answered: where the log has that by size and hash only, it misses cases. */
  judgesByWords?: true
  check(input: CheckInput): CheckResult
}
