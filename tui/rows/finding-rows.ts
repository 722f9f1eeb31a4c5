import { plural } from '../../model/counts.ts'
import type { Line } from '../lines.ts'
import { wrapStatement } from '../lines.ts'
import type { ListedFinding } from '../source.ts'
import type { Tone } from '../tone.ts'

export type Grouping = 'check' | 'pair'

/** A heading with the number of findings below it, or a finding. */
export type FindingRow = { heading: string; count: number; finding?: undefined } | { finding: ListedFinding }

/** Findings under their check or pair of agents; groups in the order of their first finding. */
export function findingRows(findings: readonly ListedFinding[], by: Grouping): FindingRow[] {
  const groups = new Map<string, ListedFinding[]>()
  for (const finding of findings) {
    const name = by === 'check' ? finding.check : finding.agents.join(' → ') || 'no agents'
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [finding])
    else group.push(finding)
  }
  return [...groups].flatMap(([heading, group]): FindingRow[] => [
    { heading, count: group.length },
    ...group.map((finding) => ({ finding })),
  ])
}

export function severityTone(severity: string): Tone {
  if (severity === 'error') return 'error'
  return severity === 'warning' ? 'warning' : 'faint'
}

/** A row as a line; `withRun` where findings of several runs stand together. */
export function findingLine(row: FindingRow, by: Grouping, withRun: boolean, selected: boolean): Line {
  const sign = { text: selected ? '› ' : '  ', tone: 'key' as const }
  if (row.finding === undefined) {
    return [
      sign,
      { text: row.heading, tone: 'title' },
      { text: `  ${plural(row.count, 'finding')}`, tone: 'faint' },
    ]
  }
  const { severity, check, handoff, agents, subject, message, run } = row.finding
  const name = by === 'check' ? agents.join(' → ') : check
  const where = [withRun ? run : undefined, handoff].filter((part) => part !== undefined).join(' ')
  const tone = selected ? 'selected' : undefined
  return [
    sign,
    { text: `  ${severity.padEnd(8)}`, tone: tone ?? severityTone(severity) },
    { text: [where, name, subject.id, ''].filter((part, at) => at === 3 || part !== '').join('  '), tone },
    { text: message, tone: tone ?? 'faint' },
  ]
}

/** What is wrong, what it rests on, what it allows, what to do. */
export function findingDetail(
  { check, message, attribution, remedy, evidence }: ListedFinding,
  width: number,
): Line[] {
  const body = (text: string, tone?: Tone) =>
    wrapStatement(text, width).map((part): Line => [{ text: part, tone }])
  const places = evidence
    .slice(0, 6)
    .map(({ step, side, path }) => [side, `step ${step + 1}`, path].filter(Boolean).join(' '))
  return [
    ...body(`${check}: ${message}`),
    ...(attribution === undefined ? [] : body(`attribution: ${attribution}`, 'warning')),
    ...body(`→ ${remedy}`, 'good'),
    ...body(`evidence: ${places.join(' · ')}`, 'faint'),
  ]
}
