import { isObject, textOf } from '../model/json.ts'
import type { Acts, HandoffAct, Side } from './acts.ts'
import type { Receipt } from './receipts.ts'
import { earlier } from './time.ts'
import { ORDER, type Timeline } from './timeline.ts'
import { itemsBefore } from './write-calls.ts'

/** Tells each handoff: sent, received where no request to the receiver's model shows it, and what became of it. */
export function writeHandoffs(line: Timeline, acts: Acts, receipts: readonly Receipt[]): void {
  const arrived = new Map(receipts.map((receipt) => [receipt.handoff, receipt]))
  for (const handoff of acts.handoffs) {
    const receipt = arrived.get(handoff)
    const own = handoff.sides?.received
    // A clock may say that it arrived before it left.
    const times = [handoff.start, receipt?.at, own?.start].filter((time) => time !== undefined)
    writeSent(line, acts, handoff, times.reduce(earlier))
    const node = own?.node ?? receipt?.agent?.node
    if (receipt?.model === undefined && node !== undefined) {
      line.add(own?.start ?? receipt!.at, ORDER.received, 'handoff.received', node, {
        ...names(handoff),
        by: handoff.to,
        ...(own === undefined ? {} : { payload: own.payload }),
      })
    }
    writeOutcome(line, handoff)
  }
}

function names({ id, attempt, evidence }: HandoffAct) {
  return { handoff: id, attempt: attempt === 1 ? undefined : attempt, evidence }
}

function writeSent(line: Timeline, acts: Acts, handoff: HandoffAct, at: bigint): void {
  const { mode, from, to, call, tool, brief, sides } = handoff
  // Only the receiver was seen, and it does not say who sent it.
  if (sides !== undefined && sides.sent === undefined && from === undefined) return
  line.add(at, ORDER.sent, 'handoff.sent', handoff.node, {
    ...names(handoff),
    mode,
    from,
    to,
    call,
    tool,
    reason: handoff.reason ?? (isObject(brief) ? textOf(brief.reason) : undefined),
    brief,
    items_before: itemsBefore(acts, handoff),
    payload: sides?.sent?.payload,
    native: handoff.native,
  })
}

function writeOutcome(line: Timeline, handoff: HandoffAct): void {
  const { failed, broke, start, end, node } = handoff
  if (failed !== undefined) {
    line.add(end ?? start, ORDER.ended, 'handoff.failed', node, {
      ...names(handoff),
      outcome: 'refused-before-effect',
      error: failed,
    })
  }
  if (broke !== undefined) {
    line.add(end ?? start, ORDER.ended, 'handoff.failed', node, {
      ...names(handoff),
      outcome: 'unknown',
      error: broke,
    })
  }
  for (const side of [handoff.sides?.sent, handoff.sides?.received]) {
    if (side !== undefined) writeOwnOutcome(line, handoff, side)
  }
}

/** What handspan's own spans say of the end of a handoff. */
function writeOwnOutcome(line: Timeline, handoff: HandoffAct, { outcome, node, start, end }: Side): void {
  const at = end ?? start
  const by = handoff.to
  if (outcome === 'accepted' || outcome === 'declined') {
    line.add(at, ORDER.ended, `handoff.${outcome}`, node, { ...names(handoff), by })
  } else if (outcome === 'dead_lettered') {
    line.add(at, ORDER.ended, 'handoff.dead_lettered', node, names(handoff))
  } else if (outcome === 'unknown' || outcome === 'refused' || outcome === 'refused-before-effect') {
    line.add(at, ORDER.ended, 'handoff.failed', node, { ...names(handoff), outcome })
  }
}
