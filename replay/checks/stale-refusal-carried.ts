import { canonicalJson } from '../../model/hash.ts'
import { isObject, listOf, textOf } from '../../model/json.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { isKnownToBeLifted } from '../facts/known-lifted.ts'
import { type LiftedDenial, liftedDenials } from '../facts/lifted-denials.ts'
import { recordIndex } from '../facts/record-index.ts'
import { refusalsIn, refuses } from '../facts/tool-refusals.ts'
import type { Draft } from '../finding.ts'
import { isGiven, readApprovalState } from '../fold/approval-state.ts'
import { valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import { aboutHandoff, bothSides, receiverOf } from '../phrase.ts'
import type { Approval, Run, Step } from '../run.ts'

export const staleRefusalCarried: Check = {
  id: 'stale-refusal-carried',
  severity: 'warning',
  title: 'A refusal that no longer holds is carried on',
  question: 'Does the receiver hold back from something that is allowed by now?',
  definition:
    'Raised when the payload still holds a refusal (a rejected approval among the items or the pending actions, an entry of ' +
    '`rejected` in the record, a constraint) that was overturned before the handoff: the approval was given later, also ' +
    'under another id for the same action and scope, the constraint was revoked, or the tool that an item refuses (or a call that was denied, or an ' +
    'entry of `rejected`, in words of a ban or of the rule) is no longer denied or forbidden, or allowed to the receiver. Not ' +
    'raised where the later decision crossed as well, in words or with what was done since.',
  judgesByWords: true,
  check({ run, diffs }) {
    return {
      findings: diffs.flatMap((diff) => {
        if (diff.receipt === undefined) return []
        const step = diff.sent?.step ?? diff.receipt.step
        return [
          ...refusals(run, diff, step),
          ...revokedRules(run, diff, step),
          ...deniedTools(run, diff, step),
        ]
      }),
    }
  },
}

type Entry = {
  path: string
  id?: string | undefined
  for?: string | undefined
  action?: string | undefined
  state?: string | undefined
}

function refusals(run: Run, diff: HandoffDiff, step: Step): Draft[] {
  const overturned = refusedApprovals(run).flatMap(({ approval, refused }) => {
    const given = overturnedAt(run, approval, refused, step)
    return given === undefined ? [] : [{ approval, ...given }]
  })
  if (overturned.length === 0) return []
  const entries = carriedEntries(diff)
  return overturned.flatMap(({ approval, by, given }) => {
    const about = entries.filter((entry) => isAbout(entry, approval))
    const stale = about.find(({ state }) => readApprovalState(state ?? '') === 'rejected')
    const isCorrected =
      [...about, ...entries.filter(({ id }) => id === by.id)].some(({ state }) =>
        isGiven(readApprovalState(state ?? '')),
      ) || resultCrossed(run, diff, approval, step)
    if (stale === undefined || isCorrected) return []
    const action = approval.versions.at(-1)!.value.action ?? approval.id
    return [
      draft(
        diff,
        approval.id,
        `the refusal of ${action}`,
        'it was approved since',
        stale.path,
        given,
        action,
      ),
    ]
  })
}

/** The approvals that were refused, and when first. Every handoff asks. */
const refusedApprovals = oncePerRun((run) =>
  [...run.approvals.values()].flatMap((approval) => {
    const refused = approval.versions.find(({ value }) => readApprovalState(value.state) === 'rejected')
    return refused === undefined ? [] : [{ approval, refused: refused.step }]
  }),
)

/** The approval by which a refused action was allowed after all by then, and the step of it. */
function overturnedAt(
  run: Run,
  approval: Approval,
  refused: Step,
  step: Step,
): { by: Approval; given: Step } | undefined {
  if (refused > step) return undefined
  for (const other of run.approvals.values()) {
    if (other !== approval && !sameMatter(other, approval)) continue
    const given = other.versions.find(
      (version) => version.step > refused && isGiven(readApprovalState(version.value.state)),
    )
    const state = readApprovalState(valueAt(other, step)?.state ?? '')
    if (given !== undefined && given.step <= step && isGiven(state)) return { by: other, given: given.step }
  }
  return undefined
}

function sameMatter(a: Approval, b: Approval): boolean {
  if (a.for !== undefined && a.for === b.for) return true
  const [left, right] = [a.versions[0]!.value, b.versions[0]!.value]
  return (
    left.action !== undefined &&
    left.action === right.action &&
    canonicalJson(left.scope ?? null) === canonicalJson(right.scope ?? null)
  )
}

/** What the payload says of decisions: approval and refusal items, pending actions and rejected paths of the record. */
function carriedEntries({ receipt }: HandoffDiff): Entry[] {
  const items = (receipt!.items ?? []).flatMap(({ type, raw, path, id }) => {
    if (!/approval|refusal|rejection|denial/iu.test(type) || !isObject(raw)) return []
    const state = textOf(raw.state) ?? (/approval/iu.test(type) ? undefined : 'rejected')
    return [
      {
        path,
        id: textOf(raw.approval) ?? textOf(raw.approval_id) ?? id,
        for: textOf(raw.for),
        action: textOf(raw.action) ?? textOf(raw.tool),
        state,
      },
    ]
  })
  const rejected = listOf(receipt!.record?.raw.rejected).map((entry, index) => {
    const fields = isObject(entry) ? entry : { action: entry }
    return {
      path: `record.rejected[${index}]`,
      id: textOf(fields.id) ?? textOf(fields.approval),
      for: textOf(fields.for) ?? textOf(fields.op),
      action: textOf(fields.action) ?? textOf(fields.tool),
      state: 'rejected',
    }
  })
  return [...items, ...(receipt!.record?.pendingActions ?? []), ...rejected]
}

function isAbout(entry: Entry, approval: Approval): boolean {
  if (entry.id !== undefined && entry.id === approval.id) return true
  if (entry.for !== undefined) return entry.for === approval.for
  return (
    entry.id === undefined &&
    entry.action !== undefined &&
    entry.action === approval.versions.at(-1)!.value.action
  )
}

/** The approved action ran and its result crossed. The result of a call that never ran is the refusal itself. */
function resultCrossed(run: Run, { receipt }: HandoffDiff, approval: Approval, step: Step): boolean {
  if (approval.for === undefined) return false
  const operation = run.operations.get(approval.for)
  if (operation !== undefined && valueAt(operation, step)?.state === 'proposed') return false
  return (
    (receipt!.items ?? []).some(({ type, op }) => type === 'tool_result' && op === approval.for) ||
    (receipt!.record !== undefined && recordIndex(receipt!.record, 'completed_effects').hasOp(approval.for))
  )
}

function revokedRules(run: Run, diff: HandoffDiff, step: Step): Draft[] {
  const carried = [
    ...(diff.receipt!.record?.constraints ?? []),
    ...(diff.receipt!.items ?? []).flatMap(({ type, raw, text, path }) =>
      type === 'constraint' && isObject(raw) && raw.state !== 'revoked'
        ? [{ id: textOf(raw.constraint) ?? textOf(raw.id), text, path }]
        : [],
    ),
  ]
  if (carried.length === 0) return []
  const texts = new Set(
    [...run.constraints.values()].filter((rule) => valueAt(rule, step)?.active).map(({ text }) => text),
  )
  return [...run.constraints.values()].flatMap((rule) => {
    // The same text may stand again as a rule that holds.
    if (valueAt(rule, step)?.active !== false || texts.has(rule.text)) return []
    const stale = carried.find(
      ({ id, text }) => id === rule.id || (text !== undefined && text !== '' && text === rule.text),
    )
    if (stale === undefined) return []
    const revoked = rule.versions.find((version) => !version.value.active)!.step
    return [
      draft(diff, rule.id, `the rule "${rule.text}"`, 'it was revoked since', stale.path, revoked, rule.hash),
    ]
  })
}

/** Words and entries that refuse a tool which was denied when they were written and is not any more. */
function deniedTools(run: Run, diff: HandoffDiff, step: Step): Draft[] {
  const refusing = refusalsIn(diff.receipt!)
  if (refusing.length === 0) return []
  const lifted = liftedDenials(run, step).filter((denial) => !isDeniedAtReceiver(run, diff, denial))
  const stale = [...lifted, ...liftedAtReceiver(run, diff, step)].flatMap((denial) => {
    const refusal = refusing.find((one) => refuses(one, denial))
    return refusal === undefined || isKnownToBeLifted(run, diff.receipt!, denial) ? [] : [{ refusal, denial }]
  })
  const byTool = new Map(stale.map((one) => [one.denial.tool, one]))
  return [...byTool].map(([tool, { refusal, denial }]) =>
    draft(
      diff,
      refusal.id,
      `the refusal of ${tool}`,
      'it is allowed since',
      refusal.path,
      denial.lifted,
      tool,
    ),
  )
}

function isDeniedAtReceiver(run: Run, { receipt }: HandoffDiff, { tool }: LiftedDenial): boolean {
  const { by, step, event } = receipt!
  const agent = by === undefined ? undefined : run.agents.get(by)
  const rules = [event.permissions, agent && valueAt(agent, step)]
  return rules.some((own) => own?.deny?.includes(tool))
}

/** What the sender was denied and the receiver expressly may: whatever refused it before does not bind the receiver. */
function liftedAtReceiver(run: Run, { handoff, receipt }: HandoffDiff, step: Step): LiftedDenial[] {
  const sender = handoff.from === undefined ? undefined : run.agents.get(handoff.from)
  const denied = (sender && valueAt(sender, step)?.deny) ?? []
  const { permissions } = receipt!.event
  const may = (tool: string) =>
    permissions?.allow?.includes(tool) ||
    (receipt!.tools?.includes(tool) && !permissions?.deny?.includes(tool))
  return denied.filter(may).map((tool) => ({ tool, lifted: receipt!.step, values: [] }))
}

function draft(
  diff: HandoffDiff,
  id: string,
  what: string,
  why: string,
  path: string,
  step: Step,
  trait: string,
): Draft {
  return {
    ...aboutHandoff(diff.handoff),
    subject: { kind: 'item', id },
    message:
      `${receiverOf(diff.handoff)} still got ${what} (${path}), although ${why}. ` +
      'It will hold back from what is allowed, or ask once more.',
    evidence: [
      { step },
      { step: diff.receipt!.step, path, side: 'receiver' },
      ...bothSides(diff).slice(0, 1),
    ],
    remedy: 'Carry the latest decision only, or both with their order.',
    trait,
  }
}
