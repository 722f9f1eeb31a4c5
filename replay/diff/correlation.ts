import { canonicalJson } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import { latestReceipt } from '../facts/participation.ts'
import type { Handoff, Receipt, Run, Sent } from '../run.ts'
import type { CorrelationCrossing } from './handoff-diff.ts'

/** Whether the receiver still belongs to the sender's trace and task. A trace of its own with a link back is the same. */
export function diffCorrelation(
  run: Run,
  handoff: Handoff,
  sent: Sent,
  receipt: Receipt,
): CorrelationCrossing {
  return { trace: compareTraces(traceOfSender(run, handoff, sent), receipt), task: taskOf(sent, receipt) }
}

/** The trace that the sender was in: its own word, else that of the handoff it got the task with, else that of the run. */
export function traceOfSender(run: Run, { from }: Handoff, sent: Sent): string | undefined {
  const own = textOf(sent.event.trace?.id)
  if (own !== undefined) return own
  const given = latestReceipt(run, from, sent.step)
  if (given !== undefined) return textOf(given.receipt.event.trace?.id)
  const start = run.events[0]
  return start?.kind === 'run.start' && start.writer === sent.event.writer
    ? textOf(start.trace?.id)
    : undefined
}

function compareTraces(before: string | undefined, receipt: Receipt): CorrelationCrossing['trace'] {
  const after = textOf(receipt.event.trace?.id)
  if (before === undefined || after === undefined) return 'not judged'
  if (before.toLowerCase() === after.toLowerCase()) return 'same'
  const { trace, link, links: several } = receipt.event
  const links = canonicalJson([trace?.links, trace?.link, several, link].map((one) => one ?? null))
  return links.toLowerCase().includes(before.toLowerCase()) ? 'same' : 'broken'
}

function taskOf(sent: Sent, receipt: Receipt): CorrelationCrossing['task'] {
  const before = taskIds(sent.event.task)
  const after = taskIds(receipt.event.task)
  const correlation = sent.record?.raw.correlation_id
  const received = receipt.record?.raw.correlation_id
  if (correlation !== undefined && receipt.record !== undefined && correlation !== received) return 'broken'
  if (before === undefined) return correlation !== undefined && received !== undefined ? 'same' : 'not judged'
  if (after === undefined) return 'broken'
  const differs = (a: string | undefined, b: string | undefined) => a !== undefined && a !== b
  return differs(before.id, after.id) || differs(before.context, after.context) ? 'broken' : 'same'
}

/** The ids that a side names the task by. */
export function taskIds(
  task: unknown,
): { id?: string | undefined; context?: string | undefined } | undefined {
  if (typeof task === 'string') return { id: task }
  return isObject(task) ? { id: textOf(task.id), context: textOf(task.context) } : undefined
}
