// Starting, and the runs of this process.

export type { Carrier, CarrierLike, EnvironmentCarrier } from './carrier.ts'
// Handing over: both sides.
export type { FailedOutcome, Handoff, HandoffOptions, Transport } from './handoff.ts'
export type { Handspan, RunOptions } from './handspan.ts'
export type { Approval, ApprovalOptions, Check, Commitment, Constraint, Decision } from './obligations.ts'
export type { Operation, OperationOptions, SettledBy } from './operation.ts'
export type { Received, ReceiveOptions, SettleOptions, Verdict } from './received.ts'
// The record: what crosses for the receiving runtime.
export type {
  CompletedEffect,
  Contract,
  HandoffRecord,
  OpenOperation,
  PendingAction,
  PrincipalInput,
  RecordCommitment,
  RecordConstraint,
} from './record-types.ts'
export type { Counters } from './recorder.ts'
export type { RedactHook } from './redaction.ts'
// Inside a run: what happens, and what binds the plan.
export type { AgentOptions, MessageOptions, ModelInputOptions, PermissionOptions, Run } from './run.ts'
export type { StartOptions } from './settings.ts'
export type { SpoolLimits } from './spool.ts'
export { start } from './start.ts'
export type { AnyFunction, FromArguments, ToolOptions } from './tool.ts'
