import { isInDoubt, valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Handoff, Operation, OperationVersion, Run, Step } from '../run.ts'
import { firstIndexAfter } from '../steps.ts'
import { namesakesOf } from './namesakes.ts'

// A handoff shows at most so many calls that are done. More are no help to a reader, and a run that starts thousands of
// helpers would compare each of its calls thousands of times.
const DONE_AT_MOST = 200

/** An operation and what was known of it when a handoff was sent. */
export type Known = { operation: Operation; version: OperationVersion }

/**
 * The operations to compare at a handoff, in the order in which they began: all that are in doubt, and of those that are
 * done the latest 200 that changed since the same sender last handed over to the same receiver (what was done before, was
 * compared then). `owners` says whose log it is, undefined for everybody's; `inherited` holds keys or op ids that an
 * earlier handoff had carried to the sender.
 */
export function operationsKnownAt(
  run: Run,
  handoff: Handoff,
  step: Step,
  owners: ReadonlySet<string | undefined> | undefined,
  inherited: ReadonlySet<string>,
): Known[] {
  const { open, since, changes } = indexOf(run)
  const known = new Map<Operation, OperationVersion>()
  const note = (operation: Operation): boolean => {
    if (known.has(operation)) return false
    const version = valueAt(operation, step)
    if (version === undefined) return false
    const own = owners === undefined || version.agent === undefined || owners.has(version.agent)
    if (!own && !inherited.has(version.key ?? operation.op)) return false
    known.set(operation, version)
    return true
  }
  for (const operation of open.get(handoff) ?? []) note(operation)
  const from = since.get(handoff) ?? -1
  for (const name of inherited) {
    for (const { operation } of namesakesOf(run, name))
      if (changedWithin(operation, from, step)) note(operation)
  }
  const lists =
    owners === undefined ? [...changes.values()] : [...owners, undefined].map((owner) => changes.get(owner))
  for (const list of lists) noteLatest(list ?? [], from, step, note)
  return [...known]
    .map(([operation, version]) => ({ operation, version }))
    .sort((a, b) => a.operation.versions[0]!.step - b.operation.versions[0]!.step)
}

/** How many operations the owners (undefined: all agents) and nobody named had begun by a step. */
export function operationsBegunBy(
  run: Run,
  step: Step,
  owners: ReadonlySet<string | undefined> | undefined,
): number {
  const begun = beginnings(run)
  const lists =
    owners === undefined
      ? begun.values()
      : [...new Set([...owners, undefined])].map((owner) => begun.get(owner))
  let count = 0
  for (const list of lists) count += firstIndexAfter(list ?? [], step)
  return count
}

const beginnings = oncePerRun((run) => {
  const begun = new Map<string | undefined, { step: Step }[]>()
  for (const { agent, versions } of run.operations.values())
    listIn(begun, agent).push({ step: versions[0]!.step })
  return begun
})

type Change = { step: Step; operation: Operation; value: OperationVersion }

function noteLatest(
  changes: readonly Change[],
  from: Step,
  to: Step,
  note: (operation: Operation) => boolean,
): void {
  let done = 0
  for (let index = firstIndexAfter(changes, to) - 1; index >= 0 && done < DONE_AT_MOST; index--) {
    const { step, operation } = changes[index]!
    if (step <= from) return
    if (note(operation)) done++
  }
}

function changedWithin(operation: Operation, from: Step, to: Step): boolean {
  return operation.versions.some(({ step }) => step > from && step <= to)
}

type Index = {
  /** What was in doubt when a handoff was sent. */
  open: Map<Handoff, Operation[]>
  /** The step at which the same sender last handed over to the same receiver. */
  since: Map<Handoff, Step>
  /** By the agent that wrote the entry, in order of steps. */
  changes: Map<string | undefined, Change[]>
}

const indexOf = oncePerRun((run): Index => {
  const index: Index = { open: new Map(), since: new Map(), changes: new Map() }
  const versions = versionsInOrder(run)
  const handoffs = run.handoffs.filter(({ sent }) => sent !== undefined)
  handoffs.sort((a, b) => a.sent!.step - b.sent!.step)
  const latest = new Map<string, Step>()
  const open = new Set<Operation>()
  let next = 0
  const upTo = (step: Step) => {
    for (; next < versions.length && versions[next]!.step <= step; next++) {
      const { operation, value } = versions[next]!
      if (isInDoubt(operation, value)) open.add(operation)
      else open.delete(operation)
    }
  }
  for (const handoff of handoffs) {
    const { step } = handoff.sent!
    upTo(step)
    index.open.set(handoff, [...open])
    const pair = `${handoff.from}\u0000${handoff.to ?? handoff.receipts[0]?.by}`
    index.since.set(handoff, latest.get(pair) ?? -1)
    if (handoff.receipts.length > 0) latest.set(pair, step)
  }
  for (const version of versions) listIn(index.changes, version.value.agent).push(version)
  return index
})

/** Every entry of the operations log, in the order of its steps: the step is its place. */
function versionsInOrder(run: Run): Change[] {
  const placed = new Array<Change[] | undefined>(run.events.length)
  for (const operation of run.operations.values()) {
    for (const { step, value } of operation.versions) {
      // Only a record states several at once.
      const here = placed[step]
      if (here === undefined) placed[step] = [{ step, value, operation }]
      else here.push({ step, value, operation })
    }
  }
  return placed.flatMap((versions) => versions ?? [])
}

function listIn<K, V>(lists: Map<K, V[]>, key: K): V[] {
  let known = lists.get(key)
  if (known === undefined) {
    known = []
    lists.set(key, known)
  }
  return known
}
