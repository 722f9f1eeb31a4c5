import { instantOf } from '../fold/time.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run, Step } from '../run.ts'

/*
 * Each process has a clock of its own. Nothing is received before it was sent: a handoff that seems to be shows by how much
 * two clocks differ at least.
 */

/**
 * By how many milliseconds the clock of the one writer is ahead of the other's, at least; 0 where no handoff from the one to
 * the other shows it, and where handoffs the other way contradict it (a clock was set in the meantime).
 */
export function aheadBy(run: Run, writer: string, other: string): number {
  const there = leastTransits(run).get(nameOf(writer, other)) ?? 0
  const back = leastTransits(run).get(nameOf(other, writer)) ?? Number.POSITIVE_INFINITY
  return there < 0 && there + back >= 0 ? -there : 0
}

/** True if an event of another process comes after this one, though it stands before it by the clocks. */
export function isProvenAfter(run: Run, step: Step, first: Step): boolean {
  const [later, earlier] = [run.events[step]!, run.events[first]!]
  const { writer } = later
  if (typeof writer !== 'string' || typeof earlier.writer !== 'string' || writer === earlier.writer)
    return false
  const [at, before] = [instantOf(later.at), instantOf(earlier.at)]
  if (at === undefined || before === undefined) return false
  const ahead = aheadBy(run, earlier.writer, writer)
  return ahead > 0 && at > before - ahead
}

/** From one writer to another: the shortest time, by their clocks, from the sending of a handoff to its receipt. */
const leastTransits = oncePerRun((run): ReadonlyMap<string, number> => {
  const least = new Map<string, number>()
  for (const { sent, receipts } of run.handoffs) {
    const from = sent && run.events[sent.step]
    const to = receipts[0] && run.events[receipts[0].step]
    if (typeof from?.writer !== 'string' || typeof to?.writer !== 'string') continue
    const [start, end] = [instantOf(from.at), instantOf(to.at)]
    if (start === undefined || end === undefined) continue
    const name = nameOf(from.writer, to.writer)
    least.set(name, Math.min(least.get(name) ?? Number.POSITIVE_INFINITY, end - start))
  }
  return least
})

function nameOf(from: string, to: string): string {
  return `${from}\u0000${to}`
}
