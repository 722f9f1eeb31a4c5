import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Run } from '../../replay/run.ts'
import type { Row, RowInParts } from '../table.ts'

/** One row for each thing that the sender knew, whatever its kind, so that one question fits all of them. */
export function crossingRows(run: Run, diff: HandoffDiff): RowInParts[] {
  const about = { run: run.id, handoff: diff.handoff.id, attempt: diff.handoff.attempt }
  const rows: Row[] = [
    ...operations(diff),
    ...approvals(diff),
    ...constraints(diff),
    ...diff.commitments.map(({ commitment, open, crossed, path }) => ({
      subject_kind: 'commitment',
      subject: commitment.id,
      degree: crossed ? 'crossed' : 'absent',
      state: open ? 'open' : 'closed',
      detail: path,
    })),
    { subject_kind: 'origin', subject: diff.origin.sent?.id ?? '', degree: diff.origin.verdict },
    ...permissions(diff, 'gained'),
    ...permissions(diff, 'lost'),
    ...diff.contract.map((field) => ({
      subject_kind: 'contract',
      subject: field.field,
      degree: field.received,
      state: field.sent,
    })),
    ...diff.items.leaks.map((leak) => ({
      subject_kind: 'leak',
      subject: leak.path,
      degree: leak.sensitive ? 'sensitive' : 'dropped result',
      detail: leak.from,
    })),
  ]
  return rows.map((row) => [about, row])
}

function operations(diff: HandoffDiff): Row[] {
  return diff.operations.map((crossing) => {
    const { operation, version } = crossing
    const settling = diff.settling.find((one) => one.operation === operation)
    return {
      subject_kind: 'operation',
      subject: operation.id,
      degree: crossing.degree,
      tool: operation.tool,
      key: version.key,
      state: version.state,
      in_doubt: crossing.inDoubt,
      guess: crossing.guess,
      verdict_landed: crossing.timings?.landed,
      verdict_delayed: crossing.timings?.delayed,
      settled: settling?.order,
      settled_by: settling?.how,
      settle_ms: settling?.milliseconds,
      detail: crossing.matched,
    }
  })
}

function approvals(diff: HandoffDiff): Row[] {
  return diff.approvals.map(({ approval, version, verdict, received }) => ({
    subject_kind: 'approval',
    subject: approval.id,
    degree: verdict,
    tool: version.action,
    state: version.state,
    detail: received?.path,
  }))
}

function constraints(diff: HandoffDiff): Row[] {
  return diff.constraints.map(({ constraint, degree, attribution, similarity, received }) => ({
    subject_kind: 'constraint',
    subject: constraint.id,
    degree,
    attribution,
    similarity,
    detail: received?.path,
  }))
}

function permissions(diff: HandoffDiff, direction: 'gained' | 'lost'): Row[] {
  return diff.permissions[direction].map(({ tool, rule }) => ({
    subject_kind: 'permission',
    subject: tool,
    degree: direction,
    detail: rule,
  }))
}
