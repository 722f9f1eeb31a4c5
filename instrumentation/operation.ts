import { type JsonObject, textOf } from '../model/json.ts'
import { conform } from './conform.ts'
import type { RunCore } from './run-core.ts'
import { knownOperation, repeatedOperation } from './run-state.ts'
import { storable, storableFields, storableText } from './storable.ts'

/** A call with a possible effect, for those who report its transitions themselves. */
export type OperationOptions = {
  /** Name of the tool or service. */
  tool: string
  /** Arguments as they are dispatched. */
  args?: unknown
  /** `write` unless the call is known to change nothing. */
  effect?: 'read' | 'write'
  /** Idempotency key: names the intended effect, the same on every retry. */
  key?: string
  /** The agent that calls. Default: the agent of the run's view. */
  agent?: string
  /** The model's tool-call id; not an idempotency key. */
  call?: string
  /** Id of the operation. Default: new, or that of the unsettled operation which this one repeats (same tool, key, arguments). */
  op?: string
  /** 1 for the first attempt. Default: counted. */
  attempt?: number
  /** The approval that allows it. */
  approval?: string
  intent?: string
  /** Values in the result that must not travel on. */
  sensitive?: string[]
}

/** How a settlement was reached. */
export type SettledBy = 'reply' | 'key' | 'closed' | 'details' | 'awaited'

/** One operation. Every method writes the transition and returns at once; none throws. */
export class Operation {
  readonly op: string
  readonly attempt: number
  readonly #core: RunCore
  readonly #identity: JsonObject
  #args: JsonObject

  /** @internal */
  constructor(core: RunCore, agent: string | undefined, options: OperationOptions) {
    const fields = conform('operation', storableFields(options))
    const tool = textOf(fields.tool) ?? 'unnamed'
    const key = textOf(fields.key)
    const before =
      key === undefined ? undefined : repeatedOperation(core.state, { tool, key, args: fields.args })
    this.#core = core
    this.op = textOf(fields.op) ?? before?.op ?? core.newId('op')
    this.attempt =
      typeof fields.attempt === 'number'
        ? fields.attempt
        : (before?.attempt ?? knownOperation(core.state, this.op)?.attempt ?? 0) + 1
    const { args, ...others } = fields
    const by = textOf(fields.agent) ?? agent
    this.#args = args === undefined ? {} : { args }
    this.#identity = {
      ...others,
      op: this.op,
      tool,
      effect: fields.effect === 'read' ? 'read' : 'write',
      ...(key === undefined ? {} : { key }),
      ...(by === undefined ? {} : { agent: by }),
      ...(this.attempt > 1 ? { attempt: this.attempt } : {}),
    }
  }

  /** The model asked for it; nothing has left yet. */
  proposed(): void {
    this.#write({ state: 'proposed' })
  }

  /** To be called before the request leaves, so that a process killed in the middle leaves the operation in doubt. */
  sent(): void {
    this.#write({ state: 'sent' })
  }

  /** The service answered. `by` says how the answer was reached, where it was not the plain reply. */
  settled(result?: unknown, by?: SettledBy): void {
    this.#write({ state: 'settled', ...resultField(result), ...byField(by) })
  }

  /** The service refused, or the request never left: there is no effect. */
  failed(error?: unknown): void {
    this.#write({ state: 'failed', ...errorField(error) })
  }

  /** No answer: the effect may exist or may still come. */
  unknown(error?: unknown): void {
    this.#write({ state: 'unknown', ...errorField(error) })
  }

  /** The service refuses this key from now on; `result` is what had landed before, if anything had. */
  closed(result?: unknown): void {
    this.#write({ state: 'closed', ...resultField(result), by: 'closed' })
  }

  #write(transition: JsonObject): void {
    this.#core.record('operation', { ...this.#identity, ...this.#args, ...transition })
    // The arguments do not change: they are written once.
    this.#args = {}
  }
}

function resultField(result: unknown): JsonObject {
  const stored = storable(result)
  return stored === undefined ? {} : { result: stored }
}

function errorField(error: unknown): JsonObject {
  const stored = storable(error)
  return stored === undefined ? {} : { error: stored }
}

function byField(by: unknown): JsonObject {
  return typeof by === 'string' ? { by: storableText(by) } : {}
}
