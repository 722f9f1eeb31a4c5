import { canonicalJson } from '../../model/hash.ts'
import { effectOf } from '../../replay/facts/effects.ts'
import { firstStep, isInDoubt, isSettledState, latest } from '../../replay/history.ts'
import type { Approval, Commitment, Constraint, History, Run } from '../../replay/run.ts'
import { firstBytes, hash64 } from '../hash64.ts'
import type { Row, RowInParts } from '../table.ts'
import { jsonText, timestampMicros } from '../table.ts'
import type { Work } from './receiver-work.ts'

export function operationRow(
  run: Run,
  { operation, handoff, redundant, repeat, correction }: Work,
): RowInParts {
  const last = latest(operation)
  return [
    {
      run: run.id,
      operation: operation.id,
      op: operation.op,
      tool: operation.tool,
      effect: operation.effect,
      effect_assumed: operation.effectAssumed,
      agent: operation.agent,
      key: operation.key,
      call: operation.call,
      state: last.state,
      in_doubt: isInDoubt(operation, last),
      attempts: Math.max(...operation.versions.map((version) => version.value.attempt)),
      approval: last.approval,
      settled_by: last.by,
      intent: operation.intent,
      truth: run.truths.get(operation.id),
      args_hash: operation.args === undefined ? null : hash64(canonicalJson(operation.args)),
      args: jsonText(operation.args),
      effect_hash: hash64(effectOf(operation)),
      handoff: handoff?.id,
      attempt: handoff?.attempt,
      redundant,
      repeats: repeat?.first.operation.id,
      repeated_by: repeat && (repeat.sharedKey ? 'key' : 'arguments'),
      correction,
      started_at: timeOf(run, firstStep(operation)),
      settled_at: timeWhere(run, operation, (version) => isSettledState(version.state)),
    },
    steps(operation),
  ]
}

export function approvalRow(run: Run, approval: Approval): RowInParts {
  const last = latest(approval)
  return [
    {
      run: run.id,
      approval: approval.id,
      operation: approval.for,
      action: last.action,
      scope: jsonText(last.scope),
      agent: last.agent,
      state: last.state,
      decided_by: last.by,
      delivered_to: last.deliveredTo,
      reason: last.reason,
      asked_at: timeOf(run, firstStep(approval)),
      decided_at: timeWhere(run, approval, (version) => version.state !== 'pending'),
    },
    steps(approval),
  ]
}

export function constraintRow(run: Run, constraint: Constraint): RowInParts {
  return [
    {
      run: run.id,
      constraint_id: constraint.id,
      text: constraint.text,
      rule: jsonText(constraint.check),
      scope: jsonText(constraint.scope),
      active: latest(constraint).active,
      hash: firstBytes(constraint.hash),
      stated_at: timeOf(run, firstStep(constraint)),
      revoked_at: timeWhere(run, constraint, (version) => !version.active),
    },
    steps(constraint),
  ]
}

export function commitmentRow(run: Run, commitment: Commitment): RowInParts {
  return [
    {
      run: run.id,
      commitment: commitment.id,
      text: commitment.text,
      agent: commitment.agent,
      open: latest(commitment).open,
      made_at: timeOf(run, firstStep(commitment)),
      closed_at: timeWhere(run, commitment, (version) => !version.open),
    },
    steps(commitment),
  ]
}

function steps(history: History<unknown>): Row {
  return { first_step: firstStep(history), last_step: history.versions.at(-1)!.step }
}

function timeOf(run: Run, step: number) {
  return timestampMicros(run.events[step]?.at)
}

function timeWhere<T>(run: Run, history: History<T>, holds: (value: T) => boolean) {
  const version = history.versions.find((one) => holds(one.value))
  return version === undefined ? null : timeOf(run, version.step)
}
