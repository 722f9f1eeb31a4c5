/** Who started a run: `{kind, id}` with kind human, org, system, schedule or agent; or a plain word such as `user`. */
export type PrincipalInput = string | { kind?: string; id?: string; [field: string]: unknown }

/** An operation whose effect is in doubt. Settle it under its key before planning anything new. */
export type OpenOperation = {
  /** Id of the operation in the run log. */
  op?: string
  tool?: string
  /** Arguments as the sender dispatched them. */
  args?: unknown
  /** Idempotency key under which the request was sent; absent if it had none. */
  key?: string
  /** `sent` (no answer yet) or `unknown` (time-out, abort, broken connection). */
  state?: string
  [field: string]: unknown
}

/** An effect that is settled. Do not repeat it. */
export type CompletedEffect = {
  op?: string
  tool?: string
  key?: string
  result?: unknown
  [field: string]: unknown
}

/** An action that waits for a person's decision, under its original id and scope. */
export type PendingAction = {
  id?: string
  action?: string
  scope?: unknown
  for?: string
  [field: string]: unknown
}

/** A rule that binds the plan. `check` is its machine-checkable form, where it has one. */
export type RecordConstraint = { id?: string; text?: string; check?: unknown; [field: string]: unknown }

/** A promise that was made and not yet kept. */
export type RecordCommitment = { id?: string; text?: string; [field: string]: unknown }

/** The parts of a record that the sender writes: the contract of the task, in its own words. */
export type Contract = {
  /** The task in one sentence. */
  task?: string
  /** The outcome the user wants now. */
  intent?: string
  /** What is complete and what is not, usually `{done, pending}`. */
  status?: unknown
  /** References `{ref, summary}` behind the conclusions. */
  evidence?: unknown[]
  next_action?: string
  /** When the receiver is to stop and return. */
  stop_condition?: string
  unresolved_questions?: unknown[]
  /** Calls `{tool, args, outcome}` that were tried. */
  attempted?: unknown[]
  /** Paths that should not be tried again. */
  rejected?: unknown[]
}

/**
 * What crosses for the receiving runtime, not for its model. Published as JSON Schema; unknown fields are kept. Built
 * from the operations log, never from the conversation.
 */
export type HandoffRecord = Contract & {
  /** Who started the task, with what authority. */
  origin?: PrincipalInput
  constraints: RecordConstraint[]
  open_operations: OpenOperation[]
  completed_effects: CompletedEffect[]
  pending_actions: PendingAction[]
  commitments: RecordCommitment[]
  /** What the receiving agent may do, where the sender's runtime knows it. */
  permissions?: unknown
  /** The run. */
  correlation_id?: string
  /** review, continue, approve or execute. */
  requested_action?: string
  /** RFC 3339: when the acceptance is due. */
  ack_due?: string
  [field: string]: unknown
}
