import { readItems, textOfContent } from '../../model/items.ts'
import { textOf } from '../../model/json.ts'
import { readRecord } from '../../model/record.ts'
import { type EventOf, isKind, type RunEvent } from '../../model/run-log.ts'
import { toolNames } from '../../model/tool-names.ts'
import { Remembered } from '../remembered.ts'
import type { Handoff, Receipt, Run, Step } from '../run.ts'
import { foldStatedCommitments } from './fold-commitments.ts'
import { foldStatedApprovals } from './fold-stated-approvals.ts'
import { foldStatedConstraints } from './stated-constraints.ts'

/** Modes in which the task itself changes hands. In the others the sender stays responsible. */
const CONTROL_MODES = new Set(['transfer', 'return', 'resume', 'escalate'])

/** True if the receiver becomes responsible for the task, and the sender stops. */
export function passesControl(handoff: Handoff): boolean {
  return CONTROL_MODES.has(handoff.mode)
}

/** Puts one handoff event to its attempt. */
export function foldHandoffEvent(run: Run, event: RunEvent, step: Step): void {
  if (isKind(event, 'handoff.sent')) foldSent(run, event, step)
  else if (isKind(event, 'handoff.received')) foldReceived(run, event, step)
  else {
    const id = textOf(event.handoff)
    if (id === undefined) return
    const attempt = typeof event.attempt === 'number' ? event.attempt : undefined
    const handoff = findAttempt(run, id, attempt) ?? addAttempt(run, id, attempt ?? 1)
    if (isKind(event, 'handoff.failed')) handoff.failed = { step, event }
    else if (isKind(event, 'handoff.verdict')) handoff.verdicts.push({ step, event })
    else if (isKind(event, 'handoff.dead_lettered')) handoff.deadLettered = { step, event }
    else if (event.kind === 'handoff.accepted') handoff.accepted ??= { step, event }
    else if (event.kind === 'handoff.declined') handoff.declined ??= { step, event }
  }
}

function foldSent(run: Run, event: EventOf<'handoff.sent'>, step: Step): void {
  const known = findAttempt(run, event.handoff, event.attempt)
  // The same id sent again without a number is the next attempt.
  const handoff =
    known === undefined || known.sent !== undefined
      ? addAttempt(run, event.handoff, event.attempt ?? (known?.attempt ?? 0) + 1)
      : known
  handoff.mode = event.mode ?? handoff.mode
  handoff.from = event.from ?? event.agent
  handoff.to = event.to
  handoff.reason = event.reason
  handoff.sent = {
    step,
    event,
    items: event.items_before === undefined ? undefined : readItems(event.items_before, 'items_before'),
    record: readRecord(event.record),
  }
  foldStatedApprovals(run, handoff.from, handoff.sent)
  foldStatedCommitments(run, handoff.from, handoff.sent)
  foldStatedConstraints(run, handoff.from, handoff.sent)
  if (run.custody.length === 0 && handoff.from !== undefined) run.custody.push({ step, owner: handoff.from })
}

function foldReceived(run: Run, event: EventOf<'handoff.received'>, step: Step): void {
  const handoff =
    findAttempt(run, event.handoff, event.attempt) ?? addAttempt(run, event.handoff, event.attempt ?? 1)
  const receipt: Receipt = {
    step,
    event,
    by: event.by ?? event.agent,
    items: event.items === undefined ? undefined : readItems(event.items, 'items'),
    record: readRecord(event.record),
    instructions: event.instructions === undefined ? undefined : textOfContent(event.instructions),
    tools: event.tools?.flatMap(toolNames),
  }
  if (handoff.sent === undefined) {
    // No sender on record: what the receiver says is all there is.
    handoff.mode = textOf(event.mode) ?? handoff.mode
    handoff.from ??= textOf(event.from)
    handoff.to ??= textOf(event.to)
  }
  handoff.receipts.push(receipt)
  const owner = receipt.by
  if (owner !== undefined && passesControl(handoff) && run.custody.at(-1)?.owner !== owner) {
    run.custody.push({ step, owner, handoff: handoff.id })
  }
}

const attempts = new Remembered<Run, Map<string, Handoff[]>>()

/** The attempts of a handoff so far, in the order in which they began. */
function attemptsOf(run: Run, id: string): Handoff[] {
  const known = attempts.get(run) ?? new Map<string, Handoff[]>()
  attempts.set(run, known)
  const list = known.get(id) ?? []
  known.set(id, list)
  return list
}

/** The attempt with that number, or the latest one where the event names none. */
function findAttempt(run: Run, id: string, attempt: number | undefined): Handoff | undefined {
  return attemptsOf(run, id).findLast((handoff) => (attempt ?? handoff.attempt) === handoff.attempt)
}

function addAttempt(run: Run, id: string, attempt: number): Handoff {
  const handoff: Handoff = { id, attempt, mode: 'transfer', receipts: [], verdicts: [] }
  run.handoffs.push(handoff)
  attemptsOf(run, id).push(handoff)
  return handoff
}
