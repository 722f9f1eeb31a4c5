import { z } from 'zod'
import { recordSchema } from './record-schema.ts'

/*
 * The run log: one event a line, JSON. These schemas are the definition from which the published JSON Schema and the
 * TypeScript types are made. They are loose on purpose: unknown kinds and fields are kept, and item lists stay verbatim
 * in whatever form the runtime has them.
 *
 * Only what reads data imports this file at run time; instrumentation uses its types alone.
 */

const id = z.string()
const text = z.string()
const json = z.unknown()
const tools = z.array(json).describe('Names, or definitions in the form of some provider.')
const items = z.array(z.unknown()).describe('Conversation items, verbatim.')

export const principalSchema = z
  .union([
    z.string(),
    z.looseObject({
      id: id.optional(),
      kind: text.optional().describe('human, org, system, schedule or agent.'),
    }),
  ])
  .describe('Who started the run, whatever the message roles say; a plain word is read as its kind.')

const trace = z
  .looseObject({ id: text.optional(), span: text.optional(), parent: text.optional() })
  .describe('Trace context at this event, W3C ids in lower-case hex.')

const permissions = z
  .looseObject({
    allow: z.array(text).optional(),
    deny: z.array(text).optional(),
    ask: z.array(text).optional(),
    mode: text.optional(),
    closed: z.boolean().optional().describe('true: what is not allowed is denied.'),
  })
  .describe('Tools an agent may use: names, or `tool:scope`.')

const policy = z
  .looseObject({
    filter: json.optional(),
    history: json.optional(),
    allows: z.array(json).optional(),
    redact: json.optional(),
  })
  .describe('What the sender declared would cross.')

/** Fields of every event. */
const common = {
  v: z.literal(1).optional().describe('Version of the format; may be left out.'),
  run: id.min(1).describe('Correlation id of the run, opaque.'),
  seq: z.number().int().optional().describe('Order within one writer, from 1.'),
  at: text.optional().describe('RFC 3339 time, up to nanoseconds.'),
  writer: text.optional().describe('The process that wrote the event.'),
  event_id: id
    .optional()
    .describe('Where there is no seq: tells the event from an equal one, however often it is delivered.'),
  agent: text.optional(),
  trace: trace.optional(),
  not_read: z
    .array(text)
    .optional()
    .describe(
      'Written by whoever reads the log: which fields had not the form that they should, and were left out.',
    ),
  evidence: text
    .optional()
    .describe(
      'How an event that was not declared is known: explicit, tool_argument, nesting, next_span, topology or link.',
    ),
}

function kind<K extends string, S extends z.ZodRawShape>(name: K, shape: S) {
  return z.looseObject({ ...common, kind: z.literal(name), ...shape })
}

const handoffSide = {
  handoff: id,
  attempt: z.number().int().optional().describe('1 for the first; retries share the handoff id.'),
  principal: principalSchema.optional(),
  permissions: permissions.optional(),
  task: z.union([text, z.looseObject({ id: id.optional(), context: id.optional() })]).optional(),
  checkpoint: json.optional(),
  tokens: z.number().optional(),
}

