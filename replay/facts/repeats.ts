import { resultCrossed } from '../diff/results.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run, Step } from '../run.ts'
import { anyBetween } from '../steps.ts'
import { type Dispatch, groupBy, stateBefore, writeDispatches } from './dispatches.ts'
import { lostWithHandoff } from './lost-with-handoff.ts'
import { stepsOf } from './steps-by-kind.ts'
import { userTurns } from './user-turns.ts'

/** A write that left again while an earlier one with the same effect may have landed, and nobody asked for it twice. */
export type Repeat = {
  first: Dispatch
  again: Dispatch
  /** True if nobody knew the outcome of the first when it was repeated. */
  inDoubt: boolean
  /** True if the service can tell that both are one. */
  sharedKey: boolean
}

/** Every repeat of a run, in order, those under one shared key included. */
export const findRepeats = oncePerRun((run): Repeat[] => {
  const dispatches = writeDispatches(run)
  const judge = judgement(run, dispatches)
  const repeats: Repeat[] = []
  for (const group of groupBy(dispatches, (dispatch) => dispatch.effect).values()) {
    const standing: Dispatch[] = []
    for (const again of group) {
      const open = standing.filter((earlier) => mayHaveLanded(run, earlier, again.step))
      const first = open.find(({ key }) => key !== undefined && key === again.key) ?? open.at(-1)
      // More than a few earlier ones tell nothing more than the latest does.
      standing.splice(0, standing.length, ...open.slice(-KEPT), again)
      if (first === undefined || !judge(first, again)) continue
      const state = stateBefore(first, again.step)
      repeats.push({
        first,
        again,
        // Filed as failed without a look-up, it is as much in doubt as before.
        inDoubt: state === 'sent' || state === 'unknown' || state === 'failed',
        sharedKey: again.key !== undefined && again.key === first.key,
      })
    }
  }
  return repeats.sort((a, b) => a.again.step - b.again.step)
})

const KEPT = 8

function mayHaveLanded(run: Run, dispatch: Dispatch, step: Step): boolean {
  const state = stateBefore(dispatch, step)
  return state === 'failed' ? lostWithHandoff(run).has(dispatch.operation) : state !== 'closed'
}

/** Says of two dispatches of one effect whether the second repeats the first, rather than being wanted for itself. */
function judgement(run: Run, dispatches: readonly Dispatch[]): (first: Dispatch, again: Dispatch) => boolean {
  const turns = userTurns(run)
  const places = new Map(dispatches.map((dispatch, index) => [dispatch, index]))
  const knowsResult = knowledge(run)
  return (first, again) => {
    if (differ(first.operation.intent, again.operation.intent)) return false
    if (isNotedAsOne(first, again)) return true
    const state = stateBefore(first, again.step)
    // Where reads are not declared, two equal calls are most often two reads.
    if (first.operation.effectAssumed && first.key === undefined) return false
    // Whatever was asked for since: while the outcome of the first is unknown, the second may double it.
    if (state === 'unknown') return true
    if (turns.between(first.step, again.step) || areParallel(run, first, again)) return false
    const workBetween = places.get(again)! - places.get(first)! > 1
    // An agent that knows the result, does something else and calls once more works in rounds: edit, test, edit, test.
    const inRounds = state === 'settled' && first.key === undefined && again.key === undefined && workBetween
    return !(inRounds && knowsResult(first, again))
  }
}

/** The log itself ties both together: one approval used twice, one call of the model, one operation tried again. */
function isNotedAsOne(a: Dispatch, b: Dispatch): boolean {
  if (a.approval !== undefined && a.approval === b.approval) return true
  return sameCall(a, b) || (a.operation === b.operation && b.attempt > a.attempt)
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b
}

/** The same call of the model. Some providers only count the calls of one answer; such an id names nothing. */
function sameCall(a: Dispatch, b: Dispatch): boolean {
  return a.call !== undefined && a.call === b.call && !/^(call[_-]?)?\d{1,2}$/iu.test(a.call)
}

/** Two calls of one answer of the model, sent side by side: it wants both. */
function areParallel(run: Run, first: Dispatch, again: Dispatch): boolean {
  if (first.agent !== again.agent || !differ(first.call, again.call)) return false
  if (stateBefore(first, again.step) !== 'sent') return false
  for (let step = first.step + 1; step < again.step; step++) {
    const kind = run.events[step]!.kind
    if (kind !== 'operation' && kind !== 'approval') return false
  }
  return true
}

/** Whether the agent of the second call has the result of the first in mind: its own, or in what it last received. */
function knowledge(run: Run): (first: Dispatch, again: Dispatch) => boolean {
  const crashes = stepsOf(run, 'process.crash')
  const receipts = groupBy(
    run.handoffs.flatMap((handoff) => handoff.receipts).sort((a, b) => a.step - b.step),
    ({ by }) => by ?? '',
  )
  return (first, again) => {
    const receipt = receipts.get(again.agent ?? '')?.findLast(({ step }) => step < again.step)
    if (receipt !== undefined && receipt.step > first.step) {
      return resultCrossed({ operation: first.operation, recorded: false }, receipt)
    }
    return first.agent === again.agent && !anyBetween(crashes, first.step, again.step)
  }
}
