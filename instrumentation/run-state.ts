import { canonicalJson } from '../model/hash.ts'
import { isObject, type Json, type JsonObject, listOf, textOf } from '../model/json.ts'

/*
 * What this process knows of a run: the operations log and what else binds its plan. It is kept so that a record can be
 * built at a handoff; the full history is in the spool.
 */

/** An operation at its latest state. */
export type KnownOperation = {
  op: string
  tool?: string
  args?: Json
  key?: string
  effect: string
  state: string
  attempt: number
  result?: Json
}

/** The run as far as this process knows it. Maps are in the order in which things were first heard of. */
export type RunState = {
  run: string
  principal?: Json
  /** Proposed, sent or unknown. */
  operations: Map<string, KnownOperation>
  /** Settled, failed or closed; writes only. */
  settled: Map<string, KnownOperation>
  constraints: Map<string, JsonObject>
  approvals: Map<string, JsonObject>
  commitments: Map<string, JsonObject>
  permissions: Map<string, JsonObject>
}

export function emptyState(run: string): RunState {
  return {
    run,
    operations: new Map(),
    settled: new Map(),
    constraints: new Map(),
    approvals: new Map(),
    commitments: new Map(),
    permissions: new Map(),
  }
}

/** True for a write that left and was never answered: it may have an effect. */
export function isInDoubt(operation: KnownOperation): boolean {
  return operation.effect !== 'read' && (operation.state === 'sent' || operation.state === 'unknown')
}

/** Takes one event into the state. Kinds that do not bind the plan change nothing. */
export function applyEvent(state: RunState, kind: string, fields: JsonObject): void {
  if (kind === 'operation') applyOperation(state, fields)
  else if (kind === 'constraint') applyNamed(state.constraints, fields, 'revoked')
  else if (kind === 'approval') applyNamed(state.approvals, fields)
  else if (kind === 'commitment') applyNamed(state.commitments, fields, 'closed')
  else if (kind === 'permission' || kind === 'agent.config') applyPermission(state, fields)
  else if (kind === 'run.start') applyStart(state, fields)
}

// Settled writes beyond this are forgotten, oldest first; what is in doubt never is.
const MAX_SETTLED = 1_000

function applyOperation(state: RunState, fields: JsonObject): void {
  const op = textOf(fields.op)
  if (op === undefined) return
  const before = knownOperation(state, op)
  const next: KnownOperation = {
    ...before,
    op,
    effect: textOf(fields.effect) ?? before?.effect ?? 'write',
    state: textOf(fields.state) ?? before?.state ?? 'proposed',
    attempt: typeof fields.attempt === 'number' ? fields.attempt : (before?.attempt ?? 1),
  }
  const tool = textOf(fields.tool)
  const key = textOf(fields.key)
  if (tool !== undefined) next.tool = tool
  if (key !== undefined) next.key = key
  if (fields.args !== undefined) next.args = fields.args
  if (fields.result !== undefined) next.result = fields.result
  state.operations.delete(op)
  state.settled.delete(op)
  if (!isSettled(next)) state.operations.set(op, next)
  // A settled read binds nobody.
  else if (next.effect !== 'read') state.settled.set(op, next)
  const oldest = state.settled.keys().next()
  if (state.settled.size > MAX_SETTLED && !oldest.done) state.settled.delete(oldest.value)
}

/** The operation at its latest state; undefined if it was never here or is forgotten. */
export function knownOperation(state: RunState, op: string): KnownOperation | undefined {
  return state.operations.get(op) ?? state.settled.get(op)
}

function isSettled(operation: KnownOperation): boolean {
  return operation.state === 'settled' || operation.state === 'failed' || operation.state === 'closed'
}

function applyNamed(into: Map<string, JsonObject>, fields: JsonObject, ended?: string): void {
  const id = textOf(fields.id)
  if (id === undefined) return
  if (ended !== undefined && fields.state === ended) into.delete(id)
  else into.set(id, { ...into.get(id), ...fields })
}

function applyStart(state: RunState, fields: JsonObject): void {
  if (fields.principal !== undefined) state.principal = fields.principal
  for (const agent of listOf(fields.agents)) {
    if (!isObject(agent) || !isObject(agent.permissions)) continue
    applyPermission(state, { ...(agent.permissions as JsonObject), agent: agent.name as Json })
  }
}

const PERMISSIONS = ['allow', 'deny', 'ask', 'mode', 'closed', 'tools']

function applyPermission(state: RunState, fields: JsonObject): void {
  const agent = textOf(fields.agent)
  if (agent === undefined) return
  const known: JsonObject = { ...state.permissions.get(agent) }
  for (const name of PERMISSIONS) if (fields[name] !== undefined) known[name] = fields[name]
  state.permissions.set(agent, known)
}

/**
 * The operation that a new call under this key repeats: the same tool, key and arguments, not yet settled. Another
 * effect under the same key is another operation, so that the mistake can be seen.
 */
export function repeatedOperation(
  state: RunState,
  call: { tool: string; key: string; args: Json | undefined },
): KnownOperation | undefined {
  for (const operation of state.operations.values()) {
    if (operation.key !== call.key || operation.tool !== call.tool) continue
    if (canonicalJson(operation.args ?? null) === canonicalJson(call.args ?? null)) return operation
  }
  return undefined
}
