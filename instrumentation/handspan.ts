import { type JsonObject, listOf, textOf } from '../model/json.ts'
import { type CarrierLike, readCarrier } from './carrier.ts'
import { Clock } from './clock.ts'
import { conform } from './conform.ts'
import { currentRun } from './current.ts'
import { newRunId } from './ids.ts'
import { privateTracing, report } from './otel.ts'
import { type Arrival, Received, type ReceiveOptions } from './received.ts'
import type { PrincipalInput } from './record-types.ts'
import { type Counters, Recorder } from './recorder.ts'
import { Run } from './run.ts'
import { RunCore } from './run-core.ts'
import { SentHandoffs } from './sent-handoffs.ts'
import type { Settings } from './settings.ts'
import { endOpenSpans } from './spans.ts'
import { storableFields } from './storable.ts'

/** What is known of a run when it starts. */
export type RunOptions = {
  /** Who started it, with what authority, whatever the roles of the messages say. */
  principal?: PrincipalInput
  /** Correlation id, opaque: no names, no addresses. Default: a new ULID. */
  id?: string
  /** The agents that take part: names, or with their tools and permissions. */
  agents?: (string | { name: string; tools?: string[]; permissions?: unknown })[]
  labels?: Record<string, unknown>
  /** The run that this one repeats. */
  replay_of?: string
}

/** The captures of this process. `start()` gives it. */
export class Handspan {
  readonly #recorder: Recorder
  readonly #sent = new SentHandoffs()
  readonly #onShutdown: () => void

  /** @internal */
  constructor(settings: Settings, onShutdown: () => void) {
    this.#recorder = new Recorder(settings, new Clock())
    this.#onShutdown = onShutdown
  }

  /** Runs a task as one run: current while it lasts, ended when it returns, failed when it throws (and the error goes on). */
  async run<T>(options: RunOptions, act: (run: Run) => T | Promise<T>): Promise<T> {
    const run = this.startRun(options)
    try {
      const result = await run.within(() => act(run))
      run.end()
      return result
    } catch (error) {
      run.failed(error)
      throw error
    }
  }

  /** Starts a run that the program ends itself: `run.end()`, or `await using`. */
  startRun(options: RunOptions = {}): Run {
    const { id, agents, ...given } = conform('run.start', storableFields(options))
    const core = this.#newCore(textOf(id))
    const { service } = this.#recorder.settings
    core.record('run.start', {
      ...given,
      ...(agents === undefined ? {} : { agents: agentList(agents) }),
      ...(service === undefined ? {} : { service }),
    })
    return new Run(core, undefined)
  }

  /** The run of the code that asks; undefined outside of one. */
  current(): Run | undefined {
    return currentRun()
  }

  /**
   * Takes a handoff in, in the sender's process or another one. `carrier` is what came with the payload: headers in any
   * form, or `handoff.carrier` itself. What it says joins the events of both sides; it gives nobody any authority.
   */
  receive(carrier: CarrierLike, options: ReceiveOptions): Received {
    return new Received(this.#arrival(carrier), options)
  }

  /** @internal False if capturing is switched off: then nothing is put beside a payload. */
  get enabled(): boolean {
    return this.#recorder.settings.enabled
  }

  /** What has happened to the events of this process. */
  counters(): Counters {
    return { ...this.#recorder.counters }
  }

  /** Ends open spans, sends those of `register()`, and closes the spool. Events are on disk already; may be called twice. */
  async shutdown(): Promise<void> {
    endOpenSpans()
    this.#recorder.close()
    this.#onShutdown()
    await privateTracing()?.flush()
  }

  #arrival(carrier: unknown): Arrival {
    const { envelope, span } = readCarrier(carrier)
    if (envelope === undefined) {
      // An id of its own, and numbers with a mark: the sender's run may be found later, by the link.
      const core = this.#newCore(newRunId())
      return { core, handoff: core.newId('h'), attempt: 1, orphan: true, sent: undefined, sender: span }
    }
    if (!this.#recorder.clock.merge(envelope.clock)) {
      report('warn', 'the clock of a received handoff is more than five minutes ahead: it is not followed')
    }
    const sent = this.#sent.find(envelope.handoff, envelope.run)
    const core = sent?.core ?? this.#newCore(envelope.run)
    return { core, handoff: envelope.handoff, attempt: envelope.attempt, orphan: false, sent, sender: span }
  }

  #newCore(run: string | undefined): RunCore {
    return new RunCore(run, this.#recorder, this.#sent)
  }
}

/** Agents by name, in the form of the run log; what has no name is passed over. */
function agentList(agents: unknown): JsonObject[] {
  return listOf(agents).flatMap((agent) => {
    const fields = typeof agent === 'string' ? { name: agent } : storableFields(agent)
    return textOf(fields.name) === undefined ? [] : [fields]
  })
}
