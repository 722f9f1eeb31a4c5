import { canonicalJson } from '../../model/hash.ts'
import type { Principal } from '../../model/principal.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { DiffRow } from './diff-row.ts'

/** What waits for a person's yes, whose task it is, and what the receiver may do. */
export function approvalRows(diff: HandoffDiff): DiffRow[] {
  return [...approvals(diff), ...origin(diff), ...permissions(diff)]
}

function approvals(diff: HandoffDiff): DiffRow[] {
  return diff.approvals.map(({ approval, version, verdict, received, holder }) => {
    const scope = version.scope === undefined ? [] : [`  ${canonicalJson(version.scope).slice(0, 400)}`]
    return {
      id: approval.id,
      subject: approval.id,
      left: [`${approval.id} ${version.action ?? ''}  ${version.state}`, ...scope],
      mark: verdict === 'same' ? '✓' : '✗',
      verdict,
      right:
        received === undefined
          ? ['nothing']
          : [
              `${received.id ?? 'no id'} ${received.action ?? ''}  ${received.state ?? ''}`,
              ...(received.scope === undefined ? [] : [`  ${canonicalJson(received.scope).slice(0, 400)}`]),
              `  ${received.path}`,
            ],
      rests: received === undefined ? [] : [received.path],
      detail: [
        { text: `approval ${approval.id}: ${verdict}`, tone: verdict === 'same' ? 'good' : 'error' },
        ...(holder === 'receiver' ? [{ text: 'the receiver had asked for it before' }] : []),
      ],
      value: approval.versions.map(({ value }) => value.event),
    }
  })
}

function origin({ origin: { verdict, sent, received, escalations }, handoff }: HandoffDiff): DiffRow[] {
  const rows: DiffRow[] = escalations.map(({ item, why }) => ({
    id: item.path,
    subject: item.id ?? item.path,
    left: ['authority of an item'],
    mark: '✗',
    verdict: 'claimed',
    right: [`${item.path} ${why}`],
    rests: [item.path],
    detail: [{ text: `${item.path} ${why}`, tone: 'error' }],
    value: item.raw,
  }))
  if (sent === undefined && received === undefined) return rows
  const fine = verdict === 'same' || verdict === 'not judged'
  return [
    {
      id: 'origin',
      subject: sent?.id ?? sent?.kind ?? 'principal',
      left: [`origin ${nameOf(sent)}`],
      mark: verdict === 'not judged' ? '·' : fine ? '✓' : '✗',
      verdict,
      right: [nameOf(received)],
      rests: ['record.origin'],
      detail: [
        {
          text: `the task was started by ${nameOf(sent)}; ${handoff.receipts[0]?.by ?? 'the receiver'} was told: ${nameOf(received)}`,
          tone: fine ? undefined : 'error',
        },
      ],
      value: { sent, received },
    },
    ...rows,
  ]
}

function nameOf(principal: Principal | undefined): string {
  if (principal === undefined) return 'not stated'
  return [principal.kind, principal.id].filter((word) => word !== undefined).join(' ')
}

function permissions({ permissions: { sent, received, gained, lost } }: HandoffDiff): DiffRow[] {
  const row =
    (verdict: 'gained' | 'lost') =>
    (change: { tool: string; rule: string }): DiffRow => ({
      id: `${verdict} ${change.tool}`,
      subject: change.tool,
      left: [`permission ${change.tool}`],
      mark: '✗',
      verdict,
      right: [change.rule],
      rests: [],
      detail: [{ text: `the receiver ${verdict} ${change.tool}: ${change.rule}`, tone: 'error' }],
      value: { sent, received },
    })
  return [...gained.map(row('gained')), ...lost.map(row('lost'))]
}
