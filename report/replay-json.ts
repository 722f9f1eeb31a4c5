import { describeEvent } from '../replay/describe.ts'
import type { Run, Step } from '../replay/run.ts'
import { stateAt } from '../replay/state.ts'

/** A run's timeline and its state at a step as `replay --json` prints it. Steps are counted from 0, as in evidence. */
export function replayJson(run: Run, step: Step): Record<string, unknown> {
  const state = stateAt(run, step)
  return {
    run: run.id,
    principal: run.principal,
    custody: run.custody,
    events: run.events.map((event, at) => ({
      step: at,
      at: event.at,
      kind: event.kind,
      ...describeEvent(event),
    })),
    state: {
      step,
      owner: state.owner,
      operations: state.operations.map(({ operation, version, inDoubt }) => ({
        op: operation.op,
        tool: operation.tool,
        effect: operation.effect,
        state: version.state,
        key: version.key,
        agent: version.agent,
        inDoubt,
      })),
      approvals: state.approvals.map(({ approval, version }) => ({
        id: approval.id,
        action: version.action,
        scope: version.scope,
        state: version.state,
      })),
      constraints: state.constraints.map(({ id, text, check }) => ({ id, text, check })),
      commitments: state.commitments.map(({ id, text, agent }) => ({ id, text, agent })),
      permissions: state.permissions,
    },
  }
}