export const eventSchemas = {
  'run.start': kind('run.start', {
    principal: principalSchema.optional(),
    agents: z
      .array(z.looseObject({ name: text, tools: tools.optional(), permissions: permissions.optional() }))
      .optional(),
    replay_of: id.optional().describe('The run that this one repeats.'),
    labels: json.optional(),
  }),
  'run.end': kind('run.end', { outcome: text.optional() }),
  'run.failed': kind('run.failed', { error: json.optional(), handoff: id.optional() }),
  message: kind('message', {
    id: id.optional(),
    role: text.optional(),
    content: json.optional(),
    channel: text.optional(),
    origin: json.optional(),
    asks: json.optional(),
    gives: json.optional(),
    intent: text.optional(),
    commitment: id.optional(),
  }),
  operation: kind('operation', {
    op: id,
    tool: text.optional(),
    args: json.optional(),
    effect: text.optional().describe('read or write.'),
    state: text.optional().describe('proposed, sent, settled, failed, unknown or closed.'),
    key: text.optional().describe('Idempotency key: names the intended effect, the same on every retry.'),
    call: text.optional().describe("The model's tool-call id; not an idempotency key."),
    attempt: z.number().int().optional(),
    result: json.optional(),
    error: json.optional(),
    approval: id.optional(),
    intent: text.optional(),
    sensitive: z.array(text).optional().describe('Values in the result that must not travel on.'),
    task: json.optional(),
    by: text.optional().describe('How a settlement was reached: reply, key, closed, details or awaited.'),
  }),
  approval: kind('approval', {
    id,
    action: text.optional(),
    scope: json.optional(),
    state: text.optional().describe('pending, approved, rejected or consumed.'),
    for: id.optional().describe('The operation that waits.'),
    by: text.optional(),
    delivered_to: text.optional(),
    shown: json.optional(),
    reason: text.optional(),
  }),
  constraint: kind('constraint', {
    id,
    text: text.optional(),
    scope: json.optional(),
    by: text.optional(),
    state: text.optional().describe('active or revoked.'),
    check: json.optional().describe('order, forbid, limit or require_approval: the machine-checkable form.'),
  }),
  commitment: kind('commitment', {
    id,
    text: text.optional(),
    state: text.optional().describe('open or closed.'),
  }),
  permission: kind('permission', permissions.shape),
  'agent.config': kind('agent.config', { ...permissions.shape, tools: tools.optional() }),
  'handoff.sent': kind('handoff.sent', {
    ...handoffSide,
    mode: text.optional().describe('transfer, delegate, return, resume, escalate or notify.'),
    from: text.optional(),
    to: text.optional(),
    reason: text.optional(),
    requested_action: text.optional().describe('review, continue, approve or execute.'),
    items_before: items.optional(),
    record: recordSchema.optional(),
    policy: policy.optional(),
    brief: json.optional(),
    ack_due: z
      .union([text, z.number()])
      .optional()
      .describe(
        'When the acceptance is due: RFC 3339, or a duration after sending (PT5M, 30s, a number of seconds).',
      ),
    call: text.optional(),
  }),
  'handoff.received': kind('handoff.received', {
    ...handoffSide,
    by: text.optional(),
    items: items.optional(),
    record: recordSchema.optional(),
    instructions: json.optional(),
    tools: tools.optional(),
    process: text.optional(),
    orphan: json.optional().describe('true: nothing said where the handoff came from.'),
    link: json
      .optional()
      .describe(
        "{id, span}: the sender's span, where the trace alone leads to it; W3C ids in lower-case hex.",
      ),
  }),
  'handoff.accepted': kind('handoff.accepted', {
    handoff: id,
    by: text.optional(),
    reason: text.optional(),
    attempt: handoffSide.attempt,
  }),
  'handoff.declined': kind('handoff.declined', {
    handoff: id,
    by: text.optional(),
    reason: text.optional(),
    attempt: handoffSide.attempt,
  }),
  'handoff.verdict': kind('handoff.verdict', {
    handoff: id,
    by: text.optional(),
    verdict: text.describe('approve, request_changes, block or acknowledge.'),
    comments: json.optional(),
  }),
  'handoff.failed': kind('handoff.failed', {
    handoff: id,
    outcome: text.optional().describe('unknown, refused or refused-before-effect.'),
    error: json.optional(),
    attempt: handoffSide.attempt,
    tokens: z.number().optional(),
    limit: z.number().optional(),
  }),
  'handoff.dead_lettered': kind('handoff.dead_lettered', {
    handoff: id,
    reason: text.optional(),
    attempts: json.optional(),
    last_status: json.optional(),
  }),
  'model.input': kind('model.input', {
    items: items.optional(),
    instructions: json.optional(),
    tools: tools.optional(),
  }),
  truth: kind('truth', { op: id, state: text }),
} as const

/** Kinds with a schema of their own. Any other kind is kept as it is. */
export type KnownKind = keyof typeof eventSchemas

/** One event of a known kind. */
export type EventOf<K extends KnownKind> = z.infer<(typeof eventSchemas)[K]>

export const anyEventSchema = z.looseObject({ ...common, kind: z.string().min(1) })

/** Any event: the common fields, and whatever else its kind carries. */
export type RunEvent = z.infer<typeof anyEventSchema>

/** True if the event is of that kind; narrows to its fields. */
export function isKind<K extends KnownKind>(event: RunEvent, name: K): event is EventOf<K> {
  return event.kind === name
}
