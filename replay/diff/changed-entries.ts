import { isObject, textOf } from '../../model/json.ts'
import type { HandoffRecord, RecordOperation } from '../../model/record.ts'
import { readState } from '../fold/operation-state.ts'
import { valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Operation, OperationState, Run, Sent, Step } from '../run.ts'
import { stateClass } from './degree.ts'
import type { Evidence, HandoffDiff } from './handoff-diff.ts'

/** An operation whose state at the receiver is not the one that the sender's side knew. */
export type ChangedEntry = {
  name: string
  /** The tool, or the name where none is known. */
  trait: string
  known: OperationState
  claimed: OperationState
  evidence: Evidence[]
}

type Claim = {
  op?: string | undefined
  key?: string | undefined
  tool?: string | undefined
  state: string
  path: string
}

/** Compares what the receiver's record and items say of each operation with the log and with the record as it was sent. */
export function changedEntries(run: Run, { handoff, sent, receipt }: HandoffDiff): ChangedEntry[] {
  if (sent === undefined || receipt === undefined) return []
  const changed = new Map<string, ChangedEntry>()
  for (const claim of [...claimsOf(receipt.record), ...itemClaims(receipt.items ?? [])]) {
    const operation = operationOf(run, claim, sent.step)
    const name = operation?.op ?? claim.op ?? claim.key!
    const known =
      operation === undefined ? undefined : contradicted(operation, claim, handoff.from, sent, receipt.step)
    // The log is the truth; without an entry there, the record that was sent is what is known.
    const stated = operation === undefined ? stating(sent.record, claim) : undefined
    const before = operation === undefined ? stated && differing(stated.state, claim.state) : known?.state
    if (before === undefined || changed.has(name)) continue
    changed.set(name, {
      name,
      trait: operation?.tool || claim.tool || name,
      known: before,
      claimed: readState(claim.state),
      evidence: [
        known === undefined
          ? { step: sent.step, side: 'sender', path: stated!.path }
          : { step: known.step, side: 'sender', path: `operation ${operation!.op}` },
        { step: receipt.step, side: 'receiver', path: claim.path },
      ],
    })
  }
  return [...changed.values()]
}

function claimsOf(record: HandoffRecord | undefined): Claim[] {
  const claims: Claim[] = []
  const add = ({ op, key, tool, state, path }: RecordOperation, implied?: string) => {
    const claimed = state ?? implied
    if (claimed !== undefined && (op ?? key) !== undefined)
      claims.push({ op, key, tool, state: claimed, path })
  }
  for (const entry of record?.openOperations ?? []) add(entry)
  // What stands among the completed effects is called settled, unless it says otherwise itself.
  for (const entry of record?.completedEffects ?? []) add(entry, 'settled')
  return claims
}

/** What a record itself says of the operation of a claim. */
function stating(record: HandoffRecord | undefined, claim: Claim): Claim | undefined {
  return claimsOf(record).find((other) => sameOperation(other, claim))
}

/** Items in handspan's own form may state an operation and its state. */
function itemClaims(
  items: readonly { raw: unknown; path: string; op?: string | undefined; type: string }[],
): Claim[] {
  return items.flatMap(({ raw, path, op, type }) => {
    const state = isObject(raw) ? textOf(raw.state) : undefined
    return op === undefined || state === undefined || type.includes('approval') ? [] : [{ op, state, path }]
  })
}

function sameOperation(a: Claim, b: Claim): boolean {
  return a.key !== undefined && b.key !== undefined ? a.key === b.key : a.op !== undefined && a.op === b.op
}

/** The operation of the log that a claim is about, if the log knew it by then. */
function operationOf(run: Run, { op, key, tool }: Claim, step: Step): Operation | undefined {
  const fits = (operation: Operation) => {
    const version = valueAt(operation, step)
    if (version === undefined) return false
    if (key !== undefined && version.key !== undefined) return key === version.key
    return op === operation.op && (tool === undefined || tool === operation.tool)
  }
  const named = op === undefined ? undefined : run.operations.get(op)
  if (named !== undefined && fits(named)) return named
  const others = [key, op].flatMap((name) => (name === undefined ? [] : (namesakes(run).get(name) ?? [])))
  return others
    .filter(({ operation }) => fits(operation))
    .reduce<Numbered | undefined>((a, b) => (a !== undefined && a.number < b.number ? a : b), undefined)
    ?.operation
}

type Numbered = { operation: Operation; number: number }

/** The operations of a run by op id and by every key they had, numbered in their order. */
const namesakes = oncePerRun((run) => {
  const named = new Map<string, Numbered[]>()
  for (const [number, operation] of [...run.operations.values()].entries()) {
    for (const name of new Set([operation.op, ...operation.versions.map(({ value }) => value.key)])) {
      if (name === undefined) continue
      const known = named.get(name)
      if (known === undefined) named.set(name, [{ operation, number }])
      else known.push({ operation, number })
    }
  }
  return named
})

/** The version that the claim contradicts; undefined if the log agrees with it at some point that the sender could know. */
function contradicted(
  operation: Operation,
  { state }: Claim,
  from: string | undefined,
  sent: Sent,
  received: Step,
): { state: OperationState; step: Step } | undefined {
  const claimed = stateClass(state)
  const before = operation.versions.filter(({ step }) => step <= sent.step)
  const current = before.at(-1)!
  if (stateClass(current.value.state) === claimed) return undefined
  // It may settle while the handoff travels, and a sender need not know what another agent has logged meanwhile.
  const possible = [
    ...operation.versions.filter(({ step }) => step > sent.step && step <= received),
    ...(current.value.agent === from ? [] : before),
  ]
  if (possible.some(({ value }) => stateClass(value.state) === claimed)) return undefined
  return { state: current.value.state, step: current.step }
}

function differing(known: string, claimed: string): OperationState | undefined {
  return stateClass(known) === stateClass(claimed) ? undefined : readState(known)
}
