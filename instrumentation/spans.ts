import type { Attributes, Span } from '@opentelemetry/api'
import { ATTRIBUTES_VERSION, handoffAttributes as names, payloadAttributes } from '../model/attributes.ts'
import { filteredCounts, missingCount, type PayloadFacts } from './facts.ts'
import { otel, privateTracing, report, type TraceContext } from './otel.ts'
import { fieldOf } from './storable.ts'

/** What one span says of its handoff besides the payload. Fields that are undefined are left out. */
export type SpanSubject = {
  /** False if telemetry is switched off: then there is no span. */
  enabled: boolean
  side: 'sent' | 'received'
  run: string
  handoff: string
  attempt: number
  from?: string | undefined
  to?: string | undefined
  mode?: string | undefined
  transport?: string | undefined
  reason?: string | undefined
  requestedAction?: string | undefined
  filter?: string | undefined
  originKind?: string | undefined
  call?: string | undefined
  orphan?: boolean | undefined
}

/** The sender's span as it is known at the receiver: by its own words in this process, else from the carrier. */
export type RemoteSpan = { traceId: string; spanId: string; traceFlags: number; traceState?: string }

/** How long a span waits for the outcome of its handoff before it is ended without one. */
const MAX_OPEN_MS = 30_000

const KINDS: Record<string, { sent: number; received: number }> = {
  // Values of SpanKind: CLIENT 2, SERVER 1, PRODUCER 3, CONSUMER 4, INTERNAL 0.
  http: { sent: 2, received: 1 },
  a2a: { sent: 2, received: 1 },
  mcp: { sent: 2, received: 1 },
  queue: { sent: 3, received: 4 },
  file: { sent: 3, received: 4 },
}

const open = new Set<HandoffSpan>()

/** Ends every span that still waits for an outcome; of one run, or of all. */
export function endOpenSpans(run?: string): void {
  for (const span of [...open]) if (run === undefined || span.run === run) span.end()
}

/** One side of a handoff as an OpenTelemetry span, through whatever provider the program has. Never throws. */
export class HandoffSpan {
  readonly run: string
  readonly #side: 'sent' | 'received'
  readonly #span: Span | undefined
  /** Flags of the caller, where the span is one of our own provider, which records whatever the caller has decided. */
  readonly #callerFlags: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(subject: SpanSubject, sender?: RemoteSpan) {
    this.run = subject.run
    this.#side = subject.side
    const started = subject.enabled ? quietly(() => startSpan(subject, sender)) : undefined
    this.#span = started?.span
    this.#callerFlags = started?.callerFlags
    if (!this.#span) return
    open.add(this)
    this.#timer = setTimeout(() => this.end(), MAX_OPEN_MS)
    this.#timer.unref()
  }

  /** False if nobody will see the span: then its facts need not be computed. */
  get recording(): boolean {
    return this.#span?.isRecording() ?? false
  }

  /** For the event of this side. */
  get trace(): TraceContext | undefined {
    const context = this.context
    return context && { id: context.traceId, span: context.spanId }
  }

