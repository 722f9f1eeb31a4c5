import { canonicalJson } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import type { Receipt, Sent } from '../run.ts'
import type { CorrelationCrossing } from './handoff-diff.ts'

/** Whether the receiver still belongs to the sender's trace and task. A trace of its own with a link back is the same. */
export function diffCorrelation(sent: Sent, receipt: Receipt): CorrelationCrossing {
  return { trace: traceOf(sent, receipt), task: taskOf(sent, receipt) }
}

function traceOf(sent: Sent, receipt: Receipt): CorrelationCrossing['trace'] {
  const before = textOf(sent.event.trace?.id)
  const after = textOf(receipt.event.trace?.id)
  if (before === undefined || after === undefined) return 'not judged'
  if (before.toLowerCase() === after.toLowerCase()) return 'same'
  const { trace } = receipt.event
  const links = canonicalJson([trace?.links ?? null, trace?.link ?? null, receipt.event.links ?? null])
  return links.toLowerCase().includes(before.toLowerCase()) ? 'same' : 'broken'
}

function taskOf(sent: Sent, receipt: Receipt): CorrelationCrossing['task'] {
  const before = idsOf(sent.event.task)
  const after = idsOf(receipt.event.task)
  const correlation = sent.record?.raw.correlation_id
  const received = receipt.record?.raw.correlation_id
  if (correlation !== undefined && receipt.record !== undefined && correlation !== received) return 'broken'
  if (before === undefined) return correlation !== undefined && received !== undefined ? 'same' : 'not judged'
  if (after === undefined) return 'broken'
  const differs = (a: string | undefined, b: string | undefined) => a !== undefined && a !== b
  return differs(before.id, after.id) || differs(before.context, after.context) ? 'broken' : 'same'
}

function idsOf(task: unknown): { id?: string | undefined; context?: string | undefined } | undefined {
  if (typeof task === 'string') return { id: task }
  return isObject(task) ? { id: textOf(task.id), context: textOf(task.context) } : undefined
}
