import { commandWords } from '../../model/command-words.ts'
import { plural } from '../../model/counts.ts'
import { escapeText } from '../../model/escape.ts'
import type { Finding } from '../../replay/finding.ts'
import { severityColour } from './colours.ts'
import { wrapLines } from './columns.ts'
import { pasted, type Source } from './pasted.ts'

/** What a finding's text is made from: the finding itself, or its row in the store. */
export type ShownFinding = Pick<Finding, 'check' | 'severity' | 'run' | 'message' | 'remedy'> & {
  handoff?: string | undefined | null
  agents: readonly string[]
  attribution?: string | undefined | null
}

/**
 * A finding as text: what is wrong, what it rests on, what it allows, what to do. With `source` the command that shows the
 * handoff is added, in one line, to be pasted.
 */
export function findingText(finding: ShownFinding, width: number, source?: Source): string {
  const indent = ' '.repeat(9)
  const body = (text: string) =>
    wrapLines(escapeText(text), width - indent.length).map((line) => indent + line)
  const where = [finding.handoff, finding.agents.join(' → ')].filter((part) => part).join('  ')
  const head = `${finding.severity.padEnd(9)}${finding.check}${where === '' ? '' : `   ${escapeText(where)}`}`
  const attribution = finding.attribution ? body(`attribution: ${finding.attribution}`) : []
  const next =
    source !== undefined && finding.handoff
      ? [indent + pasted(commandWords('diff', [source.name, finding.handoff], []), source.dir)]
      : []
  return [
    severityColour(finding.severity)(head),
    ...body(finding.message),
    ...attribution,
    ...body(`→ ${finding.remedy}`),
    ...next,
  ].join('\n')
}

/** `2 errors, 1 warning`; `no findings` for none. */
export function countBySeverity(findings: readonly { severity: string }[]): string {
  const counts = ['error', 'warning', 'info'].flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    if (count === 0) return []
    return [plural(count, severity, severity === 'info' ? severity : `${severity}s`)]
  })
  return counts.length === 0 ? 'no findings' : counts.join(', ')
}
