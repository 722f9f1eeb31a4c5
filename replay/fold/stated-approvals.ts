import { canonicalJson } from '../../model/hash.ts'
import { fromJsonText, isObject, textOf } from '../../model/json.ts'
import { Remembered } from '../remembered.ts'
import type { Approval, ApprovalVersion, Receipt, Sent } from '../run.ts'
import { readApprovalState } from './approval-state.ts'

/** An approval as one side of a handoff names it, in its record or among its items. */
export type StatedApproval = {
  /** The approval's id; undefined where an item only says what it is for. */
  id?: string | undefined
  for?: string | undefined
  scope?: unknown
  action?: string | undefined
  state?: string | undefined
  path: string
}

// A payload is asked for by every approval of the run; its sides do not change.
const known = new Remembered<Sent | Receipt, StatedApproval[]>()

/** Every approval that a side names, the record first. */
export function statedApprovals(side: Sent | Receipt): readonly StatedApproval[] {
  let stated = known.get(side)
  if (stated === undefined) {
    stated = readStated(side)
    known.set(side, stated)
  }
  return stated
}

function readStated(side: Sent | Receipt): StatedApproval[] {
  const inRecord = (side.record?.pendingActions ?? []).map((entry) => ({
    ...entry,
    state: entry.state && readApprovalState(entry.state),
  }))
  return [
    ...inRecord,
    ...(side.items ?? []).flatMap(
      ({ part, raw, type, id, path }) => statedBy(part ?? raw, type, id, path) ?? [],
    ),
  ]
}

function statedBy(
  raw: unknown,
  type: string,
  id: string | undefined,
  path: string,
): StatedApproval | undefined {
  if (!isObject(raw)) return undefined
  const within = isObject(raw.approval) ? raw.approval : {}
  const named = idIn(raw) ?? textOf(within.id)
  // Another item, such as the call that waits, may name the approval as well; its own id and state are not the approval's.
  if (!/approval|interrupt|confirmation/iu.test(type)) {
    const state = answerIn(within)
    return named === undefined ? undefined : { id: named, ...(state !== undefined && { state }), path }
  }
  const state = textOf(raw.state) ?? textOf(raw.decision) ?? textOf(raw.status) ?? answerIn(raw)
  return {
    id: named ?? (raw.for === undefined ? (id ?? textOf(raw.id)) : undefined),
    for: textOf(raw.for) ?? textOf(raw.op),
    scope: raw.scope,
    action: textOf(raw.action),
    state: state && readApprovalState(state),
    path,
  }
}

// As the plain form, AI SDK and hosted MCP tools write it.
const ID_FIELDS = ['approval', 'approval_id', 'approvalId', 'approval_request_id']

function idIn(raw: Record<string, unknown>): string | undefined {
  for (const field of ID_FIELDS) {
    const id = textOf(raw[field])
    if (id !== undefined) return id
  }
  return undefined
}

/** Most kits write an answer as true or false. */
function answerIn({ approved, approve }: Record<string, unknown>): string | undefined {
  const answer = approved ?? approve
  return typeof answer === 'boolean' ? (answer ? 'approved' : 'rejected') : undefined
}

/** Not the id, but for the same operation, or the same action with the same scope. */
export function isSameMatter(
  stated: Omit<StatedApproval, 'path'>,
  approval: Pick<Approval, 'for'>,
  version: Pick<ApprovalVersion, 'action' | 'scope'>,
): boolean {
  if (stated.for !== undefined && approval.for !== undefined) return stated.for === approval.for
  return (
    stated.action !== undefined &&
    stated.action === version.action &&
    canonicalJson(fromJsonText(stated.scope) ?? null) === canonicalJson(version.scope ?? null)
  )
}
