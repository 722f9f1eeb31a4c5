import type { Item } from '../../model/items.ts'
import type { Principal } from '../../model/principal.ts'
import type {
  Approval,
  ApprovalVersion,
  Commitment,
  Constraint,
  Handoff,
  Operation,
  OperationVersion,
  Permissions,
  Receipt,
  Sent,
  Step,
} from '../run.ts'

/** Where something stands: an event (by step) and a path inside it, such as `items[2].content`. */
export type Evidence = { step: Step; path?: string; side?: 'sender' | 'receiver'; text?: string }

/** How an operation in doubt crossed, best first. */
export type Degree = 'carried' | 'altered' | 'key in words' | 'described' | 'mentioned' | 'absent'

/** What can happen after this handoff to an operation in doubt. */
export type TimingVerdict = 'safe' | 'repeats the effect' | "adopts a stranger's result" | 'unknown'

/** An operation of the sender, and how it crossed. */
export type OperationCrossing = {
  operation: Operation
  /** What the sender's runtime knew when it sent. */
  version: OperationVersion
  inDoubt: boolean
  degree: Degree
  /** Field by field, when altered: what the sender knew and what the record says. */
  differences: { field: string; sent: unknown; received: unknown }[]
  /** The words that matched, when the degree rests on words. A mention is a guess and is marked as one. */
  matched?: string | undefined
  guess: boolean
  evidence: Evidence[]
  /** Only for operations in doubt: the request had landed / is still travelling. */
  timings?: { landed: TimingVerdict; delayed: TimingVerdict; reason: string } | undefined
}

export type ApprovalVerdict = 'same' | 'id changed' | 'scope changed' | 'absent' | 'decision not delivered'

export type ApprovalCrossing = {
  approval: Approval
  version: ApprovalVersion
  verdict: ApprovalVerdict
  /** Whose it is: the sender asked for it or was given it, or the receiver had asked before. */
  holder: 'sender' | 'receiver'
  /** What the receiver got in its place. */
  received?:
    | {
        id?: string | undefined
        action?: string | undefined
        scope?: unknown
        state?: string | undefined
        path: string
      }
    | undefined
  evidence: Evidence[]
}

/** The answer to: did the receiver ignore the rule, or did the runtime fail to pass it? */
export type Attribution = 'not in state' | 'dropped at the handoff' | 'carried, not followed' | 'carried'

export type ConstraintDegree = 'same' | 'reworded' | 'in words only' | 'absent'

export type ConstraintCrossing = {
  constraint: Constraint
  degree: ConstraintDegree
  /** 0 to 1, for reworded ones: the share of words that both forms have. */
  similarity?: number | undefined
  received?: { text?: string | undefined; path: string } | undefined
  /** Steps of later operations of the receiver that break its check. */
  violations: Step[]
  attribution: Attribution
  evidence: Evidence[]
}

export type CommitmentCrossing = {
  commitment: Commitment
  /** Whether it was still open when the handoff was sent. */
  open: boolean
  /** Whose it is: the sender made it or was given it, or somebody else did. */
  holder: 'sender' | 'other'
  crossed: boolean
  path?: string | undefined
  /** It crossed as a promise that stands: in the record, as an item that names it, or in the instructions. */
  stands: boolean
  /** The receiver was told of its end as well. */
  ended: boolean
}

export type OriginCrossing = {
  verdict: 'same' | 'absent' | 'changed' | 'escalated' | 'not judged'
  sent?: Principal | undefined
  received?: Principal | undefined
  /** Items at the receiver that speak with an authority they do not have. */
  escalations: { item: Item; why: string }[]
}

export type PermissionCrossing = {
  sent?: Permissions | undefined
  received?: Permissions | undefined
  /** Tools or modes the receiver has and the sender's rules deny, with the rule. */
  gained: { tool: string; rule: string }[]
  /** What the receiver should have and lacks, with the reason. */
  lost: { tool: string; rule: string }[]
}

export type FieldState = 'present' | 'empty' | 'absent'

/** The six fields of a task contract: intent, constraints, status, evidence, next_action, stop_condition. */
export type ContractField = { field: string; sent: FieldState; received: FieldState }

export type Fate = 'kept' | 'changed' | 'dropped' | 'added' | 'duplicated' | 'folded'

/** An item of either side and what became of it. `before` or `after` is undefined if that side does not have it. */
export type ItemFate = {
  fate: Fate
  before?: Item | undefined
  after?: Item | undefined
  /** Its order among the kept items differs from the sender's. */
  reordered: boolean
  /** A call without its result, a result without its call, or reasoning without its follower, at the receiver. */
  orphaned?: string | undefined
  /** For changed: the fields that differ. */
  changes: string[]
}

/** Text of a dropped tool result, or of a sensitive value, that survives in another item or in the instructions. */
export type Leak = {
  text: string
  from: string
  path: string
  sensitive: boolean
  /** The configured detector that found it, where the log itself did not mark it. */
  detector?: string | undefined
}

export type ItemsDiff = {
  /** False if one side was not captured; then `fates` is empty and nothing is said. */
  judged: boolean
  fates: ItemFate[]
  leaks: Leak[]
  /** Number of dropped items by type. */
  droppedByType: Record<string, number>
}

/** Bytes are of the verbatim compact JSON; undefined where a side was not captured. */
export type Sizes = {
  itemsBefore?: { bytes: number; count: number; tokens: number } | undefined
  items?: { bytes: number; count: number; tokens: number } | undefined
  record?: { bytes: number; tokens: number } | undefined
  instructions?: { bytes: number; tokens: number } | undefined
  /** How tokens were counted: `o200k_base` or `bytes/4`. */
  tokenMethod: string
  /** Token counts that the log itself states for either side. */
  statedTokens: { sent?: number | undefined; received?: number | undefined }
  /** The largest items at the receiver, biggest first, five at the most. */
  largest: { path: string; type: string; bytes: number }[]
}

/** Whether each operation that crossed in doubt was settled before the receiver planned or wrote. */
export type Settling = {
  operation: Operation
  /** before planning, after planning, or not at all within the log. */
  order: 'before planning' | 'after planning' | 'not settled'
  /** key, closed, details, awaited, reply. */
  how?: string | undefined
  step?: Step | undefined
  /** Milliseconds from receipt to settlement. */
  milliseconds?: number | undefined
}

export type CorrelationCrossing = {
  /** Same trace, another trace, or not judged because a side has none. */
  trace: 'same' | 'broken' | 'not judged'
  /** Same task or context id, another one, or not judged. */
  task: 'same' | 'broken' | 'not judged'
}

/** The sender's operations log against the receiver's payload, for one attempt of one handoff. */
export type HandoffDiff = {
  handoff: Handoff
  /** False if one side is missing from the log: then only what the other side shows is filled in. */
  complete: boolean
  sent?: Sent | undefined
  receipt?: Receipt | undefined
  operations: OperationCrossing[]
  /** Settled operations of the sender that are not among `operations`: compared at an earlier handoff, or too many to show. */
  settledLeftOut: number
  approvals: ApprovalCrossing[]
  constraints: ConstraintCrossing[]
  commitments: CommitmentCrossing[]
  origin: OriginCrossing
  permissions: PermissionCrossing
  contract: ContractField[]
  correlation: CorrelationCrossing
  items: ItemsDiff
  sizes: Sizes
  settling: Settling[]
}
