import type { RunEvent } from '../../../model/run-log.ts'
import type { Stage, Style } from '../stage.ts'

/** One fault that a runtime may have, played in the middle of an ordinary run. */
export type Fault = {
  /** The id that it must raise, by the definition of that check. */
  check: string
  /** What goes wrong. */
  name: string
  /** What the runtime must be like for the fault to be possible. */
  style?: Partial<Style>
  /** The run ends right after it. */
  last?: boolean
  play(stage: Stage): void
  /** The log of a run that repeats this one, where only two of them show the fault. */
  repeat?: (log: readonly RunEvent[]) => RunEvent[]
}

/** The faults of one check, by what goes wrong. */
export function faultsOf(
  check: string,
  plays: Record<string, Omit<Fault, 'check' | 'name'> | Fault['play']>,
): Fault[] {
  return Object.entries(plays).map(([name, play]) => ({
    check,
    name,
    ...(typeof play === 'function' ? { play } : play),
  }))
}

export const RECORD = { record: true } as const
export const PLAIN = { form: 'plain', ids: true } as const
