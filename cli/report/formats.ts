import { jsonReport } from './json.ts'
import type { FormatName, Report } from './report.ts'
import { textReport } from './text.ts'

/** The report of a format. `source` is what the command line calls the run, where it names one. */
export function reportOf(format: FormatName, write: (line: string) => void, source?: string): Report {
  switch (format) {
    case 'json':
      return jsonReport()
    default:
      return textReport(source)(write)
  }
}
