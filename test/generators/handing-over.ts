import type { Item } from './item-forms.ts'
import { type Fields, READS, type Stage, WRITES } from './stage.ts'

/** Both sides of a handoff as they are about to be written. A fault changes them; a sound runtime does not. */
export type Sides = { sent: Fields; received: Fields }

export type Handover = {
  mode: string
  to: string
  reason?: string
  /** What the receiver's model gets; the whole history if left out. */
  items?: Item[]
  /** Fields of the sender's side. */
  more?: Fields
  alter?: (sides: Sides) => void
  /** The receiver begins with what it got: it settles what is open. */
  settles?: boolean
  accepted?: boolean
}

/** Hands the task over, soundly but for what `alter` does, and returns the id of the handoff. */
export function handOver(stage: Stage, handover: Handover): string {
  const { mode, to, more = {}, settles = true, accepted = true } = handover
  const handoff = stage.next('h')
  const { owner: from, style } = stage
  // Without a record nothing that is open can cross, and promises are kept first.
  if (!style.record) {
    stage.settle()
    for (const promise of [...stage.promises]) stage.keep(promise)
  }
  const before = stage.items(stage.history)
  const items = handover.items ?? [...stage.history]
  const record = style.record ? { record: stage.record() } : {}
  const common = { principal: stage.principal, ...(style.traced ? { trace: { id: 'ab'.repeat(16) } } : {}) }
  const reason = handover.reason ?? `needs ${to} for ${handoff}`
  const sides: Sides = {
    sent: { handoff, mode, from, to, reason, items_before: before, ...record, ...common, ...more },
    received: {
      handoff,
      mode,
      by: to,
      items: stage.items(items),
      ...structuredClone(record),
      ...common,
      ...(stage.rules.length === 0 ? {} : { instructions: stage.rules.map(({ text }) => text).join('\n') }),
      tools: [...READS, ...WRITES],
    },
  }
  handover.alter?.(sides)
  stage.write('handoff.sent', sides.sent)
  stage.write('handoff.received', sides.received, to)
  if (accepted) stage.write('handoff.accepted', { handoff, by: to }, to)
  stage.owner = to
  stage.history = items
  stage.moved = false
  // The promises go over to whoever answers the user from now on.
  stage.promises = stage.promises.map((promise) => ({ ...promise, agent: to }))
  if (settles) stage.settle()
  return handoff
}
