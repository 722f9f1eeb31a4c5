import { canonicalJson } from '../../model/hash.ts'
import { isDecided, readApprovalState } from '../fold/approval-state.ts'
import { latest } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Handoff, Operation, Run, Step } from '../run.ts'
import { anyBetween } from '../steps.ts'
import { groupBy } from './dispatches.ts'
import { effectOf } from './effects.ts'
import { sharedEffects } from './shared-effects.ts'
import { type Task, taskOf } from './task-of.ts'
import { userTurns } from './user-turns.ts'

/** The same way gone again and again: no person spoke in between, and no call had a result that was not known before. */
export type Laps = { handoffs: Handoff[]; task: Task; sameTask: boolean; sameWay: boolean }

/** Received handoffs from one agent to another, split where a person spoke or work was done in between. */
export const lapsOf = oncePerRun((run): Laps[] => {
  const turns = userTurns(run)
  const progress = progressSteps(run)
  const forward = run.handoffs.filter(
    ({ sent, receipts, mode, from, to }) =>
      sent !== undefined &&
      receipts.length > 0 &&
      from !== to &&
      mode !== 'return' &&
      mode !== 'notify' &&
      mode !== 'resume',
  )
  const laps: Laps[] = []
  for (const way of groupBy(forward, ({ from, to }) => `${from}\u0000${to}`).values()) {
    let streak: Handoff[] = []
    const close = () => {
      if (streak.length > 1) laps.push(describe(streak))
    }
    for (const handoff of way.sort((a, b) => a.sent!.step - b.sent!.step)) {
      const before = streak.at(-1)?.receipts[0]?.step
      const here = handoff.sent!.step
      if (before !== undefined && (turns.between(before, here) || anyBetween(progress, before, here))) {
        close()
        streak = []
      }
      streak.push(handoff)
    }
    close()
  }
  return laps.flatMap(splitByTask)
})

function describe(handoffs: Handoff[]): Laps {
  const tasks = handoffs.map(taskOf)
  return {
    handoffs,
    task: tasks.at(-1)!,
    sameTask: tasks.every(({ name }) => name === tasks[0]!.name),
    sameWay:
      handoffs.every(({ mode }) => mode === 'transfer') &&
      (handoffs.every(({ reason }) => reason === handoffs[0]!.reason) || sameWords(handoffs)),
  }
}

/** Whatever reason is given, the last words that were handed over are the same each time. */
function sameWords(handoffs: readonly Handoff[]): boolean {
  const words = handoffs.map(
    ({ sent }) => sent?.items?.findLast(({ type }) => type === 'message')?.text ?? '',
  )
  return words[0] !== '' && words.every((text) => text === words[0])
}

/** A helper may be asked for several things in turn: each brief is a lap of its own. */
function splitByTask(laps: Laps): Laps[] {
  if (laps.sameTask || (laps.sameWay && !laps.handoffs.some((handoff) => taskOf(handoff).briefed)))
    return [laps]
  return [...groupBy(laps.handoffs, (handoff) => taskOf(handoff).name).values()]
    .filter((group) => group.length > 1)
    .map(describe)
}

/**
 * Steps at which a person decided, or a call settled with a result that no call of the same kind had before. An agent
 * that no handoff names is a bystander: its calls bring the task no further.
 */
function progressSteps(run: Run): Step[] {
  const shared = sharedEffects(run)
  const concerned = agentsOfHandoffs(run)
  const results = new Map<string, Set<string>>()
  const steps: Step[] = run.handoffs.flatMap(({ verdicts }) => verdicts.map(({ step }) => step))
  for (const { versions } of run.approvals.values()) {
    for (const { step, value } of versions) if (isDecided(readApprovalState(value.state))) steps.push(step)
  }
  const settled = [...run.operations.values()].flatMap((operation) => {
    if (operation.agent !== undefined && !concerned.has(operation.agent)) return []
    const version = operation.versions.find(({ value }) => value.state === 'settled')
    return version === undefined ? [] : [{ operation, step: version.step }]
  })
  for (const { operation, step } of settled.sort((a, b) => a.step - b.step)) {
    const effect = effectOf(operation)
    // Most calls are made once: their results need not be written out.
    if (!shared.has(effect)) {
      steps.push(step)
      continue
    }
    const known = results.get(effect) ?? new Set<string>()
    const result = resultOf(operation)
    if (!known.has(result)) steps.push(step)
    results.set(effect, known.add(result))
  }
  return steps.sort((a, b) => a - b)
}

function agentsOfHandoffs(run: Run): Set<string | undefined> {
  return new Set(
    run.handoffs.flatMap(({ from, to, receipts }) => [from, to, ...receipts.map(({ by }) => by)]),
  )
}

function resultOf(operation: Operation): string {
  return canonicalJson(latest(operation).result ?? null)
}
