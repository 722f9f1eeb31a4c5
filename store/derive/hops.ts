import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { lapsOf } from '../../replay/facts/laps.ts'
import type { Handoff, Run } from '../../replay/run.ts'

/** Where a received handoff stands in its chain. */
export type Hop = {
  /** 1 for the first one of a chain: each next one is sent by the agent that received the one before. */
  hop: number
  /** Tokens of its items over those of the hop before. */
  growth?: number | undefined
}

/** The place of every received handoff but notices, in order of receipt. */
export function hopsOf(diffs: readonly HandoffDiff[]): Map<Handoff, Hop> {
  const hops = new Map<Handoff, Hop>()
  const received = diffs
    .filter(({ receipt, handoff }) => receipt !== undefined && handoff.mode !== 'notify')
    .sort((a, b) => a.receipt!.step - b.receipt!.step)
  // By receiver: where several agents work side by side, the hop before is not the latest of the run.
  const latest = new Map<string, { hop: number; tokens: number | undefined }>()
  for (const { handoff, receipt, sizes } of received) {
    const last = handoff.from === undefined ? undefined : latest.get(handoff.from)
    const tokens = sizes.items?.tokens
    const before = last?.tokens
    const hop = (last?.hop ?? 0) + 1
    hops.set(handoff, {
      hop,
      growth: before !== undefined && before > 0 && tokens !== undefined ? tokens / before : undefined,
    })
    if (receipt!.by !== undefined) latest.set(receipt!.by, { hop, tokens })
  }
  return hops
}

/** How often each handoff's task had come the same way, itself included, with no person and no new result in between. */
export function lapNumbers(run: Run): Map<Handoff, number> {
  const laps = new Map<Handoff, number>()
  for (const { handoffs } of lapsOf(run)) {
    for (const [index, handoff] of handoffs.entries()) {
      laps.set(handoff, Math.max(laps.get(handoff) ?? 1, index + 1))
    }
  }
  return laps
}
