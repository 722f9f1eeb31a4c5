import { isObject, listOf, textOf } from '../../model/json.ts'
import type { HandoffRecord } from '../../model/record.ts'
import { type Numbered, namesakesOf } from '../facts/namesakes.ts'
import { entryPath, namesOf } from '../facts/record-index.ts'
import { readState } from '../fold/operation-state.ts'
import { valueAt } from '../history.ts'
import type { Handoff, Operation, OperationState, Receipt, Run, Sent, Step } from '../run.ts'
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
  /** Where it stands: the path of an item, or the list of a record with the place in it. */
  field: string
  index?: number | undefined
}

/** Compares what the receiver's record and items say of each operation with the log and with the record as it was sent. */
export function changedEntries(run: Run, { handoff, sent, receipt }: HandoffDiff): ChangedEntry[] {
  if (sent === undefined || receipt === undefined) return []
  const changed = new Map<string, ChangedEntry>()
  let asSent: Claim[] | undefined
  const judge = (claim: Claim) => {
    const operation = operationOf(run, claim, sent.step)
    const known =
      operation === undefined ? undefined : contradicted(operation, claim, handoff.from, sent, receipt.step)
    if (operation !== undefined && known === undefined) return
    const name = operation?.op ?? claim.op ?? claim.key!
    // The log is the truth; without an entry there, the record that was sent is what is known.
    if (operation === undefined) asSent ??= claimsOf(sent.record)
    const stated = operation === undefined ? asSent!.find((other) => sameOperation(other, claim)) : undefined
    const before = operation === undefined ? stated && differing(stated.state, claim.state) : known?.state
    if (before === undefined || changed.has(name)) return
    changed.set(name, {
      name,
      trait: operation?.tool || claim.tool || name,
      known: before,
      claimed: readState(claim.state),
      evidence: [
        known === undefined
          ? { step: sent.step, side: 'sender', path: pathOf(stated!) }
          : { step: known.step, side: 'sender', path: `operation ${operation!.op}` },
        { step: receipt.step, side: 'receiver', path: pathOf(claim) },
      ],
    })
  }
  eachClaim(receipt.record, judge)
  for (const claim of itemClaims(receipt.items ?? [])) judge(claim)
  return [...changed.values(), ...changedStatus(sent, receipt, handoff)]
}

/** The outcome of the whole task, where both sides say it in one word. */
function changedStatus(sent: Sent, receipt: Receipt, { mode, from }: Handoff): ChangedEntry[] {
  if (mode !== 'return') return []
  const [known, claimed] = [outcomeIn(sent), outcomeIn(receipt)]
  if (known === undefined || claimed === undefined || known.state === claimed.state) return []
  return [
    {
      name: `the task of ${from ?? 'the sender'}`,
      trait: 'task',
      known: known.state,
      claimed: claimed.state,
      evidence: [
        { step: sent.step, side: 'sender', path: known.path },
        { step: receipt.step, side: 'receiver', path: claimed.path },
      ],
    },
  ]
}

function outcomeIn({ event, record }: Sent | Receipt): { state: OperationState; path: string } | undefined {
  const places = [
    { value: record?.raw.status, path: 'record.status' },
    { value: record?.raw.outcome, path: 'record.outcome' },
    { value: event.status, path: 'status' },
    { value: event.outcome, path: 'outcome' },
  ]
  for (const { value, path } of places) {
    const word = textOf(value) ?? (isObject(value) ? textOf(value.state) : undefined)
    const state = word === undefined ? undefined : readState(word)
    if (state === 'settled' || state === 'failed') return { state, path }
  }
  return undefined
}

/** Every state that a record gives to an operation, in its order. */
function eachClaim(record: HandoffRecord | undefined, take: (claim: Claim) => void): void {
  if (record === undefined) return
  const claimEach = (field: string, implied?: string) => {
    listOf(record.raw[field]).forEach((entry, index) => {
      const { key, op } = namesOf(entry)
      const state = (isObject(entry) ? textOf(entry.state) : undefined) ?? implied
      if (state === undefined || (op ?? key) === undefined) return
      take({ op, key, tool: isObject(entry) ? textOf(entry.tool) : undefined, state, field, index })
    })
  }
  claimEach('open_operations')
  // What stands among the completed effects is called settled, unless it says otherwise itself.
  claimEach('completed_effects', 'settled')
}

function claimsOf(record: HandoffRecord | undefined): Claim[] {
  const claims: Claim[] = []
  eachClaim(record, (claim) => claims.push(claim))
  return claims
}

function pathOf({ field, index }: Claim): string {
  return index === undefined ? field : entryPath(field, index)
}

/** Items in handspan's own form may state an operation and its state. */
function itemClaims(
  items: readonly { raw: unknown; path: string; op?: string | undefined; type: string }[],
): Claim[] {
  return items.flatMap(({ raw, path, op, type }) => {
    const state = isObject(raw) ? textOf(raw.state) : undefined
    return op === undefined || state === undefined || type.includes('approval')
      ? []
      : [{ op, state, field: path }]
  })
}

function sameOperation(a: Claim, b: Claim): boolean {
  return a.key !== undefined && b.key !== undefined ? a.key === b.key : a.op !== undefined && a.op === b.op
}

/** The operation of the log that a claim is about, if the log knew it by then. */
function operationOf(run: Run, claim: Claim, step: Step): Operation | undefined {
  const { op, key } = claim
  const named = op === undefined ? undefined : run.operations.get(op)
  if (named !== undefined && isAbout(claim, named, step)) return named
  const others = [key, op].flatMap((name) => (name === undefined ? [] : namesakesOf(run, name)))
  return others
    .filter(({ operation }) => isAbout(claim, operation, step))
    .reduce<Numbered | undefined>((a, b) => (a !== undefined && a.number < b.number ? a : b), undefined)
    ?.operation
}

function isAbout({ op, key, tool }: Claim, operation: Operation, step: Step): boolean {
  const version = valueAt(operation, step)
  if (version === undefined) return false
  if (key !== undefined && version.key !== undefined) return key === version.key
  return op === operation.op && (tool === undefined || tool === operation.tool)
}

/** The version that the claim contradicts; undefined if the log agrees with it at some point that the sender could know. */
function contradicted(
  operation: Operation,
  { state }: Claim,
  from: string | undefined,
  sent: Sent,
  received: Step,
): { state: OperationState; step: Step } | undefined {
  const claimed = stateClass(state)
  if (stateClass(valueAt(operation, sent.step)!.state) === claimed) return undefined
  const before = operation.versions.filter(({ step }) => step <= sent.step)
  const current = before.at(-1)!
  // It may settle while the handoff travels, and a sender need not know what another agent has logged meanwhile.
  const possible = [
    ...operation.versions.filter(({ step }) => step > sent.step && step <= received),
    // What another process wrote may have happened before, whatever its clock says.
    ...(current.value.agent === from ? [] : [...before, ...otherWriters(operation, sent)]),
  ]
  if (possible.some(({ value }) => stateClass(value.state) === claimed)) return undefined
  return { state: current.value.state, step: current.step }
}

function otherWriters({ versions }: Operation, sent: Sent): Operation['versions'] {
  return versions.filter(({ value }) => value.event.writer !== sent.event.writer)
}

function differing(known: string, claimed: string): OperationState | undefined {
  return stateClass(known) === stateClass(claimed) ? undefined : readState(known)
}
