import type { RunEvent } from '../model/run-log.ts'
import { type Analysis, analyse, analyseTogether } from '../replay/analyse.ts'
import type { Finding, Severity } from '../replay/finding.ts'
import type { Settings } from '../replay/settings.ts'

/** What can be looked at: the events of a run, or an analysis that has been made already. */
export type Recorded = readonly RunEvent[] | Analysis

/** The run that was given, judged. Events of several runs are judged together; the first one is meant. */
export function judged(recorded: Recorded, settings: Settings = {}): Analysis {
  if (!Array.isArray(recorded)) return recorded as Analysis
  const [first] = analyseTogether(recorded as RunEvent[], { settings })
  return first ?? analyse([], { settings })
}

/** Which findings count. */
export type FindingOptions = {
  /** The least severity that counts. Default: `warning`. */
  severity?: Severity
  /** Ids of checks that do not count. */
  except?: readonly string[]
}

const RANK: readonly Severity[] = ['error', 'warning', 'info']

/** The findings that count. */
export function countingFindings(
  findings: readonly Finding[],
  { severity = 'warning', except = [] }: FindingOptions,
): Finding[] {
  const worst = RANK.indexOf(severity)
  return findings.filter(
    (finding) => RANK.indexOf(finding.severity) <= worst && !except.includes(finding.check),
  )
}
