import type { HandoffDiff, OperationCrossing } from '../replay/diff/handoff-diff.ts'

/** The diff of a handoff as `diff --json` prints it: sizes, and the degree of crossing of each operation first. */
export function diffJson(diff: HandoffDiff): Record<string, unknown> {
  const { handoff, receipt } = diff
  return {
    handoff: handoff.id,
    attempt: handoff.attempt,
    mode: handoff.mode,
    from: handoff.from,
    to: handoff.to,
    by: receipt?.by,
    reason: handoff.reason,
    complete: diff.complete,
    sizes: diff.sizes,
    operations: diff.operations.map(operationJson),
    settledLeftOut: diff.settledLeftOut,
    approvals: diff.approvals.map(({ approval, version, verdict, received }) => ({
      approval: approval.id,
      action: version.action,
      state: version.state,
      verdict,
      received,
    })),
    constraints: diff.constraints.map(
      ({ constraint, degree, similarity, received, attribution, violations }) => ({
        constraint: constraint.id,
        text: constraint.text,
        degree,
        similarity,
        received,
        attribution,
        violations,
      }),
    ),
    commitments: diff.commitments.map(({ commitment, open, crossed, path }) => ({
      commitment: commitment.id,
      open,
      crossed,
      path,
    })),
    origin: {
      verdict: diff.origin.verdict,
      sent: diff.origin.sent,
      received: diff.origin.received,
      escalations: diff.origin.escalations.map(({ item, why }) => ({ path: item.path, why })),
    },
    permissions: diff.permissions,
    contract: diff.contract,
    correlation: diff.correlation,
    items: diff.items.judged
      ? diff.items.fates.map(({ fate, before, after, reordered, orphaned, changes }) => ({
          fate,
          before: before?.path,
          after: after?.path,
          type: (after ?? before)?.type,
          reordered,
          orphaned,
          changes,
        }))
      : undefined,
    droppedByType: diff.items.judged ? diff.items.droppedByType : undefined,
    leaks: diff.items.leaks,
    settling: diff.settling.map(({ operation, order, how, milliseconds }) => ({
      op: operation.op,
      order,
      how,
      milliseconds,
    })),
  }
}

function operationJson({
  operation,
  version,
  inDoubt,
  degree,
  differences,
  matched,
  guess,
  evidence,
  timings,
}: OperationCrossing) {
  return {
    op: operation.op,
    tool: operation.tool,
    effect: operation.effect,
    effectAssumed: operation.effectAssumed || undefined,
    state: version.state,
    key: version.key,
    inDoubt,
    degree,
    differences: differences.length === 0 ? undefined : differences,
    matched,
    guess: guess || undefined,
    evidence,
    timings,
  }
}
