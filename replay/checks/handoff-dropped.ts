import { textOfContent } from '../../model/items.ts'
import type { Check, CheckInput } from '../check.ts'
import { type Act, actsByAgent, actsOf } from '../facts/acts.ts'
import { hasModel, isCalledPerson } from '../facts/agents.ts'
import { acceptanceDue, instantAt } from '../facts/due.ts'
import { tookPartBefore } from '../facts/participation.ts'
import { taskOf } from '../facts/task-of.ts'
import { userTurns } from '../facts/user-turns.ts'
import type { Draft, Severity } from '../finding.ts'
import { passesControl } from '../fold/fold-handoffs.ts'
import { aboutHandoff } from '../phrase.ts'
import type { Handoff, Run, Step } from '../run.ts'

export const handoffDropped: Check = {
  id: 'handoff-dropped',
  severity: 'error',
  title: 'A handoff arrived nowhere',
  question: 'Was everything that was handed over received, or refused and taken back?',
  definition:
    'Raised for a handoff that was sent and that nobody received, declined or dead-lettered: when the run has ended, its ' +
    'acceptance is overdue, or its sender was started anew without it. Also raised for one that failed, if neither its ' +
    'sender nor anybody else did anything after that. Not raised where a later attempt, or the same task handed over ' +
    'again, takes its place, for a notification, nor for an escalation to a person or a queue whose acceptance is not ' +
    'due, unless the user speaks again and nobody answers. A receiver that acts although its side is not in the log is ' +
    'not judged.',
  check({ run }) {
    const findings: Draft[] = []
    const notJudged: { handoff: string; reason: string }[] = []
    const acts = actsByAgent(run)
    for (const handoff of undelivered(run)) {
      const why = whyDropped(run, handoff, acts)
      if (why === undefined) continue
      const gap = handoff.failed === undefined ? whyUncertain(run, handoff, acts) : undefined
      if (gap === undefined) findings.push(droppedDraft(handoff, why))
      else notJudged.push({ handoff: handoff.id, reason: gap })
    }
    return { findings, notJudged }
  },
}

/** Handoffs with no outcome of their own, in whose place no later one stands. */
function undelivered(run: CheckInput['run']): Handoff[] {
  const open = run.handoffs.filter(
    (handoff) => handoff.sent !== undefined && handoff.mode !== 'notify' && !hasOutcome(handoff),
  )
  // To tell what each handoff was about means to read its items.
  if (open.length === 0) return []
  const lastAttempt = new Map<string, number>()
  const lastSent = new Map<string, Step>()
  const nameOf = (handoff: Handoff) => `${handoff.from}\u0000${handoff.to}\u0000${taskOf(handoff).name}`
  for (const handoff of run.handoffs) {
    lastAttempt.set(handoff.id, Math.max(lastAttempt.get(handoff.id) ?? 0, handoff.attempt))
    if (handoff.sent === undefined) continue
    const name = nameOf(handoff)
    lastSent.set(name, Math.max(lastSent.get(name) ?? -1, handoff.sent.step))
  }
  return open.filter(
    (handoff) =>
      lastAttempt.get(handoff.id) === handoff.attempt && lastSent.get(nameOf(handoff)) === handoff.sent!.step,
  )
}

function hasOutcome({ receipts, accepted, declined, deadLettered, verdicts }: Handoff): boolean {
  return (
    receipts.length > 0 ||
    accepted !== undefined ||
    declined !== undefined ||
    deadLettered !== undefined ||
    verdicts.length > 0
  )
}

/** People and queues keep no log of what they took, unless the sender asked for it. */
function waitsForPerson(run: Run, { mode, to, sent, failed }: Handoff): boolean {
  const stated = sent?.event.ack_due ?? sent?.record?.raw.ack_due
  if (mode !== 'escalate' || stated !== undefined || failed !== undefined || to === undefined) return false
  return isCalledPerson(run, to) || (/^queue\b/iu.test(to) && !hasModel(run, to))
}

/** The user spoke again after the handoff, and nobody did anything after that. */
function isUserLeftWaiting(run: Run, { sent }: Handoff): boolean {
  const last = actsOf(run).at(-1)?.step ?? -1
  return userTurns(run).between(Math.max(sent!.step, last), run.events.length)
}

