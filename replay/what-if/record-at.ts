import type { Operation, OperationVersion, Run, Step } from '../run.ts'
import { stateAt } from '../state.ts'

/** The record that the operations log gives at a step: what a runtime can pass without asking a model. */
export function recordAt(run: Run, step: Step): Record<string, unknown> {
  const state = stateAt(run, step)
  const writes = state.operations.filter(({ operation }) => operation.effect === 'write')
  return present({
    origin: run.principal && present({ kind: run.principal.kind, id: run.principal.id }),
    constraints: state.constraints.map(({ id, text, check }) => present({ id, text, check })),
    open_operations: writes
      .filter(({ inDoubt }) => inDoubt)
      .map(({ operation, version }) => openOperation(operation, version)),
    completed_effects: writes
      .filter(({ version }) => version.state === 'settled')
      .map(({ operation, version: { key, result } }) =>
        present({ op: operation.op, tool: operation.tool, key, result }),
      ),
    pending_actions: state.approvals
      .filter(({ version }) => version.state === 'pending')
      .map(({ approval, version: { action, scope } }) =>
        present({ id: approval.id, action, scope, for: approval.for }),
      ),
    commitments: state.commitments.map(({ id, text }) => present({ id, text })),
    correlation_id: run.id,
  })
}

function openOperation(
  { op, tool }: Operation,
  { key, args, state }: OperationVersion,
): Record<string, unknown> {
  return present({ op, tool, args, key, state })
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
