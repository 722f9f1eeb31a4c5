import { constraintHash } from '../../model/hash.ts'
import { fromJsonText, textOf } from '../../model/json.ts'
import { type EventOf, isKind } from '../../model/run-log.ts'
import { toolNames } from '../../model/tool-names.ts'
import { keyAmongArguments } from '../facts/effects.ts'
import { OperationIndex } from '../facts/operation-index.ts'
import { latest } from '../history.ts'
import { Remembered } from '../remembered.ts'
import type { Operation, OperationVersion, Run, Step } from '../run.ts'
import { readApprovalState } from './approval-state.ts'
import { readState } from './operation-state.ts'
import { readSettlement } from './settlement.ts'
import { isRevokedWord, noteConstraint } from './stated-constraints.ts'

const NONE: readonly string[] = []

export function foldOperation(run: Run, event: EventOf<'operation'>, step: Step): void {
  const index = indexOf(run)
  // A model writes its arguments as text, and many a log keeps them so.
  const args = fromJsonText(event.args)
  const key = keyOf(event, args)
  const existing = index.find(event.op, { tool: event.tool, key, args })
  const before = existing && latest(existing)
  const value: OperationVersion = {
    state: event.state === undefined ? (before?.state ?? 'sent') : readState(event.state),
    agent: event.agent ?? before?.agent,
    key: key ?? before?.key,
    args: args ?? before?.args,
    attempt: event.attempt ?? before?.attempt ?? 1,
    result: event.result ?? before?.result,
    error: event.error ?? before?.error,
    approval: event.approval ?? before?.approval,
    by: readSettlement(event),
    event,
  }
  if (existing === undefined) {
    const operation = newOperation(event, value, step)
    const count = index.add(operation)
    if (count > 1) operation.id = `${event.op}#${count}`
    while (run.operations.has(operation.id)) operation.id += '#'
    run.operations.set(operation.id, operation)
    return
  }
  existing.versions.push({ step, value })
  existing.key = value.key
  existing.call = event.call ?? existing.call
  existing.args = value.args
  index.changed(existing)
  for (const value of event.sensitive ?? NONE) existing.sensitive.push(value)
  if (event.effect === 'write' || event.effect === 'read') {
    existing.effect = event.effect
    existing.effectAssumed = false
  }
}

function newOperation(event: EventOf<'operation'>, value: OperationVersion, step: Step): Operation {
  return {
    id: event.op,
    op: event.op,
    tool: event.tool ?? '',
    // Everything that is not declared a read may have an effect.
    effect: event.effect === 'read' ? 'read' : 'write',
    effectAssumed: event.effect !== 'read' && event.effect !== 'write',
    key: value.key,
    call: event.call,
    args: value.args,
    agent: event.agent,
    intent: event.intent,
    sensitive: event.sensitive === undefined ? [] : [...event.sensitive],
    versions: [{ step, value }],
  }
}

/** The idempotency key, also where a runtime names it in full or only among the arguments. */
function keyOf(event: EventOf<'operation'>, args: unknown): string | undefined {
  return (
    textOf(event.key) ??
    textOf(event.idempotency_key) ??
    textOf(event.idempotencyKey) ??
    keyAmongArguments(args)
  )
}

const indexes = new Remembered<Run, OperationIndex>()

function indexOf(run: Run): OperationIndex {
  let index = indexes.get(run)
  if (index === undefined) {
    index = new OperationIndex()
    indexes.set(run, index)
  }
  return index
}

export function foldApproval(run: Run, event: EventOf<'approval'>, step: Step): void {
  const existing = run.approvals.get(event.id)
  const before = existing && latest(existing)
  const value = {
    state: event.state === undefined ? (before?.state ?? 'pending') : readApprovalState(event.state),
    action: event.action ?? before?.action,
    scope: fromJsonText(event.scope) ?? before?.scope,
    agent: event.agent ?? before?.agent,
    by: event.by ?? before?.by,
    deliveredTo: event.delivered_to,
    shown: event.shown ?? before?.shown,
    reason: event.reason ?? before?.reason,
    event,
  }
  if (existing === undefined) {
    run.approvals.set(event.id, { id: event.id, for: event.for, versions: [{ step, value }] })
  } else {
    existing.for ??= event.for
    existing.versions.push({ step, value })
  }
}

export function foldConstraint(run: Run, event: EventOf<'constraint'>, step: Step): void {
  const existing = run.constraints.get(event.id)
  const text = event.text ?? existing?.text ?? ''
  const check = event.check ?? existing?.check
  const hash = constraintHash({ text, check })
  noteConstraint(run, text, hash)
  const version = { step, value: { active: !isRevokedWord(event.state), text, check, hash, event } }
  if (existing === undefined) {
    const { id, scope } = event
    run.constraints.set(id, { id, text, check, scope, hash, versions: [version] })
    return
  }
  existing.versions.push(version)
  Object.assign(existing, { text, check, hash, scope: event.scope ?? existing.scope })
}

export function foldPermission(
  run: Run,
  event: EventOf<'permission'> | EventOf<'agent.config'>,
  step: Step,
): void {
  const name = textOf(event.agent)
  if (name === undefined) return
  const agent = run.agents.get(name) ?? { name, versions: [] }
  const { allow, deny, ask, mode, closed } = event
  agent.versions.push({ step, value: { allow, deny, ask, mode, closed } })
  if (isKind(event, 'agent.config') && Array.isArray(event.tools))
    agent.tools = event.tools.flatMap(toolNames)
  run.agents.set(name, agent)
}