type Why = { text: string; step?: Step; severity?: Severity }

function whyDropped(run: Run, handoff: Handoff, acts: ReadonlyMap<string, readonly Act[]>): Why | undefined {
  const { failed, from } = handoff
  if (failed !== undefined) {
    if (from !== undefined && goesOn(run, from, failed.step, acts)) return undefined
    if (!run.ended && !isOverdue(run, handoff)) return undefined
    return {
      text: `It failed (${outcomeOf(handoff)}), and nobody took the task up again.`,
      step: failed.step,
    }
  }
  // What people and queues take is nowhere in the log. That the user is left waiting is.
  if (waitsForPerson(run, handoff) && !isUserLeftWaiting(run, handoff)) return undefined
  if (run.ended) return { text: 'The run ended without a receipt, a refusal or a failure.' }
  if (isOverdue(run, handoff)) return { text: 'Its acceptance is overdue.' }
  const anew = run.handoffs.find(
    (other) =>
      other.mode === 'resume' &&
      other.from === from &&
      other.to === from &&
      other.receipts.some(({ step }) => step > handoff.sent!.step),
  )
  return (
    anew && {
      text: `${from} was started anew as ${anew.id} since, without it.`,
      step: anew.receipts[0]!.step,
    }
  )
}

/** The sender knows of the failure and does something afterwards: the task is back with it. */
function goesOn(run: Run, from: string, step: Step, acts: ReadonlyMap<string, readonly Act[]>): boolean {
  const acted = acts.get(from)?.some((act) => act.step > step) ?? false
  return (
    acted || run.handoffs.some(({ sent, from: by }) => by === from && sent !== undefined && sent.step > step)
  )
}

function outcomeOf({ failed }: Handoff): string {
  const { outcome, error } = failed!.event
  return (
    [outcome, error === undefined ? undefined : textOfContent(error)].filter(Boolean).join(': ') ||
    'no reason given'
  )
}

function isOverdue(run: Run, handoff: Handoff): boolean {
  const due = acceptanceDue(run, handoff)
  const last = instantAt(run, run.events.length - 1)
  return due !== undefined && last !== undefined && last > due
}

function whyUncertain(
  run: Run,
  handoff: Handoff,
  acts: ReadonlyMap<string, readonly Act[]>,
): string | undefined {
  const { evidence } = handoff.sent!.event
  if (evidence !== undefined && evidence !== 'explicit')
    return `the handoff is inferred (${evidence}), its receipt was not captured`
  return seemsReceived(run, handoff, acts)
    ? 'the receiver acts, but its side of the handoff is not in the log'
    : undefined
}

/** Traces of a receipt that was not captured. Where the receiver's other receipts are in the log, there are none. */
function seemsReceived(run: Run, handoff: Handoff, acts: ReadonlyMap<string, readonly Act[]>): boolean {
  const { to, sent } = handoff
  if (to === undefined || run.handoffs.some(({ receipts }) => receipts.some(({ by }) => by === to)))
    return false
  const later = (acts.get(to) ?? []).filter((act) => act.step > sent!.step)
  if (later.length === 0) return false
  if (handoff.mode !== 'return' && !tookPartBefore(run, to, sent!.step)) return true
  const result = sent!.items?.findLast((item) => item.role !== 'user' && item.text.length > 3)?.text
  if (result !== undefined) return later.some((act) => act.text.includes(result))
  return passesControl(handoff) && !userTurns(run).between(sent!.step, later[0]!.step)
}

function droppedDraft(handoff: Handoff, { text, step }: Why): Draft {
  const target = handoff.to ?? 'somebody'
  const fell = handoff.mode === 'return' ? 'The result' : 'The task'
  return {
    ...aboutHandoff(handoff),
    subject: { kind: 'handoff', id: handoff.id },
    message:
      `${handoff.from ?? 'The sender'} handed over to ${target} (${handoff.mode}), and nobody received it. ${text} ` +
      `${fell} belongs to nobody now, and whoever waits for it waits for ever.`,
    evidence: [{ step: handoff.sent!.step, side: 'sender' }, ...(step === undefined ? [] : [{ step }])],
    remedy:
      'Send it again under the same handoff id, or take it back: log the failure and who owns the task then.',
    trait: handoff.mode,
  }
}
