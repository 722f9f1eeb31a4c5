import { isObject, textOf } from '../../model/json.ts'
import { readPrincipal } from '../../model/principal.ts'
import { type EventOf, isKind, type RunEvent } from '../../model/run-log.ts'
import { toolNames } from '../../model/tool-names.ts'
import type { Run, Step } from '../run.ts'
import { foldCommitment, foldPromise } from './fold-commitments.ts'
import { foldApproval, foldConstraint, foldOperation, foldPermission } from './fold-entities.ts'
import { foldHandoffEvent } from './fold-handoffs.ts'
import { foldStatedOperations } from './fold-stated-operations.ts'
import { orderEvents } from './order.ts'

/** Folds the events of one run, in any order, into what they say. Unknown kinds stay in `events` and change nothing. */
export function foldRun(events: readonly RunEvent[]): Run {
  const ordered = orderEvents(events.map(withoutNulls))
  const run: Run = {
    id: ordered[0]?.run ?? '',
    events: ordered,
    startedAt: ordered.find((event) => event.at !== undefined)?.at,
    endedAt: ordered.findLast((event) => event.at !== undefined)?.at,
    ended: false,
    agents: new Map(),
    operations: new Map(),
    approvals: new Map(),
    constraints: new Map(),
    commitments: new Map(),
    handoffs: [],
    messages: [],
    modelInputs: [],
    custody: [],
    truths: new Map(),
  }
  for (const [step, event] of ordered.entries()) foldEvent(run, event, step)
  foldStatedOperations(run)
  return run
}

/** A field that is null says nothing, and is as good as left out. */
function withoutNulls(event: RunEvent): RunEvent {
  if (!holdsNull(event)) return event
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null)) as RunEvent
}

function holdsNull(event: RunEvent): boolean {
  for (const field in event) if (event[field] === null) return true
  return false
}

function foldEvent(run: Run, event: RunEvent, step: Step): void {
  const { agent } = event
  if (agent !== undefined && run.custody.length === 0) run.custody.push({ step, owner: agent })
  foldParticipants(run, event)
  if (isKind(event, 'operation')) foldOperation(run, event, step)
  else if (isKind(event, 'approval')) foldApproval(run, event, step)
  else if (isKind(event, 'constraint')) foldConstraint(run, event, step)
  else if (isKind(event, 'commitment')) foldCommitment(run, event, step)
  else if (isKind(event, 'permission') || isKind(event, 'agent.config')) foldPermission(run, event, step)
  else if (isKind(event, 'message')) {
    run.messages.push({ step, event })
    foldPromise(run, event, step)
  } else if (isKind(event, 'model.input')) run.modelInputs.push({ step, event })
  else if (isKind(event, 'truth')) run.truths.set(event.op, event.state)
  else if (isKind(event, 'run.start')) foldStart(run, event, step)
  else if (event.kind === 'run.end' || event.kind === 'run.failed') foldEnd(run, event)
  else if (event.kind.startsWith('handoff.')) foldHandoffEvent(run, event, step)
}

/** Everybody named takes part, declared at the start or not. */
function foldParticipants(run: Run, event: RunEvent): void {
  const named = event.kind.startsWith('handoff.')
    ? [event.agent, event.from, event.to, event.by]
    : [event.agent]
  for (const name of named) {
    if (typeof name === 'string' && name !== '' && !run.agents.has(name))
      run.agents.set(name, { name, versions: [] })
  }
}

function foldStart(run: Run, event: EventOf<'run.start'>, step: Step): void {
  run.principal ??= readPrincipal(event.principal)
  run.replayOf ??= textOf(event.replay_of)
  for (const agent of event.agents ?? []) {
    if (!isObject(agent)) continue
    run.agents.set(agent.name, {
      name: agent.name,
      tools: agent.tools?.flatMap(toolNames),
      versions: agent.permissions === undefined ? [] : [{ step, value: agent.permissions }],
    })
  }
}

function foldEnd(run: Run, event: RunEvent): void {
  run.ended = true
  if (event.kind === 'run.failed') run.outcome = 'failed'
  else run.outcome ??= textOf(event.outcome) ?? 'ended'
}
