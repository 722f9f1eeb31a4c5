import { canonicalJson } from '../../model/hash.ts'
import { valueAt } from '../history.ts'
import { receivedBefore } from '../participation.ts'
import type { Approval, ApprovalVersion, Handoff, Receipt, Run, Sent } from '../run.ts'
import { isSameMatter, type StatedApproval, statedApprovals } from '../stated-approvals.ts'
import { findValue, type PayloadText } from '../text.ts'
import type { ApprovalCrossing, ApprovalVerdict } from './handoff-diff.ts'

/**
 * The approvals that concern either side at the moment of sending: pending ones, and refusals, which have to come back
 * with whoever asked. An approval that was granted has done its work and need not cross; if it is named, then as granted.
 */
export function diffApprovals(
  run: Run,
  handoff: Handoff,
  sent: Sent,
  receipt: Receipt,
  texts: readonly PayloadText[],
): ApprovalCrossing[] {
  if (run.approvals.size === 0) return []
  const received = statedApprovals(receipt)
  return [...run.approvals.values()].flatMap((approval) => {
    const version = valueAt(approval, sent.step)
    const holder = version && holderOf(run, approval, version, handoff, sent)
    if (version === undefined || holder === undefined) return []
    const byId = received.find((entry) => entry.id === approval.id)
    // An entry under the id of another approval is that other one.
    const found =
      byId ??
      received.find(
        (entry) =>
          (entry.id === undefined || !run.approvals.has(entry.id)) && isSameMatter(entry, approval, version),
      ) ??
      idSomewhere(approval.id, receipt, texts)
    const verdict = verdictOf(approval, version, found)
    return verdict === undefined ? [] : [crossing(approval, version, verdict, holder, found, sent, receipt)]
  })
}

function crossing(
  approval: Approval,
  version: ApprovalVersion,
  verdict: ApprovalVerdict,
  holder: 'sender' | 'receiver',
  received: StatedApproval | undefined,
  sent: Sent,
  receipt: Receipt,
): ApprovalCrossing {
  return {
    approval,
    version,
    verdict,
    holder,
    received,
    evidence: [
      { step: sent.step, side: 'sender', path: `approval ${approval.id}` },
      ...(received === undefined
        ? [{ step: receipt.step, side: 'receiver' as const }]
        : [{ step: receipt.step, side: 'receiver' as const, path: received.path }]),
    ],
  }
}

/** Whose approval it is: the agent that asked, or one that an earlier handoff had given it to. */
function holderOf(
  run: Run,
  approval: Approval,
  version: ApprovalVersion,
  handoff: Handoff,
  sent: Sent,
): 'sender' | 'receiver' | undefined {
  const agent = version.agent ?? (approval.for && run.operations.get(approval.for)?.agent)
  if (agent === undefined || agent === handoff.from) return 'sender'
  const { from } = handoff
  const given =
    from !== undefined &&
    receivedBefore(run, from, sent.step).some(({ receipt }) => names(receipt, approval.id))
  if (given) return 'sender'
  return agent === (handoff.receipts[0]?.by ?? handoff.to) ? 'receiver' : undefined
}

function names(receipt: Receipt, id: string): boolean {
  return statedApprovals(receipt).some((stated) => stated.id === id)
}

function verdictOf(
  approval: Approval,
  version: ApprovalVersion,
  found: StatedApproval | undefined,
): ApprovalVerdict | undefined {
  if (version.state === 'approved') {
    return found?.state === 'pending' || found?.state === 'rejected' ? 'decision not delivered' : undefined
  }
  if (version.state !== 'pending' && version.state !== 'rejected') return undefined
  if (found === undefined) return version.state === 'pending' ? 'absent' : 'decision not delivered'
  if (version.state === 'rejected' && found.state !== undefined && found.state !== 'rejected')
    return 'decision not delivered'
  if (found.id !== undefined && found.id !== approval.id) return 'id changed'
  const scoped = found.scope !== undefined && version.scope !== undefined
  if (scoped && canonicalJson(found.scope) !== canonicalJson(version.scope)) return 'scope changed'
  const otherAction =
    found.action !== undefined && version.action !== undefined && found.action !== version.action
  return otherAction ? 'scope changed' : 'same'
}

/** The id in another field of the record, in a checkpoint, or in the words. */
function idSomewhere(
  id: string,
  receipt: Receipt,
  texts: readonly PayloadText[],
): StatedApproval | undefined {
  for (const [path, value] of [
    ['record', receipt.record?.raw],
    ['checkpoint', receipt.event.checkpoint],
  ] as const) {
    if (value !== undefined && canonicalJson(value).includes(JSON.stringify(id))) return { id, path }
  }
  const place = findValue(texts, id)
  return place === undefined ? undefined : { id, path: place.path }
}
