import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Finding } from '../../replay/finding.ts'
import { approvalRows } from './approval-rows.ts'
import { constraintRows } from './constraint-rows.ts'
import { contractRows } from './contract-rows.ts'
import type { DiffRow } from './diff-row.ts'
import { itemRows } from './item-rows.ts'
import { operationRows } from './operation-rows.ts'
import { sizeRows } from './size-rows.ts'

export const TABS = ['operations', 'approvals', 'constraints', 'items', 'contract', 'sizes'] as const
export type Tab = (typeof TABS)[number]

/** The rows of a tab; `findings` are those of the run. */
export function rowsOf(tab: Tab, diff: HandoffDiff, findings: readonly Finding[]): DiffRow[] {
  switch (tab) {
    case 'operations':
      return operationRows(diff)
    case 'approvals':
      return approvalRows(diff)
    case 'constraints':
      return constraintRows(diff)
    case 'items':
      return itemRows(diff, findingsOn(tab, diff, findings))
    case 'contract':
      return contractRows(diff)
    case 'sizes':
      return sizeRows(diff)
  }
}

/** The tab that shows what a finding is about. */
export function tabOf(subjectKind: string): Tab {
  if (subjectKind === 'operation') return 'operations'
  if (['approval', 'principal', 'permission'].includes(subjectKind)) return 'approvals'
  if (['constraint', 'commitment'].includes(subjectKind)) return 'constraints'
  if (['record', 'trace', 'task', 'correlation', 'evidence'].includes(subjectKind)) return 'contract'
  return ['item', 'message'].includes(subjectKind) ? 'items' : 'operations'
}

/** The findings about a handoff that a tab shows. */
export function findingsOn(tab: Tab, { handoff }: HandoffDiff, findings: readonly Finding[]): Finding[] {
  return findings.filter(
    (finding) =>
      finding.handoff === handoff.id &&
      (finding.attempt ?? handoff.attempt) === handoff.attempt &&
      tabOf(finding.subject.kind) === tab,
  )
}

/** Where the question is: the operations, unless none was in doubt and something else crossed badly. */
export function firstTab(diff: HandoffDiff, findings: readonly Finding[]): Tab {
  if (diff.operations.some(({ inDoubt }) => inDoubt)) return 'operations'
  const bad = TABS.find((tab) => rowsOf(tab, diff, findings).some(({ mark }) => mark === '✗'))
  return bad ?? 'operations'
}
