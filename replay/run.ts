import type { Item } from '../model/items.ts'
import type { Principal } from '../model/principal.ts'
import type { HandoffRecord } from '../model/record.ts'
import type { EventOf, RunEvent } from '../model/run-log.ts'

/** Index of an event in `Run.events`: the step at which it happened. */
export type Step = number

/** A value that changes as the run goes on. Versions are in order of their steps. */
export type History<T> = { versions: { step: Step; value: T }[] }

/** proposed, sent, settled, failed, unknown, closed; other words are kept. */
export type OperationState = string

/** What is known of an operation from one step on. */
export type OperationVersion = {
  state: OperationState
  agent?: string | undefined
  key?: string | undefined
  args: unknown
  attempt: number
  result?: unknown
  error?: unknown
  approval?: string | undefined
  /** How it was settled: reply, key, closed, details or awaited, where the log says so. */
  by?: string | undefined
  event: EventOf<'operation'>
}

/** One call with a possible effect, over its whole life. Key, call and arguments are the latest known. */
export type Operation = History<OperationVersion> & {
  /** Unique in the run. The log's `op`, unless that id was used again for something else. */
  id: string
  op: string
  tool: string
  effect: 'read' | 'write'
  /** True if the log does not say read or write; such a call is taken as a write. */
  effectAssumed: boolean
  key?: string | undefined
  call?: string | undefined
  args: unknown
  /** The agent that began it. */
  agent?: string | undefined
  intent?: string | undefined
  sensitive: string[]
}

export type ApprovalVersion = {
  state: string
  action?: string | undefined
  scope?: unknown
  agent?: string | undefined
  by?: string | undefined
  deliveredTo?: string | undefined
  shown?: unknown
  reason?: string | undefined
  event: EventOf<'approval'>
}

/** An action that waits, or waited, for a person's decision. */
export type Approval = History<ApprovalVersion> & { id: string; for?: string | undefined }

/** What a rule says from one step on: its text and check may be changed under the same id. */
export type ConstraintVersion = {
  active: boolean
  text: string
  check?: unknown
  hash: string
  event: EventOf<'constraint'>
}

/** A rule that binds the plan. Text, check and hash are the latest known. */
export type Constraint = History<ConstraintVersion> & {
  id: string
  text: string
  check?: unknown
  scope?: unknown
  hash: string
}

export type Commitment = History<{ open: boolean; event: EventOf<'commitment'> }> & {
  id: string
  text: string
  /** Other words in which it was made, such as the message that the user read. */
  words: string[]
  agent?: string | undefined
}

/** What an agent may use. `closed`: what is not allowed is denied. */
export type Permissions = {
  allow?: string[] | undefined
  deny?: string[] | undefined
  ask?: string[] | undefined
  mode?: string | undefined
  closed?: boolean | undefined
}

export type Agent = History<Permissions> & {
  name: string
  /** Tools it is configured to have; undefined if the log does not say. */
  tools?: string[] | undefined
}

/** One side of a handoff as it was sent. */
export type Sent = {
  step: Step
  event: EventOf<'handoff.sent'>
  /** Undefined if the log does not hold them, which is not the same as none. */
  items?: Item[] | undefined
  record?: HandoffRecord | undefined
}

/** What the receiver's model and runtime really got. */
export type Receipt = {
  step: Step
  event: EventOf<'handoff.received'>
  by?: string | undefined
  items?: Item[] | undefined
  record?: HandoffRecord | undefined
  /** Text of the instructions, if they were captured. */
  instructions?: string | undefined
  /** Names of the tools the receiver had; undefined if not captured. */
  tools?: string[] | undefined
}

/** One attempt of a handoff, both sides and what became of it. */
export type Handoff = {
  id: string
  attempt: number
  mode: string
  from?: string | undefined
  to?: string | undefined
  reason?: string | undefined
  sent?: Sent | undefined
  /** Every receipt; the first one is the handoff's, more are repeated deliveries. */
  receipts: Receipt[]
  accepted?: { step: Step; event: RunEvent } | undefined
  declined?: { step: Step; event: RunEvent } | undefined
  verdicts: { step: Step; event: EventOf<'handoff.verdict'> }[]
  failed?: { step: Step; event: EventOf<'handoff.failed'> } | undefined
  deadLettered?: { step: Step; event: EventOf<'handoff.dead_lettered'> } | undefined
}

/** Who is responsible for the task from a step on. */
export type Custody = { step: Step; owner: string; handoff?: string | undefined }

/** One run, folded: everything its events say, with the step at which each thing became true. */
export type Run = {
  id: string
  events: RunEvent[]
  principal?: Principal | undefined
  replayOf?: string | undefined
  startedAt?: string | undefined
  endedAt?: string | undefined
  /** True once the log holds run.end or run.failed: what has not happened by then never will. */
  ended: boolean
  outcome?: string | undefined
  agents: Map<string, Agent>
  operations: Map<string, Operation>
  approvals: Map<string, Approval>
  constraints: Map<string, Constraint>
  commitments: Map<string, Commitment>
  handoffs: Handoff[]
  messages: { step: Step; event: EventOf<'message'> }[]
  modelInputs: { step: Step; event: EventOf<'model.input'> }[]
  custody: Custody[]
  /** What the outside world really did, by operation. For verdicts; never for what an agent could know. */
  truths: Map<string, string>
}
