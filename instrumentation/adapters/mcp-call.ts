import { listOf, textOf } from '../../model/json.ts'
import type { FailedOutcome, Handoff } from '../handoff.ts'
import { leavesInDoubt } from '../in-doubt.ts'
import { fieldOf, storableFields } from '../storable.ts'
import { handoffMeta, operationMeta } from './mcp-meta.ts'
import type { WireAnswer, WireCall } from './mcp-wire.ts'
import type { CallEntry } from './shared-calls.ts'
import { cameBack } from './shared-return.ts'
import type { RunLog } from './shared-runs.ts'

/** Label of the runs that the adapter starts: outside of a run each call is one. */
export const FRAMEWORK = 'mcp'

/** One `tools/call`, from its dispatch to the last that is heard of it. */
abstract class Call implements WireCall {
  /** What goes with it in `_meta`. */
  abstract readonly meta: object
  protected readonly log: RunLog
  #left = false
  #answered = false

  constructor(log: RunLog) {
    this.log = log
  }

  left(): void {
    this.#left = true
  }

  /** What the server answered, in time or late. Only the first answer counts. */
  answered(answer: WireAnswer): void {
    // The result of a task comes by other requests.
    if (this.#answered || fieldOf(answer.result, 'task') !== undefined) return
    this.#answered = true
    this.concluded(answer)
    if (this.log.owner === FRAMEWORK) this.log.run.end()
  }

  /** The SDK gave up on it. What it makes of an answer that it does not like is the program's affair. */
  broken(error: unknown, args: readonly unknown[]): void {
    if (this.#answered) return
    if (!this.#left) this.refused(error)
    else if (isUnanswered(error) || leavesInDoubt(error, args)) this.unanswered(error)
    else this.refused(error)
    if (this.log.owner === FRAMEWORK) this.log.run.failed(error)
  }

  protected abstract concluded(answer: WireAnswer): void
  protected abstract refused(error: unknown): void
  protected abstract unanswered(error: unknown): void
}

/** A call of a tool: an operation. */
export class ToolRequest extends Call {
  readonly meta: object
  readonly #entry: CallEntry

  constructor(log: RunLog, entry: CallEntry) {
    super(log)
    this.#entry = entry
    this.meta = operationMeta(log.run.id, entry.op, entry.attempt)
  }

  protected concluded(answer: WireAnswer): void {
    const error = errorIn(answer)
    if (error === undefined) this.#entry.settled(answer.result)
    else this.#entry.failed(error)
  }

  protected refused(error: unknown): void {
    this.#entry.refused(error)
  }

  protected unanswered(error: unknown): void {
    this.#entry.unknown(error)
  }
}

/** Who delegates to whom. Without a name of its own the caller gets no return recorded. */
export type Parties = { from: string | undefined; to: string; call: string | undefined }

/** A call of a tool behind which an agent works: a delegation, and its answer the return. */
export class DelegationRequest extends Call {
  readonly meta: object
  readonly #handoff: Handoff
  readonly #parties: Parties

  constructor(log: RunLog, handoff: Handoff, parties: Parties, record: boolean) {
    super(log)
    this.#handoff = handoff
    this.#parties = parties
    this.meta = handoffMeta(handoff.carrier, record ? storableFields(handoff.record) : undefined)
  }

  protected concluded(answer: WireAnswer): void {
    const error = errorIn(answer)
    const { from, to, call } = this.#parties
    // It did arrive; what the agent had done by then, nobody knows.
    if (error !== undefined) this.#handoff.failed(outcomeOf(answer.error), error)
    else if (from !== undefined) {
      const { content, structuredContent } = answer.result as Record<string, unknown>
      const item = { role: 'assistant', author: to, content }
      const brief = structuredContent ?? content
      cameBack(this.log, { from: to, to: from, brief, items: [item], call, transport: 'mcp' })
    }
  }

  protected refused(error: unknown): void {
    this.#handoff.failed('refused-before-effect', error)
  }

  protected unanswered(error: unknown): void {
    this.#handoff.failed('unknown', error)
  }
}

/** The error of an answer: one of the protocol, or one that the tool tells in its words. */
function errorIn({ result, error }: WireAnswer): unknown {
  if (error !== undefined) return error
  if (fieldOf(result, 'isError') !== true) return undefined
  const words = listOf(fieldOf(result, 'content')).map((part) => textOf(fieldOf(part, 'text')) ?? '')
  return { name: 'ToolError', message: words.join('\n') }
}

// JSON-RPC: a request that is none, no such method, parameters that do not fit. Nothing was begun.
const NOT_BEGUN = new Set([-32600, -32601, -32602])

function outcomeOf(error: unknown): FailedOutcome {
  return NOT_BEGUN.has(fieldOf(error, 'code') as number) ? 'refused-before-effect' : 'unknown'
}

// The SDK's own codes: the connection was closed, the request timed out or was aborted.
const UNANSWERED = new Set([-32000, -32001])

/** Errors that the SDK makes itself where no answer came. An HTTP status stands in `code` as well. */
function isUnanswered(error: unknown): boolean {
  const code = fieldOf(error, 'code')
  if (typeof code !== 'number') return fieldOf(error, 'name') === 'ZodError'
  return UNANSWERED.has(code) || code === 408 || (code >= 500 && code < 600)
}
