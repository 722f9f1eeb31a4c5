import { textOfContent } from '../model/items.ts'
import { textOf } from '../model/json.ts'
import type { RunEvent } from '../model/run-log.ts'
import type { Evidence } from './diff/handoff-diff.ts'
import { latest, valueAt } from './history.ts'
import { readState } from './operation-state.ts'
import { nameOf } from './phrase.ts'
import type { Operation, OperationState, Run, Step } from './run.ts'

/** Two entries of one run that cannot both be true of an operation, or of a task. */
export type Contradiction = {
  name: string
  trait: string
  agents: string[]
  known: OperationState
  claimed: OperationState
  /** What happened, as a sentence. */
  what: string
  evidence: Evidence[]
}

/** Outcomes that a later entry turns into another outcome, without a new attempt in between. */
export function stateContradictions(run: Run): Contradiction[] {
  return [
    ...[...run.operations.values()].flatMap(
      (operation) => turnedOutcome(operation) ?? filedAsFailed(run, operation) ?? [],
    ),
    ...reports(run),
  ]
}

function turnedOutcome(operation: Operation): Contradiction | undefined {
  if (operation.effect !== 'write' || operation.effectAssumed) return undefined
  for (let index = 1; index < operation.versions.length; index++) {
    const before = operation.versions[index - 1]!
    const after = operation.versions[index]!
    const [known, claimed] = [before.value.state, after.value.state]
    const turned =
      (known === 'failed' && claimed === 'settled') ||
      (known === 'closed' && claimed === 'settled') ||
      (known === 'settled' && claimed === 'failed')
    if (!turned || after.value.attempt > before.value.attempt) continue
    // Another call of the model is another attempt, whether it is counted or not.
    if (after.value.event.call !== undefined && after.value.event.call !== before.value.event.call) continue
    return {
      ...about(operation),
      known,
      claimed,
      what: `${nameOf(operation)} was ${known}, and a later entry calls it ${claimed} without a new attempt.`,
      evidence: [{ step: before.step }, { step: after.step }],
    }
  }
  return undefined
}

const NO_ANSWER =
  /time(d)?[\s_-]?out|deadline|no (reply|answer|response)|hang ?up|connection (reset|lost|closed)|ECONNRESET|ETIMEDOUT|ESOCKETTIMEDOUT|aborted/iu

/** A call of unknown outcome that is called failed for no better reason than that no answer came. */
function filedAsFailed(run: Run, operation: Operation): Contradiction | undefined {
  if (operation.effect !== 'write' || operation.effectAssumed) return undefined
  const index = operation.versions.findIndex(
    ({ value }, at) => value.state === 'failed' && operation.versions[at - 1]?.value.state === 'unknown',
  )
  if (index < 0) return undefined
  const before = operation.versions[index - 1]!
  const after = operation.versions[index]!
  if (after.value.by !== undefined || after.value.attempt > before.value.attempt) return undefined
  const { error, result } = after.value.event
  const unanswered = NO_ANSWER.test(textOfContent(error ?? result))
  const truth = run.truths.get(operation.op)
  const landed = truth !== undefined && (readState(truth) === 'settled' || /^landed$/iu.test(truth))
  if (!unanswered && !landed) return undefined
  return {
    ...about(operation),
    known: 'unknown',
    claimed: 'failed',
    what: `${nameOf(operation)} was unknown, and is filed as failed ${unanswered ? 'because no answer came' : 'although it had landed'}.`,
    evidence: [{ step: before.step }, { step: after.step }],
  }
}

function about(operation: Operation): Pick<Contradiction, 'name' | 'trait' | 'agents'> {
  const agents = operation.versions.map(({ value }) => value.agent).filter((agent) => agent !== undefined)
  return { name: operation.op, trait: operation.tool, agents: [...new Set(agents)] }
}

const REPORTING = /^(task|snapshot|store|session|checkpoint|result|report)/u
const OUTCOMES = new Set(['settled', 'failed'])

/** Entries of other kinds (`task.state`, `snapshot`, `store.write` …) that give an operation or a task a state. */
function reports(run: Run): Contradiction[] {
  const out: Contradiction[] = []
  const tasks = new Map<string, { state: OperationState; step: Step }>()
  for (const [step, event] of run.events.entries()) {
    if (!REPORTING.test(event.kind)) continue
    const claimed = claimedState(event)
    if (claimed === undefined) continue
    const operation = operationNamed(run, event)
    if (operation !== undefined) out.push(...(againstLog(operation, claimed, event, step) ?? []))
    const task = taskOf(event)
    if (task === undefined) continue
    const before = tasks.get(task)
    if (before?.state === 'failed' && claimed === 'settled') {
      out.push({
        name: task,
        trait: 'task',
        agents: event.agent === undefined ? [] : [event.agent],
        known: 'failed',
        claimed,
        what: `Task ${task} had failed, and a later entry calls it settled without work in between.`,
        evidence: [{ step: before.step }, { step }],
      })
    }
    tasks.set(task, { state: claimed, step })
  }
  return out
}

function claimedState(event: RunEvent): OperationState | undefined {
  const word = textOf(event.state) ?? textOf(event.status)
  return word === undefined ? undefined : readState(word)
}

function taskOf(event: RunEvent): string | undefined {
  if (!event.kind.startsWith('task')) return undefined
  const { task } = event
  return (
    textOf(task) ??
    textOf((task as { id?: unknown } | undefined)?.id) ??
    textOf(event.id) ??
    textOf(event.handoff)
  )
}

/** The operation that an entry names by op or key, or as the only one of its task. */
function operationNamed(run: Run, event: RunEvent): Operation | undefined {
  const op = textOf(event.op)
  if (op !== undefined) return run.operations.get(op)
  const key = textOf(event.key)
  const task = taskOf(event)
  const operations = [...run.operations.values()]
  if (key !== undefined) return operations.find((operation) => operation.key === key)
  if (task === undefined) return undefined
  const own = operations.filter(({ versions }) =>
    versions.some(({ value }) => textOf(value.event.task) === task),
  )
  return own.length === 1 ? own[0] : undefined
}

/** A report of an outcome that the log never knows, neither before nor after. */
function againstLog(
  operation: Operation,
  claimed: OperationState,
  event: RunEvent,
  step: Step,
): Contradiction[] | undefined {
  if (!OUTCOMES.has(claimed) || operation.versions.some(({ value }) => value.state === claimed))
    return undefined
  const known = (valueAt(operation, step) ?? latest(operation)).state
  if (known === 'closed') return undefined
  const { agents, ...rest } = about(operation)
  return [
    {
      ...rest,
      agents: [...new Set([...agents, ...(event.agent === undefined ? [] : [event.agent])])],
      known,
      claimed,
      what: `${nameOf(operation)} was ${known}, and ${event.kind} calls it ${claimed}.`,
      evidence: [{ step: operation.versions.at(-1)!.step }, { step }],
    },
  ]
}
