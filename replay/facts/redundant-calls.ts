import { canonicalJson } from '../../model/hash.ts'
import { argumentValues } from '../argument-values.ts'
import type { CheckInput } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { toolStems } from '../diff/mention.ts'
import { knownResults, resultCrossed } from '../diff/results.ts'
import { instantOf } from '../fold/time.ts'
import { firstStep, latest, valueAt } from '../history.ts'
import { Remembered } from '../remembered.ts'
import type { Operation, Run, Step } from '../run.ts'
import { anyBetween } from '../steps.ts'
import { groupBy, writeDispatches } from './dispatches.ts'
import { sharedAmong } from './shared-effects.ts'
import { userTurns } from './user-turns.ts'

/** A read of the receiver's whose result the sender had when it handed over. */
export type RedundantCall = { diff: HandoffDiff; first: Operation; again: Operation; step: Step }

// An answer older than this may have changed; asking again is then no waste.
const FRESH_FOR_MS = 60 * 60 * 1000

/** Reads that a receiver repeats although nothing in the log gives a reason: no new turn, write, other result or long wait. */
export function redundantCalls({ run, diffs }: Pick<CheckInput, 'run' | 'diffs'>): readonly RedundantCall[] {
  let calls = found.get(diffs)
  if (calls === undefined) {
    calls = findCalls(run, diffs)
    found.set(diffs, calls)
  }
  return calls
}

// Several checks ask this of the same handoffs.
const found = new Remembered<readonly HandoffDiff[], RedundantCall[]>()

function findCalls(run: Run, diffs: readonly HandoffDiff[]): RedundantCall[] {
  const reads = [...run.operations.values()].filter(
    ({ effect, versions }) => effect === 'read' && versions.some(({ value }) => value.state !== 'proposed'),
  )
  const repeated = [...sharedAmong(reads).values()]
  if (repeated.length === 0) return []
  const arrivals = arrivalsOf(run, diffs)
  const excused = excuses(run)
  return repeated.flatMap((group) =>
    group.slice(1).flatMap((again, index) => {
      const step = firstStep(again)
      const arrival = arrivals(again.agent, step)
      if (arrival === undefined) return []
      const earlier = group.slice(Math.max(0, index + 1 - KEPT), index + 1)
      // Its own history, or a call that anybody makes over and over: asked for fresh data.
      if (earlier.some((other) => other.agent === again.agent && !arrival.lostResult(other))) return []
      if (earlier.filter(arrival.knows).length !== 1) return []
      const first = earlier.find(arrival.knows)!
      if (excused(first, again, arrival.diff)) return []
      return [{ diff: arrival.diff, first, again, step }]
    }),
  )
}

const KEPT = 8

type Arrival = {
  diff: HandoffDiff
  knows(operation: Operation): boolean
  /** True if a resume gave the agent back less than it had. */
  lostResult(operation: Operation): boolean
}

/** The latest handoff that an agent received before a step. */
function arrivalsOf(run: Run, diffs: readonly HandoffDiff[]) {
  const byAgent = groupBy(
    diffs.filter(({ receipt, sent }) => receipt?.by !== undefined && sent !== undefined),
    ({ receipt }) => receipt!.by!,
  )
  return (agent: string | undefined, step: Step): Arrival | undefined => {
    const diff = byAgent.get(agent ?? '')?.findLast(({ receipt }) => receipt!.step < step)
    if (diff === undefined) return undefined
    const results = knownResults(run, diff)
    const sentAt = diff.sent!.step
    const knows = (operation: Operation) =>
      valueAt(operation, sentAt)?.state === 'settled' &&
      (results.has(operation) || (operation.agent !== undefined && operation.agent === diff.handoff.from))
    const lostResult = (operation: Operation) =>
      diff.handoff.mode === 'resume' &&
      knows(operation) &&
      !resultCrossed(results.get(operation) ?? { operation, recorded: false }, diff.receipt!)
    return { diff, knows, lostResult }
  }
}

function excuses(run: Run): (first: Operation, again: Operation, diff: HandoffDiff) => boolean {
  const turns = userTurns(run)
  const writes = writeDispatches(run)
  const writeSteps = writes.map(({ step }) => step)
  return (first, again, diff) => {
    const step = firstStep(again)
    const received = diff.receipt!.step
    if (turns.between(received - 1, step) || anyBetween(writeSteps, received, step)) return true
    if (differ(latest(first).result, latest(again).result)) return true
    const settled = first.versions.find(({ value }) => value.state === 'settled')!
    const waited = elapsed(settled.value.event.at, run.events[step]?.at)
    if (waited !== undefined && waited > FRESH_FOR_MS) return true
    return writes.some(
      (write) => write.step > settled.step && write.step < received && concernsSame(write.operation, first),
    )
  }
}

function differ(a: unknown, b: unknown): boolean {
  return a !== undefined && b !== undefined && canonicalJson(a) !== canonicalJson(b)
}

function elapsed(from: unknown, to: unknown): number | undefined {
  const start = instantOf(from)
  const end = instantOf(to)
  return start === undefined || end === undefined ? undefined : end - start
}

/** A write may have changed what was read if it names the same things. */
function concernsSame(write: Operation, read: Operation): boolean {
  const values = new Set(argumentValues(write.args))
  if (argumentValues(read.args).some((value) => values.has(value))) return true
  const stems = new Set(toolStems(write.tool))
  return toolStems(read.tool).some((stem) => stems.has(stem))
}
