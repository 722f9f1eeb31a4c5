import { canonicalJson } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import { valueAt } from '../history.ts'
import type { Approval, ApprovalVersion, Handoff, Receipt, Run, Sent } from '../run.ts'
import type { ApprovalCrossing, ApprovalVerdict } from './handoff-diff.ts'

type Found = {
  id?: string | undefined
  for?: string | undefined
  scope?: unknown
  action?: string | undefined
  state?: string | undefined
  path: string
}

/**
 * The approvals that concern either side at the moment of sending: pending ones, and refusals, which have to come back
 * with whoever asked. An approval that was granted has done its work and need not cross.
 */
export function diffApprovals(run: Run, handoff: Handoff, sent: Sent, receipt: Receipt): ApprovalCrossing[] {
  const received = receivedApprovals(receipt)
  return [...run.approvals.values()].flatMap((approval) => {
    const version = valueAt(approval, sent.step)
    if (version === undefined || !concerns(version, handoff)) return []
    if (version.state !== 'pending' && version.state !== 'rejected') return []
    return [compare(approval, version, received, sent, receipt)]
  })
}

function concerns({ agent }: ApprovalVersion, handoff: Handoff): boolean {
  return agent === undefined || agent === handoff.from || agent === (handoff.receipts[0]?.by ?? handoff.to)
}

function compare(
  approval: Approval,
  version: ApprovalVersion,
  received: readonly Found[],
  sent: Sent,
  receipt: Receipt,
): ApprovalCrossing {
  const byId = received.find((found) => found.id === approval.id)
  const found = byId ?? received.find((other) => sameMatter(other, approval, version))
  return {
    approval,
    version,
    verdict: verdictOf(version, found, byId !== undefined),
    received: found,
    evidence: [
      { step: sent.step, side: 'sender', path: `approval ${approval.id}` },
      ...(found === undefined ? [] : [{ step: receipt.step, side: 'receiver' as const, path: found.path }]),
    ],
  }
}

function verdictOf(version: ApprovalVersion, found: Found | undefined, sameId: boolean): ApprovalVerdict {
  if (found === undefined) return version.state === 'pending' ? 'absent' : 'decision not delivered'
  if (version.state === 'rejected' && found.state !== undefined && found.state !== 'rejected')
    return 'decision not delivered'
  if (!sameId) return 'id changed'
  const scoped = found.scope !== undefined && version.scope !== undefined
  if (scoped && canonicalJson(found.scope) !== canonicalJson(version.scope)) return 'scope changed'
  const otherAction =
    found.action !== undefined && version.action !== undefined && found.action !== version.action
  return otherAction ? 'scope changed' : 'same'
}

/** Not the id, but for the same operation, or the same action with the same scope. */
function sameMatter(found: Found, approval: Approval, version: ApprovalVersion): boolean {
  if (found.for !== undefined && approval.for !== undefined) return found.for === approval.for
  return (
    found.action !== undefined &&
    found.action === version.action &&
    canonicalJson(found.scope ?? null) === canonicalJson(version.scope ?? null)
  )
}

/** Approvals in the record and among the items. */
function receivedApprovals(receipt: Receipt): Found[] {
  const inRecord: Found[] = receipt.record?.pendingActions ?? []
  const inItems = (receipt.items ?? [])
    .filter((item) => item.type.includes('approval'))
    .map((item) => {
      const raw = isObject(item.raw) ? item.raw : {}
      return {
        id: textOf(raw.approval) ?? textOf(raw.approval_id) ?? item.id,
        for: textOf(raw.for),
        scope: raw.scope,
        action: textOf(raw.action),
        state: textOf(raw.state),
        path: item.path,
      }
    })
  return [...inRecord, ...inItems]
}
