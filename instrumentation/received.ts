import { isObject, type Json, type JsonObject, textOf } from '../model/json.ts'
import { readPrincipal } from '../model/principal.ts'
import { conform } from './conform.ts'
import { payloadFacts } from './facts.ts'
import { type Transport, withLists } from './handoff.ts'
import type { SettledBy } from './operation.ts'
import { Operation } from './operation.ts'
import type { TraceContext } from './otel.ts'
import type { HandoffRecord, OpenOperation, PrincipalInput } from './record-types.ts'
import { Run } from './run.ts'
import type { RunCore } from './run-core.ts'
import { knownOperation } from './run-state.ts'
import type { SentHandoff } from './sent-handoffs.ts'
import { HandoffSpan, type RemoteSpan } from './spans.ts'
import { fieldOf, storable, storableFields } from './storable.ts'

/** What the receiver really got: after every filter and summary, as its model sees it. */
export type ReceiveOptions = {
  /** The agent that receives. */
  by: string
  /** The items that its model gets, verbatim. */
  items?: readonly unknown[]
  /** The record that crossed, if one did. */
  record?: unknown
  /** Instructions of the receiving model. */
  instructions?: unknown
  /** Its tools: names or definitions. */
  tools?: readonly unknown[]
  permissions?: unknown
  /** Who the receiving runtime holds for the origin of the task. */
  principal?: PrincipalInput
  task?: unknown
  checkpoint?: unknown
  tokens?: number
  transport?: Transport
  /** How a handoff that nobody declared is known, as at the sender. */
  evidence?: string
}

/** How an operation was settled. Default `key`. */
export type SettleOptions = {
  /**
   * `key`: looked up by its key; `closed`: the service reported what landed and refuses the key from now on; `details`: found
   * by its arguments (it may be a stranger's); `awaited`: the answer came after all; `reply`: sent again under its key.
   */
  by?: SettledBy
}

/** The decision on a handoff that asked for review or approval. */
export type Verdict = 'approve' | 'request_changes' | 'block' | 'acknowledge' | (string & {})

/** Where a received handoff belongs. */
export type Arrival = {
  core: RunCore
  handoff: string
  attempt: number
  orphan: boolean
  /** The sender's side, if it is in this process. */
  sent: SentHandoff | undefined
  sender: RemoteSpan | undefined
}

/** One handoff at the receiver. No method throws, except what the program's own function throws in `settle`. */
export class Received {
  /** Id of the handoff, as the sender gave it. */
  readonly handoff: string
  readonly attempt: number
  /** The run, as seen by the receiving agent: its tools, operations and further handoffs belong here. */
  readonly run: Run
  /** What crossed for the runtime; the lists are empty if nothing did. A claim of the sender. */
  readonly record: HandoffRecord
  /** True if nothing said where the handoff came from; then it is recorded under a run of its own. */
  readonly orphan: boolean
  readonly #core: RunCore
  readonly #by: string | undefined
  readonly #span: HandoffSpan

