import type { JsonObject } from '../model/json.ts'
import { isObject, textOf } from '../model/json.ts'
import { conformContract } from './conform.ts'
import type {
  CompletedEffect,
  HandoffRecord,
  OpenOperation,
  PendingAction,
  RecordCommitment,
  RecordConstraint,
} from './record-types.ts'
import { isInDoubt, type KnownOperation, type RunState } from './run-state.ts'

/** What the sender says of this handoff itself; all else in a record comes from the run. */
const CONTRACT_FIELDS = [
  'task',
  'intent',
  'status',
  'evidence',
  'next_action',
  'stop_condition',
  'unresolved_questions',
  'attempted',
  'rejected',
  'requested_action',
  'ack_due',
]

/**
 * The record of a handoff, from what the runtime knows of the run and never from the conversation: words can be wrong,
 * or missing, and a model that retells a key can change it.
 */
export function buildRecord(state: RunState, handoff: JsonObject): HandoffRecord {
  const record: HandoffRecord = {
    constraints: [...state.constraints.values()].map(constraintEntry),
    open_operations: [...state.operations.values()].filter(isInDoubt).map(openOperation),
    completed_effects: [...state.settled.values()].filter(isEffect).map(completedEffect),
    pending_actions: [...state.approvals.values()]
      .filter((approval) => approval.state === 'pending')
      .map(pendingAction),
    commitments: [...state.commitments.values()].map(commitmentEntry),
    correlation_id: state.run,
  }
  const origin = handoff.principal ?? state.principal
  if (typeof origin === 'string' || isObject(origin)) record.origin = origin
  const permissions = handoff.permissions ?? state.permissions.get(textOf(handoff.to) ?? '')
  if (permissions !== undefined) record.permissions = permissions
  for (const name of CONTRACT_FIELDS) {
    const value = handoff[name]
    if (value !== undefined) record[name] = conformContract(name, value)
  }
  // The program gets its own copy: what it does with it must not change what the next handoff knows.
  return structuredClone(record)
}

/** A closed key counts as an effect if the service reported what had landed. */
function isEffect(operation: KnownOperation): boolean {
  const landed = operation.result !== undefined && operation.result !== null
  return operation.state === 'settled' || (operation.state === 'closed' && landed)
}

function openOperation({ op, tool, args, key, state }: KnownOperation): OpenOperation {
  return present({ op, tool, args, key, state })
}

function completedEffect({ op, tool, key, result }: KnownOperation): CompletedEffect {
  return present({ op, tool, key, result })
}

function constraintEntry({ id, text, check, scope }: JsonObject): RecordConstraint {
  return present({ id, text, check, scope }) as RecordConstraint
}

function pendingAction({ id, action, scope, for: operation, state }: JsonObject): PendingAction {
  return present({ id, action, scope, for: operation, state }) as PendingAction
}

function commitmentEntry({ id, text }: JsonObject): RecordCommitment {
  return present({ id, text }) as RecordCommitment
}

function present<T extends Record<string, unknown>>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