  /** For the carrier; undefined if there is no provider. */
  get context(): RemoteSpan | undefined {
    const context = quietly(() => this.#span?.spanContext())
    if (!context || !otel()?.isSpanContextValid(context)) return undefined
    const { traceId, spanId, traceState } = context
    const state = traceState?.serialize()
    const traceFlags = this.#callerFlags ?? context.traceFlags
    return { traceId, spanId, traceFlags, ...(state ? { traceState: state } : {}) }
  }

  payload(facts: PayloadFacts, sent?: PayloadFacts): void {
    this.#set(payloadValues(this.#side, facts))
    if (sent) this.#set(lossValues(sent, facts))
  }

  /** Ends the span, once. An error marks it as failed; of the error only its name or code is told. */
  end(outcome?: string, error?: unknown, failed = error !== undefined): void {
    if (!open.delete(this)) return
    clearTimeout(this.#timer)
    quietly(() => {
      if (outcome !== undefined) this.#set({ [names.outcome.name]: outcome })
      if (failed) {
        this.#set({ [names.error.name]: errorType(error) ?? `handspan.${outcome}` })
        this.#span?.setStatus({ code: 2 })
      }
      this.#span?.end()
    })
  }

  #set(attributes: Attributes): void {
    quietly(() => this.#span?.setAttributes(attributes))
  }
}

type StartedSpan = { span: Span; callerFlags: number | undefined }

function startSpan(subject: SpanSubject, sender: RemoteSpan | undefined): StartedSpan | undefined {
  const api = otel()
  if (!api) return undefined
  const word = subject.side === 'sent' ? 'handoff' : 'receive_handoff'
  const name = subject.to === undefined ? word : `${word} ${subject.to}`
  const remote = sender && {
    traceId: sender.traceId,
    spanId: sender.spanId,
    traceFlags: sender.traceFlags,
    isRemote: true,
    ...(sender.traceState ? { traceState: api.createTraceState(sender.traceState) } : {}),
  }
  const active = api.context.active()
  // Whoever receives inside a span of its own keeps it as parent; else the sender is the parent. It is linked always.
  const ambient = api.trace.getSpanContext(active)
  const parent =
    remote && !(ambient && api.isSpanContextValid(ambient))
      ? api.trace.setSpanContext(active, remote)
      : active
  const kind = KINDS[subject.transport ?? '']?.[subject.side] ?? 0
  const links = remote ? [{ context: remote, attributes: { [names.linkType.name]: 'handoff' } }] : []
  const options = { kind, links, attributes: subjectValues(subject) }
  const own = privateTracing()
  const span = (own?.tracer ?? api.trace.getTracer('handspan')).startSpan(name, options, parent)
  const caller = own && api.trace.getSpanContext(parent)
  return { span, callerFlags: caller && api.isSpanContextValid(caller) ? caller.traceFlags : undefined }
}

const TRANSFER_MODES: Record<string, string> = { transfer: 'pass_control', delegate: 'return_to_caller' }

function subjectValues(subject: SpanSubject): Attributes {
  return {
    [names.version.name]: ATTRIBUTES_VERSION,
    [names.handoff.name]: subject.handoff,
    [names.run.name]: subject.run,
    [names.side.name]: subject.side,
    [names.attempt.name]: subject.attempt,
    [names.outcome.name]: subject.side,
    [names.source.name]: subject.from,
    [names.target.name]: subject.to,
    [names.agent.name]: subject.side === 'sent' ? subject.from : subject.to,
    [names.mode.name]: subject.mode,
    [names.transferMode.name]: TRANSFER_MODES[subject.mode ?? ''],
    [names.transport.name]: subject.transport,
    [names.reason.name]: subject.reason?.slice(0, 256),
    [names.requestedAction.name]: subject.requestedAction,
    [names.filters.name]: subject.filter === undefined ? undefined : [subject.filter],
    [names.origin.name]: subject.originKind,
    [names.toolCall.name]: subject.call,
    [names.orphan.name]: subject.orphan || undefined,
  }
}

function payloadValues(side: 'sent' | 'received', facts: PayloadFacts): Attributes {
  const leaf = payloadAttributes(side)
  return {
    [leaf.size.name]: facts.bytes,
    [leaf.hash.name]: facts.hash,
    [leaf.items.name]: facts.items,
    [leaf.itemSize.name]: facts.itemBytes,
    [leaf.tokens.name]: Math.ceil(facts.itemBytes / 4),
    [leaf.recordSize.name]: facts.recordBytes,
    [leaf.recordKeys.name]: facts.recordKeys.slice(0, 64).map((key) => key.slice(0, 64)),
    [leaf.contract.name]: facts.contract,
    [leaf.constraints.name]: facts.constraints.length,
    [leaf.constraintHashes.name]: facts.constraints.slice(0, 64),
    [leaf.operations.name]: facts.operations,
    [leaf.operationKeys.name]: facts.keys.slice(0, 64),
    [leaf.approvals.name]: facts.approvals,
    [names.artifacts.name]: facts.artifacts,
  }
}

function lossValues(sent: PayloadFacts, received: PayloadFacts): Attributes {
  const filtered = filteredCounts(sent, received)
  return {
    [names.filteredItems.name]: [...filtered.values()].reduce((sum, count) => sum + count, 0),
    [names.filteredMessages.name]: filtered.get('message') ?? 0,
    [names.filteredCalls.name]: filtered.get('tool_call') ?? 0,
    [names.filteredResults.name]: filtered.get('tool_result') ?? 0,
    [names.missingConstraints.name]: missingCount(sent.constraints, received.constraints),
    [names.addedConstraints.name]: missingCount(received.constraints, sent.constraints),
    [names.missingOperations.name]: missingCount(sent.keys, received.keys),
  }
}

function errorType(error: unknown): string | undefined {
  const code = fieldOf(error, 'code') ?? fieldOf(error, 'name')
  return typeof code === 'string' && /^[\w.:-]{1,80}$/.test(code) ? code : undefined
}

/** The provider, its processors and samplers are the program's: whatever they throw must not reach the agent. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    report('warn', `a span failed: ${error instanceof Error ? error.message : typeof error}`)
    return undefined
  }
}
