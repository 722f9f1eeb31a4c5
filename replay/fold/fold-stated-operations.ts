import { fromJsonText, isObject } from '../../model/json.ts'
import type { RecordOperation } from '../../model/record.ts'
import type { EventOf } from '../../model/run-log.ts'
import { effectOfCall } from '../facts/effects.ts'
import type { Handoff, Operation, OperationVersion, Run } from '../run.ts'
import { readState } from './operation-state.ts'

/**
 * Not every runtime logs its calls as events. What a sender's record calls in doubt and the log does not hold by then is
 * known from there, from the moment of sending on. Folded last: an entry may name a call that the log has under another
 * id, or that only the receiver goes on to log. Entries without a tool and arguments could not be told from others.
 */
export function foldStatedOperations(run: Run): void {
  let known: Known | undefined
  for (const handoff of run.handoffs) {
    for (const listed of handoff.sent?.record?.openOperations ?? []) {
      const entry = { ...listed, args: fromJsonText(listed.args) }
      if (!isObject(entry.args) || entry.tool === undefined) continue
      const name = entry.op ?? entry.key
      if (name === undefined || !['sent', 'unknown'].includes(readState(entry.state ?? 'unknown'))) continue
      known ??= knownOf(run)
      const logged = find(run, known, entry)
      if (logged === undefined) add(run, known, handoff, name, entry)
      else if (logged.versions[0]!.step > handoff.sent!.step) begin(logged, handoff, entry)
    }
  }
}

/** `byEffect` is made when an entry is not found by its names: the records of most runs name what is logged. */
type Known = { byName: Map<string, Operation>; byEffect?: Map<string, Operation> }

function knownOf(run: Run): Known {
  const known: Known = { byName: new Map() }
  for (const operation of run.operations.values()) noteNames(known, operation)
  return known
}

function noteNames({ byName }: Known, operation: Operation): void {
  if (!byName.has(operation.op)) byName.set(operation.op, operation)
  for (const { value } of operation.versions) {
    if (value.key !== undefined && !byName.has(value.key)) byName.set(value.key, operation)
  }
}

function effectsOf(run: Run, known: Known): Map<string, Operation> {
  if (known.byEffect !== undefined) return known.byEffect
  const byEffect = new Map<string, Operation>()
  for (const operation of run.operations.values()) noteEffect(byEffect, operation)
  known.byEffect = byEffect
  return byEffect
}

function noteEffect(byEffect: Map<string, Operation>, operation: Operation): void {
  const effect = effectOfCall(operation.tool, operation.args, operation.key)
  if (!byEffect.has(effect)) byEffect.set(effect, operation)
}

/** By key or id; one that has neither in common but the same effect is the same call, unless it went out under another key. */
function find(run: Run, known: Known, { op, key, tool, args }: RecordOperation): Operation | undefined {
  const isOther = (found: Operation) => found.key !== undefined && key !== undefined && found.key !== key
  const byKey = key === undefined ? undefined : known.byName.get(key)
  if (byKey !== undefined) return byKey
  // Two processes may number their calls alike.
  const byOp = op === undefined ? undefined : known.byName.get(op)
  if (byOp !== undefined && (!isOther(byOp) || byOp.tool === tool)) return byOp
  const alike = effectsOf(run, known).get(effectOfCall(tool!, args, key))
  return alike === undefined || isOther(alike) ? undefined : alike
}

function add(run: Run, known: Known, handoff: Handoff, name: string, entry: RecordOperation): void {
  const value = versionOf(run.id, handoff, name, entry)
  let id = name
  while (run.operations.has(id)) id += '#'
  const operation: Operation = {
    ...{ id, op: name, tool: entry.tool!, effect: 'write', effectAssumed: false, key: entry.key },
    ...{ args: entry.args, agent: handoff.from, sensitive: [] },
    versions: [{ step: handoff.sent!.step, value }],
  }
  run.operations.set(id, operation)
  noteNames(known, operation)
  noteEffect(effectsOf(run, known), operation)
}

/** The receiver logged the call that the sender had begun. */
function begin(operation: Operation, handoff: Handoff, entry: RecordOperation): void {
  const value = versionOf(operation.versions[0]!.value.event.run, handoff, operation.op, entry)
  operation.versions.unshift({ step: handoff.sent!.step, value })
  operation.agent = handoff.from ?? operation.agent
}

function versionOf(run: string, handoff: Handoff, op: string, entry: RecordOperation): OperationVersion {
  const { tool, args, key } = entry
  const state = readState(entry.state ?? 'unknown')
  const event: EventOf<'operation'> = {
    ...{ run, kind: 'operation', agent: handoff.from, at: handoff.sent!.event.at, stated: true },
    ...{ op, tool, args, key, state, effect: 'write' },
  }
  return { state, agent: handoff.from, key, args, attempt: 1, event }
}
