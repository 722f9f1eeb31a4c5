import { isObject } from '../../model/json.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { DiffRow, Mark } from './diff-row.ts'

/** The six fields of the task contract on both sides, and whether the trace and the task held together. */
export function contractRows(diff: HandoffDiff): DiffRow[] {
  const fields = diff.contract.map(({ field, sent, received }): DiffRow => {
    const lost = sent === 'present' && received !== 'present'
    return {
      id: field,
      subject: field,
      left: [`${field}  ${sent}`],
      mark: received === 'present' ? '✓' : lost ? '✗' : '·',
      verdict: received,
      right: [shown(diff.receipt?.event.record, field)],
      rests: [`record.${field}`],
      detail: [
        {
          text: `${field}: ${sent} at the sender, ${received} at the receiver`,
          tone: lost ? 'error' : undefined,
        },
      ],
      value: {
        sent: fieldOf(diff.sent?.event.record, field),
        received: fieldOf(diff.receipt?.event.record, field),
      },
    }
  })
  return [
    ...fields,
    correlation('trace', diff.correlation.trace, diff),
    correlation('task', diff.correlation.task, diff),
  ]
}

function correlation(
  id: 'trace' | 'task',
  verdict: 'same' | 'broken' | 'not judged',
  diff: HandoffDiff,
): DiffRow {
  const marks: Record<typeof verdict, Mark> = { same: '✓', broken: '✗', 'not judged': '·' }
  const sent = diff.sent?.event[id]
  const received = diff.receipt?.event[id]
  return {
    id,
    subject: id,
    left: [`${id} ${sent === undefined ? 'not stated' : JSON.stringify(sent)}`],
    mark: marks[verdict],
    verdict,
    right: [received === undefined ? 'not stated' : JSON.stringify(received)],
    rests: [],
    detail: [
      { text: `${id} across the boundary: ${verdict}`, tone: verdict === 'broken' ? 'error' : undefined },
    ],
    value: { sent, received },
  }
}

function fieldOf(record: unknown, field: string): unknown {
  return isObject(record) ? record[field] : undefined
}

function shown(record: unknown, field: string): string {
  const value = fieldOf(record, field)
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 400)
}
