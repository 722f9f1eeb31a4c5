import { z } from 'zod'

/*
 * The record: the part of a handoff that crosses for the receiving runtime, not for its model. Every field is
 * optional, since what is absent is what the checks measure. Unknown fields are kept.
 */

const args = z.unknown().describe('Arguments of the call, as the sender dispatched them.')

export const openOperationSchema = z
  .looseObject({
    op: z.string().optional(),
    tool: z.string().optional(),
    args: args.optional(),
    key: z.string().optional().describe('Idempotency key under which the request was sent.'),
    state: z
      .string()
      .optional()
      .describe('proposed, sent, unknown: what the sender knew when it handed over.'),
  })
  .describe('An operation with a possible effect that is not settled.')

export const completedEffectSchema = z
  .looseObject({
    op: z.string().optional(),
    tool: z.string().optional(),
    key: z.string().optional(),
    state: z.string().optional(),
    result: z.unknown().optional(),
  })
  .describe('An effect that is settled, with its result.')

export const pendingActionSchema = z
  .looseObject({
    id: z.string().optional(),
    action: z.string().optional(),
    scope: z.unknown().optional().describe('What exactly a yes would allow.'),
    for: z.string().optional().describe('The operation that waits.'),
    state: z.string().optional(),
  })
  .describe("An action that waits for a person's decision.")

export const recordConstraintSchema = z
  .union([
    z.string(),
    z.looseObject({
      id: z.string().optional(),
      text: z.string().optional(),
      check: z.unknown().optional(),
      hash: z.string().optional(),
    }),
  ])
  .describe('A rule that binds the plan; a plain string is read as its text.')

/** A list whose entries have that form; one of another form is kept, and passed over when the record is read. */
function list<S extends z.ZodType>(entry: S) {
  return z.array(z.union([entry, z.unknown()]))
}

export const recordSchema = z
  .looseObject({
    task: z.string().optional().describe('The task in one sentence.'),
    intent: z.string().optional().describe('The outcome the user wants now.'),
    origin: z
      .union([z.string(), z.looseObject({ id: z.string().optional(), kind: z.string().optional() })])
      .optional()
      .describe('Who started the task: {kind, id}, or a plain word such as "user" or "webhook:warehouse".'),
    constraints: list(recordConstraintSchema).optional(),
    status: z.unknown().optional().describe('{done, pending}: what is complete and what is not.'),
    evidence: z.array(z.unknown()).optional().describe('References {ref, summary} behind the conclusions.'),
    next_action: z.string().optional(),
    stop_condition: z.string().optional(),
    open_operations: list(openOperationSchema).optional(),
    completed_effects: list(completedEffectSchema).optional(),
    pending_actions: list(pendingActionSchema).optional(),
    commitments: z.array(z.unknown()).optional(),
    permissions: z.unknown().optional(),
    unresolved_questions: z.array(z.unknown()).optional(),
    attempted: z.array(z.unknown()).optional().describe('Calls {tool, args, outcome} that were tried.'),
    rejected: z.array(z.unknown()).optional().describe('Paths that should not be tried again.'),
    correlation_id: z.string().optional(),
    requested_action: z.string().optional().describe('review, continue, approve or execute.'),
    ack_due: z
      .union([z.string(), z.number()])
      .optional()
      .describe(
        'When the acceptance is due: RFC 3339, or a duration after sending (PT5M, 30s, a number of seconds).',
      ),
  })
  .describe('What crosses for the receiving runtime.')

/** The record as it is written. Read it through `readRecord`, which understands its short forms. */
export type RawRecord = z.infer<typeof recordSchema>
