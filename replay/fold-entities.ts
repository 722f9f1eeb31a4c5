import { canonicalJson, constraintHash } from '../model/hash.ts'
import { textOf } from '../model/json.ts'
import type { EventOf } from '../model/run-log.ts'
import { readApprovalState } from './approval-state.ts'
import { keyAmongArguments } from './effects.ts'
import { latest } from './history.ts'
import { readState } from './operation-state.ts'
import type { Operation, OperationVersion, Run, Step } from './run.ts'
import { readSettlement } from './settlement.ts'

export function foldOperation(run: Run, event: EventOf<'operation'>, step: Step): void {
  const existing = findOperation(run, event)
  const before = existing && latest(existing)
  const value: OperationVersion = {
    state: event.state === undefined ? (before?.state ?? 'sent') : readState(event.state),
    agent: event.agent ?? before?.agent,
    key: keyOf(event) ?? before?.key,
    args: event.args ?? before?.args,
    attempt: event.attempt ?? before?.attempt ?? 1,
    result: event.result ?? before?.result,
    error: event.error ?? before?.error,
    approval: event.approval ?? before?.approval,
    by: readSettlement(event),
    event,
  }
  if (existing === undefined) {
    run.operations.set(newOperationId(run, event), newOperation(run, event, value, step))
    return
  }
  existing.versions.push({ step, value })
  existing.key = value.key
  existing.call = event.call ?? existing.call
  existing.args = value.args
  existing.sensitive.push(...(event.sensitive ?? []))
  if (event.effect === 'write' || event.effect === 'read') {
    existing.effect = event.effect
    existing.effectAssumed = false
  }
}

function newOperation(run: Run, event: EventOf<'operation'>, value: OperationVersion, step: Step): Operation {
  return {
    id: newOperationId(run, event),
    op: event.op,
    tool: event.tool ?? '',
    // Everything that is not declared a read may have an effect.
    effect: event.effect === 'read' ? 'read' : 'write',
    effectAssumed: event.effect !== 'read' && event.effect !== 'write',
    key: keyOf(event),
    call: event.call,
    args: event.args,
    agent: event.agent,
    intent: event.intent,
    sensitive: [...(event.sensitive ?? [])],
    versions: [{ step, value }],
  }
}

/** The operation that the event continues: the latest one under its op id, if tool or key say that it is the same. */
function findOperation(run: Run, event: EventOf<'operation'>): Operation | undefined {
  for (let n = countOf(run, event.op); n > 0; n--) {
    const candidate = run.operations.get(numbered(event.op, n))
    if (candidate !== undefined && continues(candidate, event)) return candidate
  }
  return undefined
}

function continues(operation: Operation, event: EventOf<'operation'>): boolean {
  if (event.tool === undefined || event.tool === operation.tool) {
    // Two processes may number their operations alike: another key with other arguments is another operation.
    const key = keyOf(event)
    const otherKey = key !== undefined && operation.key !== undefined && key !== operation.key
    const otherArgs = event.args !== undefined && canonicalJson(event.args) !== canonicalJson(operation.args)
    return !(otherKey && otherArgs)
  }
  return operation.key !== undefined && keyOf(event) === operation.key
}

/** The idempotency key, also where a runtime names it in full or only among the arguments. */
function keyOf(event: EventOf<'operation'>): string | undefined {
  return (
    textOf(event.key) ??
    textOf(event.idempotency_key) ??
    textOf(event.idempotencyKey) ??
    keyAmongArguments(event.args)
  )
}

function countOf(run: Run, op: string): number {
  let n = 0
  while (run.operations.has(numbered(op, n + 1))) n++
  return n
}

function numbered(op: string, n: number): string {
  return n === 1 ? op : `${op}#${n}`
}

function newOperationId(run: Run, event: EventOf<'operation'>): string {
  return numbered(event.op, countOf(run, event.op) + 1)
}

export function foldApproval(run: Run, event: EventOf<'approval'>, step: Step): void {
  const existing = run.approvals.get(event.id)
  const before = existing && latest(existing)
  const value = {
    state: event.state === undefined ? (before?.state ?? 'pending') : readApprovalState(event.state),
    action: event.action ?? before?.action,
    scope: event.scope ?? before?.scope,
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
  const version = { step, value: { active: event.state !== 'revoked', event } }
  const existing = run.constraints.get(event.id)
  if (existing !== undefined) {
    existing.versions.push(version)
    return
  }
  const text = event.text ?? ''
  run.constraints.set(event.id, {
    id: event.id,
    text,
    check: event.check,
    scope: event.scope,
    hash: constraintHash({ text, check: event.check }),
    versions: [version],
  })
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
  if (event.kind === 'agent.config' && event.tools !== undefined) agent.tools = event.tools as string[]
  run.agents.set(name, agent)
}
