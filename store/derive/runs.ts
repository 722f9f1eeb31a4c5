import type { Analysis } from '../../replay/analyse.ts'
import { isInDoubt, latest } from '../../replay/history.ts'
import type { Row } from '../table.ts'
import { jsonText, timestampMicros } from '../table.ts'

const SEVERITIES = ['error', 'warning', 'info'] as const

export function runRow({ run, findings }: Analysis): Row {
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length
  const operations = [...run.operations.values()]
  return {
    run: run.id,
    started_at: timestampMicros(run.startedAt),
    ended_at: timestampMicros(run.endedAt),
    last_at: timestampMicros(run.events.at(-1)?.at),
    ended: run.ended,
    outcome: run.outcome,
    principal_kind: run.principal?.kind,
    principal_id: run.principal?.id,
    replay_of: run.replayOf,
    labels: jsonText(run.events.find((event) => event.kind === 'run.start')?.labels),
    agents: [...run.agents.keys()],
    events: run.events.length,
    handoffs: run.handoffs.length,
    operations: operations.length,
    in_doubt: operations.filter((operation) => isInDoubt(operation, latest(operation))).length,
    findings: findings.length,
    errors: count('error'),
    warnings: count('warning'),
    worst: SEVERITIES.find((severity) => count(severity) > 0),
  }
}
