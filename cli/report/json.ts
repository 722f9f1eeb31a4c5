import type { Finding, NotJudged } from '../../replay/finding.ts'
import type { Suppressed } from '../../replay/suppress.ts'
import { printJson } from '../output.ts'
import type { ReportFormat } from './report.ts'

type RunJson = {
  run: string
  findings: (Finding & { known?: true })[]
  suppressed: readonly Suppressed[]
  notJudged: NotJudged[]
}

/** The versioned JSON document of `check --json`. */
export const jsonReport: ReportFormat = () => {
  const runs: RunJson[] = []
  return {
    add({ analysis: { run, findings, notJudged }, suppressed, isKnown }) {
      const marked = findings.map((finding) =>
        isKnown(finding) ? { ...finding, known: true as const } : finding,
      )
      runs.push({ run: run.id, findings: marked, suppressed, notJudged })
    },
    end({ refused, unread, baseline }) {
      printJson('check', { runs, refused, unread, ...(baseline === undefined ? {} : { baseline }) })
    },
  }
}
