import type { Transport } from '../handoff.ts'
import type { RunLog } from './shared-runs.ts'

/** The answer of an agent in another process to the task that it was given. */
export type Answer = {
  /** The agent that was asked. */
  from: string
  /** The agent that gets the answer. */
  to: string
  /** The words of the answer, and the items in which they arrived. */
  brief: unknown
  items: readonly unknown[]
  call?: string | undefined
  transport: Transport
}

/**
 * Tells both ends of a return where the answer arrives: the protocols carry no envelope back, and what has arrived was
 * sent. An answer that gets lost is therefore no return, and the state of the task at the other side shows it.
 */
export function cameBack(log: RunLog, { from, to, brief, items, call, transport }: Answer): void {
  const handoff = log.run.handoff({
    from,
    to,
    mode: 'return',
    brief,
    policy: { history: 'brief' },
    ...(call === undefined ? {} : { call }),
    transport,
    record: false,
  })
  // Whoever gave the task away still has what it knew of it.
  const { origin } = handoff.record
  const principal = origin === undefined ? {} : { principal: origin }
  log.handspan.receive(handoff.carrier, { by: to, items, ...principal, transport }).accept()
}
