import { idOf, isObject, listOf, textOf } from '../../model/json.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { readState } from '../fold/operation-state.ts'
import { isInDoubt, latest, valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import { nameOf } from '../phrase.ts'
import type { Operation, OperationState, Run, Step } from '../run.ts'
import { groupBy } from './dispatches.ts'
import { type Contradiction, contradictionOf } from './state-contradictions.ts'
import { stepsOfKinds } from './steps-by-kind.ts'

const REPORTING = /^(task|snapshot|store|session|checkpoint|result|report)/u
const HANDING_OVER = new Set(['handoff.sent', 'handoff.failed'])
const OUTCOMES = new Set(['settled', 'failed'])

/** Entries of other kinds (`task.state`, `snapshot`, `store.write` …) that give an operation or a task a state. */
export function contradictingReports(run: Run): Contradiction[] {
  const out: Contradiction[] = []
  const tasks = new Map<string, Task>()
  if (stepsOfKinds(run, (kind) => REPORTING.test(kind)).length === 0) return out
  for (const step of stepsOfKinds(run, (kind) => HANDING_OVER.has(kind) || REPORTING.test(kind))) {
    const event = run.events[step]!
    if (HANDING_OVER.has(event.kind)) {
      noteHandoff(tasks, event, step)
      continue
    }
    for (const claim of claimsOf(event)) {
      const operation = operationNamed(run, claim)
      if (operation !== undefined) out.push(...againstLog(operation, claim.state, event, step))
    }
    out.push(...againstTask(tasks, event, step), ...settledAfterwards(run, event, step))
  }
  return out
}

type Task = { state: OperationState; step: Step }

/** A delegation that could not even be launched has failed; sent once more it is open again. */
function noteHandoff(tasks: Map<string, Task>, event: RunEvent, step: Step): void {
  const id = textOf(event.handoff)
  if (id === undefined) return
  if (event.kind === 'handoff.sent') tasks.delete(id)
  else if (/refused|failed|error/iu.test(textOf(event.outcome) ?? ''))
    tasks.set(id, { state: 'failed', step })
}

function againstTask(tasks: Map<string, Task>, event: RunEvent, step: Step): Contradiction[] {
  const word = textOf(event.state) ?? textOf(event.status)
  const name = taskOf(event)
  if (word === undefined || name === undefined) return []
  const claimed = readState(word)
  const before = tasks.get(name) ?? tasks.get(textOf(event.handoff) ?? '')
  tasks.set(name, { state: claimed, step })
  if (before?.state !== 'failed' || claimed !== 'settled') return []
  return [
    {
      name,
      trait: 'task',
      agents: event.agent === undefined ? [] : [event.agent],
      known: 'failed',
      claimed,
      what: `Task ${name} had failed, and a later entry calls it settled without work in between.`,
      evidence: [{ step: before.step }, { step }],
    },
  ]
}

const GIVEN_UP = /^(failed|failure|error(ed)?|cancell?ed|aborted|killed|timed?[\s_-]?out|rejected)$/iu

/** A task that is declared over while a call of its agent is on its way, which then has its effect all the same. */
function settledAfterwards(run: Run, event: RunEvent, step: Step): Contradiction[] {
  const word = textOf(event.state) ?? textOf(event.status)
  const task = taskOf(event)
  if (word === undefined || task === undefined || !GIVEN_UP.test(word)) return []
  const agents = agentsOfTask(run, event, task)
  return [...run.operations.values()].flatMap((operation) => {
    const before = valueAt(operation, step)
    const ofTask = operation.versions.some(({ value }) => textOf(value.event.task) === task)
    if (before === undefined || !isInDoubt(operation, before) || operation.effectAssumed) return []
    if (!ofTask && !(operation.agent !== undefined && agents.has(operation.agent))) return []
    const settled = operation.versions.find(
      (version) => version.step > step && version.value.state === 'settled',
    )
    if (settled === undefined || operation.versions.some(({ value }) => value.state === 'failed')) return []
    return [
      {
        ...contradictionOf(operation),
        known: before.state,
        claimed: 'failed',
        what: `${event.kind} calls ${task} ${word} while ${nameOf(operation)} was ${before.state}; it was settled afterwards.`,
        evidence: [{ step }, { step: settled.step }],
      },
    ]
  })
}

/** Who works on a task: whoever the entry names, and whoever received the handoff that it is. */
function agentsOfTask(run: Run, event: RunEvent, task: string): Set<string> {
  const received = run.handoffs.filter(
    ({ id, sent }) => id === task || id === event.handoff || idOfTask(sent?.event.task) === task,
  )
  const names = [textOf(event.agent), ...received.flatMap(({ receipts }) => receipts.map(({ by }) => by))]
  return new Set(names.filter((name) => name !== undefined))
}

function idOfTask(task: unknown): string | undefined {
  return isObject(task) ? textOf(task.id) : textOf(task)
}

function taskOf(event: RunEvent): string | undefined {
  if (!event.kind.startsWith('task')) return undefined
  const { task } = event
  return (
    textOf(task) ??
    (isObject(task) ? textOf(task.id) : undefined) ??
    textOf(event.id) ??
    textOf(event.handoff)
  )
}

type Claim = {
  op?: string | undefined
  key?: string | undefined
  task?: string | undefined
  state: OperationState
}

/** What an entry says of operations: of one that it names, and of those that it lists. */
function claimsOf(event: RunEvent): Claim[] {
  const lists = [event.operations, event.open_operations, event.completed_effects].flatMap(listOf)
  return [{ ...event, task: taskOf(event) }, ...lists].flatMap((entry) => {
    if (!isObject(entry)) return []
    const word = textOf(entry.state) ?? textOf(entry.status)
    if (word === undefined) return []
    return [{ op: idOf(entry.op), key: idOf(entry.key), task: idOf(entry.task), state: readState(word) }]
  })
}

/** The operation that a claim names by op or key, or that is the only one of its task. */
function operationNamed(run: Run, { op, key, task }: Claim): Operation | undefined {
  if (op !== undefined) return run.operations.get(op)
  const names = operationsByName(run)
  const own = names.get(key === undefined ? `task ${task}` : `key ${key}`) ?? []
  return key !== undefined || own.length === 1 ? own[0] : undefined
}

const operationsByName = oncePerRun((run) => {
  const named = [...run.operations.values()].flatMap((operation) => {
    const tasks = operation.versions.flatMap(({ value }) => textOf(value.event.task) ?? [])
    const names = new Set(tasks.map((task) => `task ${task}`))
    if (operation.key !== undefined) names.add(`key ${operation.key}`)
    return [...names].map((name) => ({ name, operation }))
  })
  return new Map(
    [...groupBy(named, ({ name }) => name)].map(([name, list]) => [
      name,
      list.map((entry) => entry.operation),
    ]),
  )
})

/** Left to `settledAfterwards`, which knows more of it. */
function isDeclaredOver(operation: Operation, claimed: OperationState, step: Step): boolean {
  return (
    claimed === 'failed' &&
    isInDoubt(operation, valueAt(operation, step)) &&
    operation.versions.some((version) => version.step > step && version.value.state === 'settled')
  )
}

/** A report of an outcome that the log never knows, neither before nor after. */
function againstLog(
  operation: Operation,
  claimed: OperationState,
  event: RunEvent,
  step: Step,
): Contradiction[] {
  if (
    !OUTCOMES.has(claimed) ||
    isDeclaredOver(operation, claimed, step) ||
    operation.versions.some(({ value }) => value.state === claimed)
  )
    return []
  const known = (valueAt(operation, step) ?? latest(operation)).state
  if (known === 'closed') return []
  const { agents, ...rest } = contradictionOf(operation)
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