  /** @internal */
  constructor(arrival: Arrival, options: ReceiveOptions) {
    const { transport, ...given } = conform('handoff.received', storableFields(options))
    const { core } = arrival
    this.#core = core
    this.#by = textOf(given.by)
    this.handoff = arrival.handoff
    this.attempt = arrival.attempt
    this.orphan = arrival.orphan
    this.run = new Run(core, this.#by)
    this.record = withLists(given.record)
    const event: JsonObject = {
      ...given,
      handoff: this.handoff,
      process: String(process.pid),
      ...(this.#by === undefined ? {} : { agent: this.#by }),
      ...(this.attempt > 1 ? { attempt: this.attempt } : {}),
      ...(this.orphan ? { orphan: true } : {}),
    }
    this.#span = startReceivedSpan(arrival, event, textOf(transport))
    core.record('handoff.received', { ...event, ...linkOf(arrival, this.#span.trace) }, this.#span.trace)
    learnFromRecord(core, given.record)
  }

  /** The receiver takes the task over. */
  accept(reason?: string): void {
    this.#answer('handoff.accepted', reason)
    this.#span.end('accepted')
  }

  /** The receiver does not take it over; the sender, or somebody else, still owns it. */
  decline(reason?: string): void {
    this.#answer('handoff.declined', reason)
    this.#span.end('declined', undefined, true)
  }

  /** The decision that the sender waits for. */
  verdict(verdict: Verdict, comments?: unknown): void {
    const stored = storable(comments)
    this.#core.record('handoff.verdict', {
      ...this.#who(),
      verdict: textOf(storable(verdict)) ?? 'acknowledge',
      ...(stored === undefined ? {} : { comments: stored }),
    })
    this.#span.end(textOf(storable(verdict)) === 'block' ? 'declined' : 'accepted')
  }

  /**
   * Settles an operation in doubt with the program's own call, and writes what came of it: `closed` after a close,
   * `settled` if something was found, still `unknown` if a look-up found nothing (null or undefined: the request may
   * yet arrive) or failed. Gives back what the call gives, throws what it throws.
   */
  async settle<T>(
    operation: OpenOperation,
    act: () => T | Promise<T>,
    options: SettleOptions = {},
  ): Promise<T> {
    const handle = this.#operation(operation)
    const by = textOf(storable(fieldOf(options, 'by'))) ?? 'key'
    let found: T
    try {
      found = await act()
    } catch (error) {
      handle.unknown(error)
      throw error
    }
    if (by === 'closed') handle.closed(found)
    else if (found === undefined || found === null) handle.unknown()
    else handle.settled(found, by as SettledBy)
    return found
  }

  #operation(operation: OpenOperation): Operation {
    const { op, tool, args, key } = storableFields(operation)
    const attempt = knownOperation(this.#core.state, textOf(op) ?? '')?.attempt ?? 1
    return new Operation(this.#core, this.#by, { op, tool, args, key, attempt } as never)
  }

  #answer(kind: string, reason: unknown): void {
    const stored = textOf(storable(reason))
    this.#core.record(kind, { ...this.#who(), ...(stored === undefined ? {} : { reason: stored }) })
  }

  #who(): JsonObject {
    const by: JsonObject = this.#by === undefined ? {} : { by: this.#by, agent: this.#by }
    return { handoff: this.handoff, ...by, ...(this.attempt > 1 ? { attempt: this.attempt } : {}) }
  }
}

/** The sender's span, where neither the envelope nor the trace of this side leads to it. */
function linkOf({ orphan, sender }: Arrival, trace: TraceContext | undefined): JsonObject {
  if (sender === undefined || (!orphan && trace?.id === sender.traceId)) return {}
  return { link: { id: sender.traceId, span: sender.spanId } }
}

function startReceivedSpan(arrival: Arrival, event: JsonObject, transport: string | undefined): HandoffSpan {
  const { core, sent, sender } = arrival
  const { settings } = core.recorder
  const record = isObject(event.record) ? event.record : {}
  const subject = {
    enabled: settings.enabled,
    side: 'received' as const,
    run: core.id,
    handoff: arrival.handoff,
    attempt: arrival.attempt,
    to: textOf(event.by),
    transport,
    requestedAction: textOf(record.requested_action),
    originKind: readPrincipal(event.principal ?? record.origin)?.kind,
    orphan: arrival.orphan,
  }
  const span = new HandoffSpan(subject, sent?.context ?? sender)
  if (span.recording) {
    const payload = { items: event.items, record: event.record, others: [event.instructions, event.tools] }
    span.payload(payloadFacts(payload, { key: settings.hashKey }), sent?.facts)
  }
  // In one process the sender knows by now that it arrived.
  sent?.span.end('received')
  return span
}

/**
 * What crossed becomes part of what this process knows of the run, so that a further handoff carries it on. Nothing is
 * written: the sender has written it. What is already known here is not overruled by a claim.
 */
function learnFromRecord(core: RunCore, record: Json | undefined): void {
  if (!isObject(record)) return
  const { state } = core
  state.principal ??= record.origin as Json | undefined
  for (const entry of objects(record.open_operations)) {
    const op = textOf(entry.op)
    if (op === undefined || knownOperation(state, op)) continue
    state.operations.set(op, { effect: 'write', state: 'unknown', attempt: 1, ...entry, op })
  }
  learn(state.constraints, record.constraints)
  learn(state.approvals, record.pending_actions, { state: 'pending' })
  learn(state.commitments, record.commitments)
}

function learn(into: Map<string, JsonObject>, list: unknown, defaults: JsonObject = {}): void {
  for (const entry of objects(list)) {
    const id = textOf(entry.id)
    if (id !== undefined && !into.has(id)) into.set(id, { ...defaults, ...entry })
  }
}

function objects(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter((entry): entry is JsonObject => isObject(entry)) : []
}
