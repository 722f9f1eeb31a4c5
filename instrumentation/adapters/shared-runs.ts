import type { Handoff } from '../handoff.ts'
import type { Handspan } from '../handspan.ts'
import type { Run } from '../run.ts'
import { start } from '../start.ts'
import { CallLog } from './shared-calls.ts'
import type { AdapterOptions } from './shared-options.ts'

/** A handspan run as an adapter writes into it, over however many runs of the framework it takes. */
export type RunLog = {
  handspan: Handspan
  run: Run
  /** The framework whose adapter started it, and ends it too; undefined for a run of the program. */
  owner: string | undefined
  calls: CallLog
  /** Delegations by the call that made them. */
  delegations: Map<string, Handoff>
}

const known = new WeakMap<Run, RunLog>()

/** The log of the run that is current; a new run of the adapter's own, labelled with the framework, if there is none. */
export function currentLog(framework: string, options: AdapterOptions): RunLog {
  const handspan = start()
  const run = handspan.current()
  if (run === undefined) return ownLog(handspan, framework, options)
  let log = known.get(run)
  if (log === undefined) {
    log = newLog(handspan, run, undefined, options)
    known.set(run, log)
  }
  return log
}

function newLog(handspan: Handspan, run: Run, owner: string | undefined, options: AdapterOptions): RunLog {
  return { handspan, run, owner, calls: new CallLog(run, options), delegations: new Map() }
}

function ownLog(handspan: Handspan, framework: string, options: AdapterOptions): RunLog {
  const { principal } = options
  const labels = { framework }
  const run = handspan.startRun(principal === undefined ? { labels } : { labels, principal })
  const log = newLog(handspan, run, framework, options)
  // So that what a tool starts inside of it is found to belong to it.
  known.set(run, log)
  return log
}

const MAX_WAITING = 256

/**
 * Runs of the adapter's own that wait for a person, by what the framework gives to recognise them. They go on when the
 * framework does. A name that two of them share is not used: a run too many is better than two mixed.
 */
export class WaitingRuns {
  readonly #logs = new Map<string, RunLog[]>()

  add(name: string, log: RunLog): void {
    this.#logs.set(name, [...(this.#logs.get(name) ?? []), log])
    const oldest = this.#logs.keys().next()
    if (this.#logs.size > MAX_WAITING && !oldest.done) this.#logs.delete(oldest.value)
  }

  take(name: string): RunLog | undefined {
    const logs = this.#logs.get(name)
    if (logs?.length !== 1) return undefined
    this.#logs.delete(name)
    return logs[0]
  }
}
