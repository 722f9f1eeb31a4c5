import type { JsonObject } from '../model/json.ts'
import { conform } from './conform.ts'
import { newRunId, RunNumbers } from './ids.ts'
import { activeTrace, type TraceContext } from './otel.ts'
import type { Recorder } from './recorder.ts'
import { applyEvent, emptyState, type RunState } from './run-state.ts'
import type { SentHandoffs } from './sent-handoffs.ts'

/** One run in this process: what is known of it, and the way to write more. Shared by all its agents. */
export class RunCore {
  readonly id: string
  readonly state: RunState
  readonly recorder: Recorder
  readonly sent: SentHandoffs
  ended = false
  readonly #attempts = new Map<string, number>()
  readonly #numbers: RunNumbers

  /** `id`: of a run that may have begun elsewhere; without one a new run begins here. */
  constructor(id: string | undefined, recorder: Recorder, sent: SentHandoffs) {
    this.id = id ?? newRunId()
    this.#numbers = new RunNumbers(id !== undefined)
    this.state = emptyState(this.id)
    this.recorder = recorder
    this.sent = sent
  }

  /** Takes one event into the state and writes it. The fields must be JSON already. Never throws. */
  record(kind: string, given: JsonObject, trace: TraceContext | undefined = activeTrace()): void {
    const fields = conform(kind, given)
    try {
      applyEvent(this.state, kind, fields)
    } catch (error) {
      this.recorder.failed(`state of ${kind}`, error)
    }
    this.recorder.write(this.id, kind, fields, trace)
  }

  /** An id, unique in the run, for something that was given none. */
  newId(prefix: string): string {
    return this.#numbers.next(prefix)
  }

  /** 1 for the first sending of a handoff in this process, one more for every repetition. */
  nextAttempt(handoff: string): number {
    const attempt = (this.#attempts.get(handoff) ?? 0) + 1
    this.#attempts.set(handoff, attempt)
    return attempt
  }
}
