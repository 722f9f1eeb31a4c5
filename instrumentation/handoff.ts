import { encodeEnvelope } from '../model/envelope.ts'
import { isObject, type Json, type JsonObject, textOf } from '../model/json.ts'
import { readPrincipal } from '../model/principal.ts'
import { buildRecord } from './build-record.ts'
import { type Carrier, type EnvironmentCarrier, environmentOf, writeCarrier } from './carrier.ts'
import { conform } from './conform.ts'
import { payloadFacts } from './facts.ts'
import { report } from './otel.ts'
import type { Contract, HandoffRecord, PrincipalInput } from './record-types.ts'
import { redact } from './redaction.ts'
import type { RunCore } from './run-core.ts'
import { HandoffSpan } from './spans.ts'
import { storable, storableFields } from './storable.ts'

/** How the payload travels. */
export type Transport = 'in_process' | 'http' | 'queue' | 'a2a' | 'mcp' | 'file'

/** A handoff at the sender. The fields of the contract go into the record. */
export type HandoffOptions = Contract & {
  /** The agent that hands over. Default: the agent of the run's view. */
  from?: string
  /** Who is to take over: an agent, a human, a queue, a step of a workflow. */
  to: string
  /** transfer passes control; delegate waits for the return; return, resume, escalate, notify. */
  mode?: 'transfer' | 'delegate' | 'return' | 'resume' | 'escalate' | 'notify' | (string & {})
  reason?: string
  /** What the receiver is to do with it. */
  requested_action?: 'review' | 'continue' | 'approve' | 'execute' | (string & {})
  /** The conversation that the sender has, verbatim, before any filter. */
  items?: readonly unknown[]
  /** What is declared to cross: `{filter, history, allows, redact}`. */
  policy?: { filter?: unknown; history?: unknown; allows?: unknown[]; redact?: unknown }
  /** The words written for the receiver, where there are any. */
  brief?: unknown
  /** RFC 3339: when the acceptance is due. */
  ack_due?: string
  /** Id of the handoff. Default: new. A retry uses the id of the first attempt. */
  id?: string
  /** 1 for the first. Default: counted by id. */
  attempt?: number
  /** The model's tool call that caused it. */
  call?: string
  /** Ids of the receiver's task and context, where the protocol has them. */
  task_id?: string
  context_id?: string
  /** Ids of other tasks that the message points to. */
  reference_ids?: readonly string[]
  checkpoint?: unknown
  /** Tokens of the items, counted by the program. */
  tokens?: number
  principal?: PrincipalInput
  /** What the receiver may do. Default: what `run.permission` said of it. */
  permissions?: unknown
  transport?: Transport
  /** How a handoff that nobody declared is known: from a tool's arguments, from nesting, from the next request, from topology. */
  inferred?: 'tool_argument' | 'nesting' | 'next_span' | 'topology'
  /**
   * What crosses for the runtime. Default: the record built from the operations log. An object: that one instead.
   * `false`: nothing crosses; `handoff.record` is still there to look at.
   */
  record?: false | Record<string, unknown>
}

/** How a handoff failed: it may have arrived, it was refused, or refused before any effect. */
export type FailedOutcome = 'unknown' | 'refused' | 'refused-before-effect' | (string & {})

/** One handoff at the sender. No method throws. */
export class Handoff {
  /** Joins both sides; a retry uses it again. */
  readonly id: string
  readonly attempt: number
  /** For the receiving runtime: put it beside the words. */
  readonly record: HandoffRecord
  /** For the headers or attributes of the message. */
  readonly carrier: Carrier
  /** The same for a process that is started: `spawn(…, { env: { ...process.env, ...handoff.environment } })`. */
  readonly environment: EnvironmentCarrier
  readonly #core: RunCore
  readonly #span: HandoffSpan

