import { hashJson } from '../model/hash.ts'
import type { Attribution, Evidence } from './diff/handoff-diff.ts'

export type Severity = 'error' | 'warning' | 'info'

/** One checked statement about a handoff or a run. */
export type Finding = {
  /** Id of the check. */
  check: string
  severity: Severity
  run: string
  handoff?: string | undefined
  attempt?: number | undefined
  /** The agents it is about, sender first. */
  agents: string[]
  subject: { kind: string; id: string }
  /** Understood without the manual: what is wrong, what it rests on, what it allows. */
  message: string
  /** Pointers to events and item paths, on both sides. Never empty. */
  evidence: Evidence[]
  /** What to do. */
  remedy: string
  attribution?: Attribution | undefined
  /** The same for the same fault in another run: no times, no run ids. */
  fingerprint: string
}

/** What a check could not judge, and why. Silence without a reason would be a guess. */
export type NotJudged = { check: string; run: string; handoff?: string | undefined; reason: string }

/** What a check says; the runner adds id, severity, run and fingerprint. */
export type Draft = Omit<Finding, 'check' | 'severity' | 'run' | 'fingerprint'> & {
  /** Only where one check has cases of different weight. */
  severity?: Severity
  /** What tells this fault from another of the same check, where agents and subject do not: tool, field, type. */
  trait?: string
}

/** Completes a draft. The fingerprint is made of what stays the same when the run is repeated. */
export function completeFinding(
  check: { id: string; severity: Severity },
  run: string,
  draft: Draft,
): Finding {
  const { trait, severity, ...rest } = draft
  const identity = {
    check: check.id,
    agents: draft.agents,
    kind: draft.subject.kind,
    trait: trait ?? draft.subject.id,
  }
  return {
    check: check.id,
    severity: severity ?? check.severity,
    run,
    ...rest,
    fingerprint: hashJson(identity).slice('sha256:'.length, 'sha256:'.length + 16),
  }
}
