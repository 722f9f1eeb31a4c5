import { fromJsonText } from '../../model/json.ts'
import { latest } from '../history.ts'
import type { Run, Sent } from '../run.ts'
import { isSameMatter, type StatedApproval, statedApprovals } from './stated-approvals.ts'

/**
 * Not every runtime logs an approval as an event. One that only stands in a sender's record or items is known from there,
 * from the moment of sending on; an approval that the log knows by its own events is not repeated.
 */
export function foldStatedApprovals(run: Run, from: string | undefined, sent: Sent): void {
  for (const stated of statedApprovals(sent)) {
    if (stated.id === undefined) continue
    if (stated.state === undefined && !stated.path.startsWith('record.')) continue
    const existing = run.approvals.get(stated.id)
    if (existing !== undefined) {
      const before = latest(existing)
      const state = stated.state ?? 'pending'
      if (before.event.stated === true && before.state !== state)
        existing.versions.push({ step: sent.step, value: { ...before, state } })
    } else if (!isKnown(run, stated)) addApproval(run, from, sent, stated.id, stated)
  }
}

function isKnown(run: Run, stated: StatedApproval): boolean {
  return [...run.approvals.values()].some((approval) => isSameMatter(stated, approval, latest(approval)))
}

function addApproval(
  run: Run,
  from: string | undefined,
  sent: Sent,
  id: string,
  stated: StatedApproval,
): void {
  const { action, state = 'pending' } = stated
  const event = { run: run.id, kind: 'approval' as const, id, stated: true }
  run.approvals.set(id, {
    id,
    for: stated.for,
    versions: [
      { step: sent.step, value: { state, action, scope: fromJsonText(stated.scope), agent: from, event } },
    ],
  })
}
