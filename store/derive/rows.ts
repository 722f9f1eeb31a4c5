import type { RunEvent } from '../../model/run-log.ts'
import type { Analysis } from '../../replay/analyse.ts'
import type { DerivedTable } from '../schema.ts'
import type { RowInParts } from '../table.ts'
import { timestampMicros } from '../table.ts'
import { crossingRows } from './crossings.ts'
import { handoffRows } from './handoffs.ts'
import { itemRows } from './items.ts'
import { receiverWork } from './receiver-work.ts'
import { runRow } from './runs.ts'
import { findingRow, messageRow, notJudgedRow } from './said.ts'
import { approvalRow, commitmentRow, constraintRow, operationRow } from './state.ts'

/** Rows by table. */
export type DerivedRows = [DerivedTable, RowInParts[]][]

/** Every derived row of one run. */
export function derivedRows(analysis: Analysis): DerivedRows {
  const { run, diffs, findings, notJudged } = analysis
  const work = receiverWork(run, diffs)
  const about = runRow(analysis)
  const handoffs = handoffRows(analysis, work)
  const attempts = new Map(handoffs.map(([row]) => [attemptOf(row.handoff, row.attempt), row]))
  return [
    ['runs', [[about]]],
    ['handoffs', handoffs],
    ['crossings', diffs.flatMap((diff) => crossingRows(run, diff))],
    ['operations', [...work.values()].map((one) => operationRow(run, one))],
    ['approvals', [...run.approvals.values()].map((approval) => approvalRow(run, approval))],
    ['constraints', [...run.constraints.values()].map((constraint) => constraintRow(run, constraint))],
    ['commitments', [...run.commitments.values()].map((commitment) => commitmentRow(run, commitment))],
    ['items', diffs.flatMap((diff) => itemRows(run, diff))],
    [
      'findings',
      findings.map((finding) => [
        findingRow(finding, about, attempts.get(attemptOf(finding.handoff, finding.attempt))),
      ]),
    ],
    ['not_judged', notJudged.map((gap) => [notJudgedRow(gap)])],
    ['messages', run.messages.map((message) => [messageRow(run, message)])],
  ]
}

function attemptOf(handoff: unknown, attempt: unknown): string {
  return JSON.stringify([handoff, attempt])
}

/** What is left to say of a run whose analysis failed: that it is there, and why nothing else is. */
export function failedRows(run: string, events: RunEvent[], error: unknown): DerivedRows {
  const reason = `the run could not be analysed: ${error instanceof Error ? error.message : String(error)}`
  return [
    [
      'runs',
      [
        [
          {
            run,
            started_at: timestampMicros(events[0]?.at),
            last_at: timestampMicros(events.at(-1)?.at),
            ended: false,
            agents: [],
            events: events.length,
            handoffs: 0,
            operations: 0,
            in_doubt: 0,
            findings: 0,
            errors: 0,
            warnings: 0,
          },
        ],
      ],
    ],
    ['not_judged', [[{ run, handoff: null, check_id: '*', reason }]]],
  ]
}
