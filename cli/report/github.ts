import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { escapeText } from '../../model/escape.ts'
import { systemWords } from '../../model/system-words.ts'
import type { Severity } from '../../replay/finding.ts'
import { note } from '../output.ts'
import { markdownReport } from './markdown.ts'
import type { ReportFormat } from './report.ts'

const COMMANDS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'notice' }

/** A step summary may have 1 MiB; what is over is refused as a whole. */
const SUMMARY_BYTES = 1024 * 1024

/** GitHub Actions: an annotation for each finding that is not known, and the Markdown report as the summary of the step. */
export const githubReport: ReportFormat = (write) => {
  const summary: string[] = []
  const markdown = markdownReport((line) => summary.push(line))
  return {
    add(run) {
      markdown.add(run)
      for (const finding of run.analysis.findings) {
        if (run.isKnown(finding)) continue
        const place = run.placeOf(finding)
        const where = [finding.handoff, finding.agents.join(' → ')].filter((part) => part).join(' ')
        const properties = {
          ...(place === undefined
            ? {}
            : { file: relative(process.cwd(), place.file), line: String(place.line) }),
          title: `${finding.check} ${where}`.trim(),
        }
        const list = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`)
        write(
          `::${COMMANDS[finding.severity]} ${list.join(',')}::${data(`${finding.message} → ${finding.remedy}`)}`,
        )
      }
    },
    async end(totals) {
      for (const { reason, remedy } of totals.unread) {
        write(`::error title=could not be read::${data(`${reason} → ${remedy}`)}`)
      }
      await markdown.end(totals)
      const file = process.env.GITHUB_STEP_SUMMARY
      if (file) appendSummary(file, summary.join('\n'))
    },
  }
}

function appendSummary(file: string, text: string): void {
  const whole = Buffer.from(`${text}\n`, 'utf8')
  const cut =
    whole.length <= SUMMARY_BYTES ? whole : whole.subarray(0, whole.lastIndexOf('\n', SUMMARY_BYTES - 64))
  try {
    appendFileSync(file, cut)
    if (cut !== whole) appendFileSync(file, '\n\nThe rest is over the limit of a summary.\n')
  } catch (error) {
    note(`The step summary ${file} cannot be written: ${systemWords(error as Error)}`)
  }
}

/** Escapes of the workflow commands: a line break or a colon in a captured text must not start a command of its own. */
function data(text: string): string {
  return escapeText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
