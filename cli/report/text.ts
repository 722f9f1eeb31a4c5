import { escapeText } from '../../model/escape.ts'
import { suppressedWords } from '../../report/accepted.ts'
import { outputWidth } from '../output.ts'
import { countBySeverity, findingText } from '../render/finding-text.ts'
import type { Source } from '../render/pasted.ts'
import type { JudgedRun, ReportFormat } from './report.ts'

/** For a person at a terminal. `source` is what the command line calls the run; it leads to its diff if there is only one. */
export function textReport(source: Source | undefined): ReportFormat {
  return (write) => {
    let first: JudgedRun | undefined
    let count = 0
    return {
      add(run) {
        count++
        if (count === 1) first = run
        else {
          if (first !== undefined) writeRun(first, undefined, write)
          first = undefined
          writeRun(run, undefined, write)
        }
      },
      end() {
        if (first !== undefined) writeRun(first, source, write)
      },
    }
  }
}

function writeRun(
  { analysis: { run, findings, notJudged }, suppressed, isKnown }: JudgedRun,
  source: Source | undefined,
  write: (line: string) => void,
): void {
  const shown = findings.filter((finding) => !isKnown(finding))
  const aside = [
    ...(shown.length === findings.length ? [] : [`${findings.length - shown.length} in the baseline`]),
    ...(suppressed.length === 0 ? [] : [`${suppressed.length} suppressed`]),
  ].map((words) => ` (${words})`)
  write(`run ${escapeText(run.id)}: ${countBySeverity(shown)}${aside.join('')}`)
  for (const finding of shown) write(findingText(finding, outputWidth(), source))
  for (const words of suppressedWords(suppressed)) write(escapeText(words))
  for (const { check, handoff, reason } of notJudged) {
    write(escapeText(`not judged: ${check}${handoff === undefined ? '' : ` ${handoff}`}: ${reason}`))
  }
}