  /** @internal */
  constructor(core: RunCore, agent: string | undefined, options: HandoffOptions) {
    const { record, ...fields } = storableFields(options)
    const { items, id, attempt, transport, ...given } = conform('handoff.sent', fields)
    const from = textOf(given.from) ?? agent
    this.#core = core
    this.id = textOf(id) ?? core.newId('h')
    const counted = core.nextAttempt(this.id)
    this.attempt = typeof attempt === 'number' ? attempt : counted
    const built = buildRecord(core.state, given)
    this.record = isObject(record) ? withLists(record) : built
    const crossing: Json | undefined =
      record === false ? undefined : isObject(record) ? (record as JsonObject) : (built as Json)
    const event: JsonObject = {
      ...sentFields(given, core.state.principal),
      handoff: this.id,
      ...(from === undefined ? {} : { from, agent: from }),
      ...(this.attempt > 1 ? { attempt: this.attempt } : {}),
      ...(given.inferred === undefined ? {} : { evidence: given.inferred }),
      ...(items === undefined ? {} : { items_before: items }),
      ...(crossing === undefined ? {} : { record: crossing }),
    }
    this.#span = startSentSpan(core, this, event, textOf(transport))
    core.record('handoff.sent', event, this.#span.trace)
    this.carrier = core.recorder.settings.enabled ? writeCarrier(this.#envelope(), this.#span.context) : {}
    this.environment = environmentOf(this.carrier)
  }

  /** It was not delivered. `unknown` if it may have arrived after all. */
  failed(outcome: FailedOutcome, error?: unknown): void {
    const stored = storable(error)
    const word = textOf(storable(outcome)) ?? 'unknown'
    this.#core.record('handoff.failed', {
      handoff: this.id,
      outcome: word,
      attempt: this.attempt,
      ...(stored === undefined ? {} : { error: stored }),
    })
    this.#span.end(word, error, true)
  }

  /** Nobody will try again: it lies where a person can find it. */
  deadLettered(details: { reason?: string; attempts?: unknown; last_status?: unknown } = {}): void {
    this.#core.record('handoff.dead_lettered', { ...storableFields(details), handoff: this.id })
    this.#span.end('dead_lettered', undefined, true)
  }

  #envelope(): string | undefined {
    const { clock } = this.#core.recorder
    const envelope = { run: this.#core.id, handoff: this.id, attempt: this.attempt, clock: clock.tick() }
    const text = encodeEnvelope(envelope)
    if (text === undefined)
      report('warn', `handoff ${this.id}: run and handoff id are too long for the envelope`)
    return text
  }
}

// Fields of the contract stand in the record, not a second time in the event.
const EVENT_FIELDS = [
  'to',
  'mode',
  'reason',
  'requested_action',
  'policy',
  'brief',
  'ack_due',
  'call',
  'checkpoint',
  'tokens',
  'permissions',
]

function sentFields(given: JsonObject, principal: Json | undefined): JsonObject {
  const out: JsonObject = {}
  for (const name of EVENT_FIELDS) if (given[name] !== undefined) out[name] = given[name]
  const origin = given.principal ?? principal
  if (origin !== undefined) out.principal = origin
  const task: JsonObject = {}
  const id = textOf(given.task_id)
  const context = textOf(given.context_id)
  if (id !== undefined) task.id = id
  if (context !== undefined) task.context = context
  if (given.reference_ids !== undefined) task.references = given.reference_ids
  return Object.keys(task).length === 0 ? out : { ...out, task }
}

function startSentSpan(
  core: RunCore,
  handoff: Handoff,
  event: JsonObject,
  transport: string | undefined,
): HandoffSpan {
  const { settings } = core.recorder
  const policy = event.policy
  const span = new HandoffSpan({
    enabled: settings.enabled,
    side: 'sent',
    run: core.id,
    handoff: handoff.id,
    attempt: handoff.attempt,
    from: textOf(event.from),
    to: textOf(event.to),
    mode: textOf(event.mode),
    transport,
    // Said by a model or a person: kept out in shape mode like every other text.
    reason: settings.content === 'full' ? redactedReason(event, settings.redact) : undefined,
    requestedAction: textOf(event.requested_action),
    filter: isObject(policy) ? textOf(policy.filter) : undefined,
    originKind: readPrincipal(event.principal)?.kind,
    call: textOf(event.call),
  })
  const facts = span.recording
    ? payloadFacts(
        { items: event.items_before, record: event.record, others: [event.brief] },
        { key: settings.hashKey },
      )
    : undefined
  if (facts) span.payload(facts)
  core.sent.add(handoff.id, { core, span, context: span.context, facts })
  return span
}

function redactedReason(event: JsonObject, hook: Parameters<typeof redact>[1]): string | undefined {
  return event.reason === undefined ? undefined : textOf(redact({ reason: event.reason }, hook).fields.reason)
}

const LISTS = [
  'constraints',
  'open_operations',
  'completed_effects',
  'pending_actions',
  'commitments',
] as const

/** A record as it came, with the lists that are missing as empty ones, so that a program can walk them. */
export function withLists(record: unknown): HandoffRecord {
  const raw: Record<string, unknown> = isObject(record) ? structuredClone(record) : {}
  const lists = Object.fromEntries(LISTS.map((name) => [name, Array.isArray(raw[name]) ? raw[name] : []]))
  return { ...raw, ...lists } as HandoffRecord
}
