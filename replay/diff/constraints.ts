import { constraintHash, normaliseText } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import { violationsOf } from '../constraint-check.ts'
import { firstStep, valueAt } from '../history.ts'
import type { Constraint, Handoff, Receipt, Run, Sent, Step } from '../run.ts'
import { type PayloadText, similarity } from '../text.ts'
import type { Attribution, ConstraintCrossing, ConstraintDegree } from './handoff-diff.ts'

// Below this share of common words two sentences are not taken for one rule in other words.
const REWORDED_FROM = 0.5

type Found = {
  degree: ConstraintDegree
  similarity?: number
  received?: { text?: string | undefined; path: string }
}

/** How each rule that bound the plan at the sender crossed, and, if a later call breaks it, whose doing that is. */
export function diffConstraints(
  run: Run,
  handoff: Handoff,
  sent: Sent,
  receipt: Receipt,
  texts: readonly PayloadText[],
): ConstraintCrossing[] {
  return [...run.constraints.values()].flatMap((constraint) => {
    const known = knownAt(constraint, handoff, sent.step)
    if (!known && !declaredLater(constraint, sent.step)) return []
    if (!bindsReceiver(constraint, handoff)) return []
    const found = known ? findConstraint(constraint, receipt, texts) : { degree: 'absent' as const }
    const violations = violationsBy(run, constraint, receipt)
    // A rule that nobody had when the task was handed over matters here only if the receiver then broke it.
    if (!known && violations.length === 0) return []
    return [
      {
        constraint,
        ...found,
        violations,
        attribution: attribute(known, found.degree, violations),
        evidence: [
          {
            step: known ? sent.step : firstStep(constraint),
            side: 'sender' as const,
            path: `constraint ${constraint.id}`,
          },
          ...(found.received === undefined
            ? []
            : [{ step: receipt.step, side: 'receiver' as const, path: found.received.path }]),
          ...violations.map((step) => ({ step })),
        ],
      },
    ]
  })
}

function knownAt(constraint: Constraint, handoff: Handoff, step: Step): boolean {
  const version = valueAt(constraint, step)
  if (!version?.active) return false
  // A rule that another agent keeps for itself is not in the sender's state.
  const { agent } = version.event
  return agent === undefined || agent === handoff.from || constraint.scope === 'run'
}

function declaredLater(constraint: Constraint, step: Step): boolean {
  return firstStep(constraint) > step
}

/** A scope that names one agent binds nobody else. */
function bindsReceiver(constraint: Constraint, handoff: Handoff): boolean {
  const scope = isObject(constraint.scope) ? textOf(constraint.scope.agent) : textOf(constraint.scope)
  if (scope === undefined) return true
  const receiver = handoff.receipts[0]?.by ?? handoff.to
  const namesAnAgent = isObject(constraint.scope) || scope === handoff.from
  return !namesAnAgent || scope === receiver
}

function attribute(known: boolean, degree: ConstraintDegree, violations: readonly Step[]): Attribution {
  if (!known) return 'not in state'
  if (degree === 'absent') return 'dropped at the handoff'
  return violations.length > 0 ? 'carried, not followed' : 'carried'
}

function violationsBy(run: Run, constraint: Constraint, receipt: Receipt): Step[] {
  return (violationsOf(run, constraint.check) ?? [])
    .filter(({ operation, step }) => step > receipt.step && operation.agent === receipt.by)
    .map(({ step }) => step)
}

function findConstraint(constraint: Constraint, receipt: Receipt, texts: readonly PayloadText[]): Found {
  return (
    inRecord(constraint, receipt) ??
    inItem(constraint, receipt) ??
    inWords(constraint, texts) ?? { degree: 'absent' }
  )
}

function inRecord(constraint: Constraint, receipt: Receipt): Found | undefined {
  const entries = receipt.record?.constraints ?? []
  const same = entries.find(
    (entry) =>
      entry.hash === constraint.hash ||
      constraintHash({ text: entry.text, check: entry.check }) === constraint.hash ||
      (entry.text !== undefined && normaliseText(entry.text) === normaliseText(constraint.text)) ||
      (entry.id === constraint.id && entry.text === undefined),
  )
  if (same !== undefined) return { degree: 'same', received: { text: same.text, path: same.path } }
  const byId = entries.find((entry) => entry.id === constraint.id)
  if (byId !== undefined) {
    const share = similarity(byId.text ?? '', constraint.text)
    return { degree: 'reworded', similarity: share, received: { text: byId.text, path: byId.path } }
  }
  return closest(
    constraint,
    entries.map((entry) => ({ text: entry.text ?? '', path: entry.path })),
  )
}

/** An item made for the rule: it names the rule's id. */
function inItem(constraint: Constraint, receipt: Receipt): Found | undefined {
  const item = receipt.items?.find(
    ({ type, raw }) => type === 'constraint' && isObject(raw) && (raw.constraint ?? raw.id) === constraint.id,
  )
  if (item === undefined) return undefined
  const received = { text: item.text, path: item.path }
  if (
    item.text === '' ||
    constraint.text === '' ||
    normaliseText(item.text).includes(normaliseText(constraint.text))
  ) {
    return { degree: 'same', received }
  }
  return { degree: 'reworded', similarity: similarity(item.text, constraint.text), received }
}

function inWords(constraint: Constraint, texts: readonly PayloadText[]): Found | undefined {
  const wanted = normaliseText(constraint.text)
  if (wanted === '') return undefined
  const verbatim = texts.find(({ text }) => normaliseText(text).includes(wanted))
  if (verbatim !== undefined)
    return { degree: 'in words only', received: { text: verbatim.text, path: verbatim.path } }
  const sentences = texts.flatMap(({ text, path }) =>
    text.split(/(?<=[.!?;。！？])\s+|\n/u).map((sentence) => ({ text: sentence, path })),
  )
  return closest(constraint, sentences)
}

function closest(
  constraint: Constraint,
  candidates: readonly { text: string; path: string }[],
): Found | undefined {
  let best: Found | undefined
  for (const received of candidates) {
    const share = similarity(received.text, constraint.text)
    if (share >= REWORDED_FROM && share > (best?.similarity ?? 0))
      best = { degree: 'reworded', similarity: share, received }
  }
  return best
}
