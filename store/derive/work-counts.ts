import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { receivedBefore } from '../../replay/facts/participation.ts'
import type { Handoff, Operation, Run, Step } from '../../replay/run.ts'
import type { Row } from '../table.ts'
import { timestampMicros } from '../table.ts'
import type { Work } from './receiver-work.ts'
import { countReferences } from './references.ts'

/** The calls that left the process under each handoff, in order. */
export function callsByHandoff(work: ReadonlyMap<Operation, Work>): Map<Handoff, Work[]> {
  const calls = new Map<Handoff, Work[]>()
  for (const one of work.values()) {
    if (one.handoff === undefined || one.dispatched === undefined) continue
    const known = calls.get(one.handoff)
    if (known === undefined) calls.set(one.handoff, [one])
    else known.push(one)
  }
  for (const list of calls.values()) list.sort((a, b) => a.dispatched! - b.dispatched!)
  return calls
}

/** What the receiver of a handoff did under it. `calls` are its calls, in order. */
export function workCounts(run: Run, { receipt }: HandoffDiff, calls: readonly Work[]): Row {
  const count = (holds: (work: Work) => boolean) => calls.filter(holds).length
  const timeOf = (work: Work | undefined) =>
    work === undefined ? null : timestampMicros(run.events[work.dispatched!]?.at)
  const correct = calls.findIndex(isCorrect)
  const references =
    receipt === undefined
      ? { received: 0, used: 0 }
      : countReferences(run, receipt, nextReceipt(run, receipt.by, receipt.step), calls)
  return {
    calls: calls.length,
    writes: count(({ operation }) => operation.effect === 'write'),
    repeats_by_key: count(({ repeat }) => repeat?.sharedKey === true),
    repeats_by_arguments: count(({ repeat }) => repeat?.sharedKey === false),
    redundant_calls: count(({ redundant }) => redundant),
    redone_calls: count(({ redone }) => redone),
    calls_undone: count(({ correction }) => correction === 'undone'),
    calls_rejected: count(({ correction }) => correction === 'rejected'),
    calls_repeated: count(({ correction }) => correction === 'repeated'),
    first_call_at: timeOf(calls[0]),
    first_correct_call_at: timeOf(calls[correct]),
    calls_before_correct: correct === -1 ? null : correct,
    references_received: references.received,
    references_used: references.used,
  }
}

/** Neither done before, nor answered before, nor refused. */
function isCorrect({ redundant, answered, refused, repeat }: Work): boolean {
  return !redundant && !answered && !refused && (repeat === undefined || repeat.sharedKey)
}

function nextReceipt(run: Run, agent: string | undefined, step: Step): Step {
  if (agent === undefined) return run.events.length
  const all = receivedBefore(run, agent, run.events.length)
  return all.find(({ receipt }) => receipt.step > step)?.receipt.step ?? run.events.length
}
