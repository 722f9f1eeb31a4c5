import { firstStep } from '../history.ts'
import type { Commitment, Handoff, Run, Step } from '../run.ts'
import { dispatchStep } from './effects.ts'

/** A result that a promise waited for, and why it did not lead to its being kept. */
export type Awaited = { handoff: Handoff; step: Step; words: string }

/** The result of a delegation by whoever made the promise, if it never arrived or nothing was said after it. */
export function awaitedResult(run: Run, commitment: Commitment): Awaited | undefined {
  const { agent } = commitment
  const given = run.handoffs.filter(
    ({ mode, from, sent }) =>
      mode === 'delegate' && sent !== undefined && (agent === undefined || from === agent),
  )
  for (const delegation of given) {
    const stranded = strandedResult(run, delegation)
    if (stranded !== undefined) return stranded
  }
  return unspokenResult(run, commitment, given)
}

function strandedResult(run: Run, delegation: Handoff): Awaited | undefined {
  const helper = delegation.receipts[0]?.by ?? delegation.to
  const { from, sent } = delegation
  const back = run.handoffs.filter(
    (handoff) =>
      handoff.from === helper &&
      handoff.to === from &&
      handoff.sent !== undefined &&
      handoff.sent.step > sent!.step,
  )
  if (back.some(({ receipts }) => receipts.length > 0)) return undefined
  const lost = back[0]
  if (lost !== undefined) {
    return {
      handoff: lost,
      step: lost.sent!.step,
      words: `the report of ${helper} (${lost.id}) never reached it`,
    }
  }
  return {
    handoff: delegation,
    step: lastStepOf(run, delegation),
    words: `${helper ?? 'the helper'} never reported back on ${delegation.id}`,
  }
}

function lastStepOf(run: Run, { sent, receipts, failed }: Handoff): Step {
  const helper = receipts[0]?.by
  const done = [...run.operations.values()].findLast(
    (operation) =>
      helper !== undefined && operation.agent === helper && dispatchStep(operation) !== undefined,
  )
  return done?.versions.at(-1)?.step ?? failed?.step ?? receipts[0]?.step ?? sent!.step
}

/** The report came after the promise, and its holder did nothing at all any more. */
function unspokenResult(run: Run, commitment: Commitment, given: readonly Handoff[]): Awaited | undefined {
  const helpers = new Set(given.map(({ receipts, to }) => receipts[0]?.by ?? to))
  for (const handoff of run.handoffs.toReversed()) {
    const arrival = handoff.receipts[0]
    if (arrival === undefined || !helpers.has(handoff.from)) continue
    if (arrival.step < firstStep(commitment)) continue
    if (commitment.agent !== undefined && arrival.by !== commitment.agent) continue
    const acted = run.events.some(
      (event, step) => step > arrival.step && (event.agent === arrival.by || event.from === arrival.by),
    )
    if (acted) return undefined
    return {
      handoff,
      step: arrival.step,
      words: `the report of ${handoff.from} (${handoff.id}) was the last that happened`,
    }
  }
  return undefined
}
