import { plural } from '../../model/counts.ts'
import type { Finding } from '../../replay/finding.ts'
import { escapeMarkdown } from '../../report/markdown-text.ts'
import { countBySeverity } from '../render/finding-text.ts'
import { type ReportFormat, unreadLines } from './report.ts'

/** Markdown: a table of the findings of each run, with what to do. */
export const markdownReport: ReportFormat = (write) => {
  let clean = 0
  write('# handspan check')
  return {
    add({ analysis: { run, findings, notJudged }, suppressed, isKnown }) {
      if (findings.length + notJudged.length + suppressed.length === 0) {
        clean++
        return
      }
      write(`\n## Run ${escapeMarkdown(run.id)}: ${countBySeverity(findings)}\n`)
      if (findings.length > 0) {
        write('| severity | check | handoff | what is wrong | what to do |')
        write('|---|---|---|---|---|')
        for (const finding of findings) write(row(finding, isKnown(finding)))
      }
      for (const finding of suppressed) {
        const { reason, until } = finding.suppressed
        write(`\n${finding.check} is suppressed until ${until}: ${escapeMarkdown(reason)}`)
      }
      for (const { check, handoff, reason } of notJudged)
        write(`\nNot judged: ${check} ${escapeMarkdown(handoff ?? '')}: ${escapeMarkdown(reason)}`)
    },
    end({ runs, refused, unread, baseline }) {
      write(`\n${plural(runs, 'run')} judged, ${clean} without findings.`)
      if (refused.length > 0) write(`\n${unreadLines(refused.length)}.`)
      for (const { reason } of unread) write(`\nNot judged: ${escapeMarkdown(reason)}`)
      if (baseline !== undefined)
        write(`\n${plural(baseline.known, 'known finding')} met again; ${baseline.gone} of the baseline not.`)
    },
  }
}

function row(
  { severity, check, handoff, agents, message, remedy, attribution }: Finding,
  known: boolean,
): string {
  const where = [handoff, agents.join(' → ')].filter((part) => part).join(' ')
  const said = attribution === undefined ? message : `${message} Attribution: ${attribution}.`
  const cells = [`${severity}${known ? ' (known)' : ''}`, check, where, said, remedy]
  return `| ${cells.map(escapeMarkdown).join(' | ')} |`
}
