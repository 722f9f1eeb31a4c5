import type { Source } from '../render/pasted.ts'
import { githubReport } from './github.ts'
import { htmlReport } from './html.ts'
import { jsonReport } from './json.ts'
import { junitReport } from './junit.ts'
import { markdownReport } from './markdown.ts'
import type { FormatName, ReportFormat } from './report.ts'
import { sarifReport } from './sarif.ts'
import { textReport } from './text.ts'

/** The report of a format. `source` is what the command line calls the run, where it names one. */
export function reportFormat(format: FormatName, source?: Source): ReportFormat {
  return format === 'text' ? textReport(source) : OTHERS[format]
}

const OTHERS: Record<Exclude<FormatName, 'text'>, ReportFormat> = {
  json: jsonReport,
  junit: junitReport,
  sarif: sarifReport,
  github: githubReport,
  markdown: markdownReport,
  html: htmlReport,
}
