import { isObject, listOf, textOf } from '../../model/json.ts'
import { valueAt } from '../history.ts'
import type { Constraint, Run, Step } from '../run.ts'
import { constraintAt } from './constraint-at.ts'
import { findConstraint } from './constraint-crossing.ts'
import { joinedAt, type Received, receivedBefore } from './participation.ts'

/** How an agent came to know a rule: it was told itself, or a handoff brought it. */
export type Knowledge = { told: true } | { told: false; by: Received }

/**
 * Whether an agent's side had the rule at a step. A rule that names no agent is known to whoever takes part already; an
 * agent that joins later, by a handoff, knows what the handoff brought; one that was resumed since, what it was resumed with.
 * With no agent named: what the run knows.
 */
export function knowledgeOf(
  run: Run,
  constraint: Constraint,
  agent: string | undefined,
  step: Step,
): Knowledge | undefined {
  if (!valueAt(constraint, step)?.active) return undefined
  if (agent === undefined) return { told: true }
  const { step: since, value } = inForceSince(constraint, step)
  const teller = value.event.agent
  const received = receivedBefore(run, agent, step)
  const anew = received.findLastIndex((one) => one.receipt.step > since && beginsAnew(one))
  const isTold = teller === agent || (teller === undefined && joinedAt(run, agent) <= since)
  if (isTold && anew === -1) return { told: true }
  const by = received
    .slice(Math.max(anew, 0))
    .findLast(
      ({ receipt }) =>
        findConstraint(run, constraintAt(constraint, receipt.step), receipt).degree !== 'absent',
    )
  return by === undefined ? undefined : { told: false, by }
}

/** The agent's context was built again out of what it got, unless the provider still has the rest. */
function beginsAnew({ handoff, receipt }: Received): boolean {
  const isWhole = handoff.sent?.event.policy?.history !== 'server-managed'
  return handoff.mode === 'resume' && receipt.items !== undefined && isWhole
}

/** The version that put the rule in force: the first one, or the first after it was revoked. */
function inForceSince({ versions }: Constraint, step: Step): Constraint['versions'][number] {
  const known = versions.filter((version) => version.step <= step)
  return known[known.findLastIndex(({ value }) => !value.active) + 1]!
}

/** An agent by its name, or one that a scope such as `agent:billing` calls an agent; any other word names none. */
function agentsIn(run: Run, scope: unknown): string[] {
  if (typeof scope !== 'string') return []
  if (run.agents.has(scope)) return [scope]
  const called = /^agents?\s*[:=/]\s*(.+)$/iu.exec(scope)?.[1]
  return called === undefined ? [] : called.split(',').map((name) => name.trim())
}

/** True unless the scope names agents and this one is not among them. */
export function bindsAgent(run: Run, constraint: Constraint, agent: string | undefined): boolean {
  const { scope } = constraint
  if (scope === undefined) return true
  const named = isObject(scope)
    ? [textOf(scope.agent), ...listOf(scope.agents)].filter((name) => typeof name === 'string')
    : (Array.isArray(scope) ? scope : [scope]).flatMap((name) => agentsIn(run, name))
  return named.length === 0 || (agent !== undefined && named.includes(agent))
}
