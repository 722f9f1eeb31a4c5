import { isInDoubt, valueAt } from './history.ts'
import type {
  Approval,
  ApprovalVersion,
  Commitment,
  Constraint,
  Operation,
  OperationVersion,
  Permissions,
  Run,
  Step,
} from './run.ts'

/** Everything the run's own log said at one step. */
export type RunState = {
  step: Step
  operations: { operation: Operation; version: OperationVersion; inDoubt: boolean }[]
  approvals: { approval: Approval; version: ApprovalVersion }[]
  /** Active ones only. */
  constraints: Constraint[]
  /** Open ones only. */
  commitments: Commitment[]
  permissions: { agent: string; permissions: Permissions }[]
  /** Who is responsible for the task; undefined before anybody acted. */
  owner?: string | undefined
  /** Steps of the messages and payloads that each agent has seen so far. */
  seen: Map<string, Step[]>
}

/** The state right after a step. Going back costs the same as going forward. */
export function stateAt(run: Run, step: Step): RunState {
  return {
    step,
    operations: [...run.operations.values()].flatMap((operation) => {
      const version = valueAt(operation, step)
      return version === undefined ? [] : [{ operation, version, inDoubt: isInDoubt(operation, version) }]
    }),
    approvals: [...run.approvals.values()].flatMap((approval) => {
      const version = valueAt(approval, step)
      return version === undefined ? [] : [{ approval, version }]
    }),
    constraints: [...run.constraints.values()].filter((constraint) => valueAt(constraint, step)?.active),
    commitments: [...run.commitments.values()].filter((commitment) => valueAt(commitment, step)?.open),
    permissions: [...run.agents.values()].flatMap((agent) => {
      const permissions = valueAt(agent, step)
      return permissions === undefined ? [] : [{ agent: agent.name, permissions }]
    }),
    owner: run.custody.findLast((custody) => custody.step <= step)?.owner,
    seen: seenUpTo(run, step),
  }
}

function seenUpTo(run: Run, step: Step): Map<string, Step[]> {
  const seen = new Map<string, Step[]>()
  const see = (agent: string | undefined, at: Step) => {
    if (agent === undefined || at > step) return
    const steps = seen.get(agent)
    if (steps === undefined) seen.set(agent, [at])
    else steps.push(at)
  }
  for (const { step: at, event } of run.messages) see(event.agent, at)
  for (const { step: at, event } of run.modelInputs) see(event.agent, at)
  for (const handoff of run.handoffs) for (const receipt of handoff.receipts) see(receipt.by, receipt.step)
  return new Map([...seen].map(([agent, steps]) => [agent, steps.sort((a, b) => a - b)]))
}
