import { byTime, type HandoffAct, type Side } from './acts.ts'

/** Joins the two spans that handspan writes for a handoff, by its id and attempt, whatever traces they stand in. */
export function joinSides(handoffs: readonly HandoffAct[]): HandoffAct[] {
  const joined = new Map<string, HandoffAct>()
  return [...handoffs].sort(byTime).flatMap((handoff) => {
    if (handoff.own === undefined) return [handoff]
    const { node, start, end, own } = handoff
    const side: Side = { ...own, node, start, end }
    const key = `${own.handoff}\u0000${own.attempt}`
    const known = joined.get(key)
    if (known === undefined) {
      handoff.sides = { [own.side]: side }
      joined.set(key, handoff)
      return [handoff]
    }
    known.sides = { [own.side]: side, ...known.sides }
    for (const name of ['from', 'to', 'call', 'reason'] as const) {
      if (known[name] === undefined && handoff[name] !== undefined) known[name] = handoff[name]
    }
    // What happened at the sender is told from there, though a clock may have put the receiver first.
    if (own.side === 'sent') Object.assign(known, { node, run: handoff.run })
    return []
  })
}
