import { canonicalJson } from '../../model/hash.ts'
import { fromJsonText } from '../../model/json.ts'
import { jsonString } from '../../model/json-text.ts'
import { isSameMatter, type StatedApproval, statedApprovals } from '../fold/stated-approvals.ts'
import { valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import { Remembered } from '../remembered.ts'
import type { Approval, ApprovalVersion, Handoff, Receipt, Run, Sent, Step } from '../run.ts'
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
  const named = new Map(received.flatMap((entry) => (entry.id === undefined ? [] : [[entry.id, entry]])))
  return concerned(run, handoff, named).flatMap((approval) => {
    const version = valueAt(approval, sent.step)
    const byId = named.get(approval.id)
    const waits = version !== undefined && isOpen(version)
    if (version === undefined || !(waits || byId !== undefined)) return []
    const holder = holderOf(run, approval, version, handoff, sent)
    if (holder === undefined) return []
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

function isOpen({ state }: ApprovalVersion): boolean {
  return state === 'pending' || state === 'rejected'
}

/** The approvals that were open when the handoff was sent, or that its receiver was told of, in the order of the log. */
function concerned(run: Run, handoff: Handoff, named: ReadonlyMap<string, StatedApproval>): Approval[] {
  const { open, places } = openAtHandoffs(run)
  const found = new Set(open.get(handoff))
  for (const id of named.keys()) {
    const approval = run.approvals.get(id)
    if (approval !== undefined) found.add(approval)
  }
  return [...found].sort((a, b) => places.get(a)! - places.get(b)!)
}

// A long run has many approvals behind it, and nearly all of them are done.
const openAtHandoffs = oncePerRun((run) => {
  const approvals = [...run.approvals.values()]
  const places = new Map(approvals.map((approval, place) => [approval, place]))
  const versions = approvals
    .flatMap((approval) => approval.versions.map(({ step, value }) => ({ step, value, approval })))
    .sort((a, b) => a.step - b.step)
  const handoffs = run.handoffs.filter(({ sent }) => sent !== undefined)
  handoffs.sort((a, b) => a.sent!.step - b.sent!.step)
  const open = new Map<Handoff, Approval[]>()
  const waiting = new Set<Approval>()
  let next = 0
  for (const handoff of handoffs) {
    for (; next < versions.length && versions[next]!.step <= handoff.sent!.step; next++) {
      const { value, approval } = versions[next]!
      if (isOpen(value)) waiting.add(approval)
      else waiting.delete(approval)
    }
    open.set(handoff, [...waiting])
  }
  return { open, places }
})

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
  const given = handoff.from === undefined ? undefined : givenTo(run).get(handoff.from)?.get(approval.id)
  if (given !== undefined && given < sent.step) return 'sender'
  return agent === (handoff.receipts[0]?.by ?? handoff.to) ? 'receiver' : undefined
}

/** The approvals that handoffs brought to each agent, with the step at which they first did. */
const givenTo = oncePerRun((run) => {
  const given = new Map<string, Map<string, Step>>()
  for (const receipt of run.handoffs.flatMap(({ receipts }) => receipts)) {
    for (const { id } of statedApprovals(receipt)) {
      if (id === undefined || receipt.by === undefined) continue
      const known = given.get(receipt.by) ?? new Map<string, Step>()
      given.set(receipt.by, known)
      known.set(id, Math.min(receipt.step, known.get(id) ?? receipt.step))
    }
  }
  return given
})

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
  if (scoped && canonicalJson(fromJsonText(found.scope)) !== canonicalJson(version.scope))
    return 'scope changed'
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
  const quoted = jsonString(id)
  const { record, checkpoint } = fieldTexts(receipt)
  if (record.includes(quoted)) return { id, path: 'record' }
  if (checkpoint.includes(quoted)) return { id, path: 'checkpoint' }
  const place = findValue(texts, id)
  return place === undefined ? undefined : { id, path: place.path }
}

const fields = new Remembered<Receipt, { record: string; checkpoint: string }>()

/** Record and checkpoint as text, made once for all approvals. */
function fieldTexts(receipt: Receipt): { record: string; checkpoint: string } {
  let known = fields.get(receipt)
  if (known === undefined) {
    const text = (value: unknown) => jsonString(value ?? null) ?? ''
    known = { record: text(receipt.record?.raw), checkpoint: text(receipt.event.checkpoint) }
    fields.set(receipt, known)
  }
  return known
}
