import type { Trial } from '../replay/what-if/what-if.ts'

/** A handoff over which a filter was tried, or the reason why it could not be. */
export type TriedHandoff = {
  run: string
  handoff: string
  attempt: number
  from?: string | undefined
  to?: string | undefined
  trial?: Trial | undefined
  /** Why there is no trial. `failed`: because of the filter. */
  reason?: string | undefined
  failed?: boolean
  mutated?: boolean
}

/** What came of a filter at a handoff, as `what-if --json` prints it. */
export function trialJson({ trial, ...about }: TriedHandoff): Record<string, unknown> {
  if (trial === undefined) return about
  const { fresh, ...rest } = trial
  return { ...about, ...rest, new: fresh }
}
