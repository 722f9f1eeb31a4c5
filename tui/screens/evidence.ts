import type { Finding } from '../../replay/finding.ts'
import type { Judged } from '../../report/accepted.ts'
import { tabOf } from '../rows/tabs.ts'
import type { Session } from '../session.ts'
import { DiffScreen } from './diff.ts'

/** What a finding names of where it was found. */
type About = Pick<Finding, 'handoff' | 'attempt' | 'subject'>

/** The diff of the handoff that a finding is about, at the row that it is about; undefined if it is about none. */
export function evidenceOf(session: Session, analysis: Judged, finding: About): DiffScreen | undefined {
  const diff = analysis.diffs.find(
    ({ handoff }) =>
      handoff.id === finding.handoff && (finding.attempt ?? handoff.attempt) === handoff.attempt,
  )
  if (diff === undefined) return undefined
  return new DiffScreen(session, analysis, diff, { tab: tabOf(finding.subject.kind), id: finding.subject.id })
}
