import type { Check } from '../check.ts'
import { type Act, actsBetween, actsByAgent } from '../facts/acts.ts'
import { aheadBy, isProvenAfter } from '../facts/clocks.ts'
import { groupBy } from '../facts/dispatches.ts'
import { effectOf } from '../facts/effects.ts'
import { type Disengaged, disengagements } from '../facts/engagements.ts'
import { taskIdOf, taskOf } from '../facts/task-of.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, listed, quote, receiverOf } from '../phrase.ts'
import type { Handoff, Run, Step } from '../run.ts'

export const twoActive: Check = {
  id: 'two-active',
  severity: 'error',
  title: 'Two agents act on one task',
  question: 'Did the old agent stop when control had passed, and does one agent do the job?',
  definition:
    'Raised when an agent speaks, asks its model or writes after a transfer, return, resume or escalation of its was ' +
    'received, and before it got a task again (a handoff to it, a decline, a failure, a verdict, a turn of the user that ' +
    'it was given). After an escalation only writes count, until the user talks with whoever took it. Replies to its earlier calls, empty ' +
    'messages and one word that announces the transfer are no acts. An act that stands before the receipt counts where ' +
    'handoffs the other way show that the clock of the receiver is ahead by more. Also raised when one handoff, or the ' +
    'same task handed to two agents at once, leads both of them to make the same write (under one task id, a write by the same ' +
    'tool) or to answer.',
  check({ run }) {
    const acts = actsByAgent(run)
    return {
      findings: [
        ...disengagements(run).flatMap((idle) => actsWithoutTask(run, idle, acts)),
        ...sharedReceipts(run, acts),
        ...sharedTasks(run),
      ],
    }
  },
}

function actsWithoutTask(run: Run, idle: Disengaged, acts: ReadonlyMap<string, readonly Act[]>): Draft[] {
  const { handoff, agent } = idle
  const successor = receiverOf(handoff)
  const alone = handoff.mode === 'escalate' ? talksToUser(run, successor, idle.from) : idle.from
  const late = actsBetween(acts.get(agent), idle.from, idle.until).filter(
    ({ kind, step }) => kind === 'write' || (kind !== 'read' && step > alone),
  )
  const misplaced = actsBeforeByTheClocks(run, idle, acts.get(agent))
  const during = [...misplaced, ...late]
  const first = during[0]
  const unannounced = first !== undefined && announces(run, first, handoff) ? during.slice(1) : during
  const wrong = unannounced.length > 0 ? unannounced : answeredTwice(run, idle, acts)
  if (wrong.length === 0) return []
  const others = actsBetween(acts.get(successor), idle.from, run.events.length)
  return [
    {
      ...aboutHandoff(handoff),
      subject: { kind: 'handoff', id: handoff.id },
      message:
        `${agent} handed over to ${successor}, which received it, and went on: ${listed(wrong.map(actWords))}. ` +
        `${others.length === 0 ? `${successor} did nothing in the log` : `${successor} acts as well`}. ` +
        'Two agents now answer for one task, and what one does the other does not know.' +
        (misplaced.includes(wrong[0]!) ? clockWords(run, wrong[0]!, handoff) : ''),
      evidence: [
        { step: handoff.receipts[0]!.step, side: 'receiver' },
        ...wrong.slice(0, 5).map(({ step }) => ({ step, side: 'sender' as const })),
        ...others.slice(0, 1).map(({ step }) => ({ step, side: 'receiver' as const })),
      ],
      remedy: `Fence ${agent} off once the handoff is received: end its turn, and refuse its calls until it gets a task again.`,
      trait: 'old agent',
    },
  ]
}

/** Acts that stand before the receipt only because the clock of whoever received it is ahead. */
function actsBeforeByTheClocks(run: Run, idle: Disengaged, acts: readonly Act[] | undefined): Act[] {
  const { handoff, given, from } = idle
  if (given === undefined) return []
  return actsBetween(acts, given, from).filter(
    ({ kind, step }) =>
      (kind === 'write' || (kind !== 'read' && handoff.mode !== 'escalate')) &&
      isProvenAfter(run, step, from),
  )
}

function clockWords(run: Run, act: Act, handoff: Handoff): string {
  const [receiver, sender] = [handoff.receipts[0]!.step, act.step].map((step) => run.events[step]!.writer!)
  const seconds = (aheadBy(run, receiver!, sender!) / 1000).toFixed(1)
  return ` In the log this stands before the receipt: the clock of ${receiver} is at least ${seconds} s ahead of that of ${sender}.`
}

/** The step from which on the user talks to whoever a task was escalated to: the user spoke to it, and it had answered. */
function talksToUser(run: Run, successor: string, from: Step): Step {
  const own = run.messages.filter(({ step, event }) => step > from && event.agent === successor)
  const answered = own.some(({ event }) => event.role === 'assistant')
  return answered
    ? (own.find(({ event }) => event.role === 'user')?.step ?? run.events.length)
    : run.events.length
}

/** A closing word of the old agent's, logged after the receiver's side: it names the receiver, or says what it is. */
function announces(run: Run, act: Act, handoff: Handoff): boolean {
  if (act.kind !== 'word') return false
  const intent = run.events[act.step]?.intent
  if (
    typeof intent === 'string' &&
    /announc|transfer|hand.?off|hand.?over|clos|farewell|goodbye/iu.test(intent)
  )
    return true
  return act.text.toLowerCase().includes(receiverOf(handoff).toLowerCase())
}

/** A turn of the user's went to the old agent, and both it and the new one answered that turn. */
function answeredTwice(
  run: Run,
  { agent, until, handoff }: Disengaged,
  acts: ReadonlyMap<string, readonly Act[]>,
): Act[] {
  const turn = run.events[until]
  if (turn?.kind !== 'message' || turn.role !== 'user') return []
  const end = nextChange(run, until)
  const own = actsBetween(acts.get(agent), until, end).filter(({ kind }) => kind === 'word')
  const other = actsBetween(acts.get(receiverOf(handoff)), until, end).some(({ kind }) => kind === 'word')
  return other ? own : []
}

function nextChange(run: Run, step: Step): Step {
  for (let at = step + 1; at < run.events.length; at++) {
    const { kind, role } = run.events[at]!
    if ((kind === 'message' && role === 'user') || kind.startsWith('handoff.')) return at
  }
  return run.events.length
}

/** One attempt received by two agents that both act on it. */
function sharedReceipts(run: Run, acts: ReadonlyMap<string, readonly Act[]>): Draft[] {
  return run.handoffs.flatMap((handoff) => {
    if (handoff.receipts.length < 2) return []
    const first = handoff.receipts[0]!
    const second = handoff.receipts.find(
      ({ by }) => by !== undefined && first.by !== undefined && by !== first.by,
    )
    if (second === undefined) return []
    const acted = [first, second].map(({ by, step }) =>
      (acts.get(by!) ?? []).find((act) => act.step > step && act.kind !== 'read'),
    )
    if (acted.some((act) => act === undefined)) return []
    return [
      sameJobDraft(
        handoff,
        [first.by!, second.by!],
        [first.step, second.step, ...acted.map((act) => act!.step)],
        handoff.id,
      ),
    ]
  })
}

/** The same task handed to two agents, the second one before the first was done, and both made the same write. */
function sharedTasks(run: Run): Draft[] {
  const handed = run.handoffs.filter(
    ({ mode, receipts, sent }) =>
      sent !== undefined && receipts[0]?.by !== undefined && (mode === 'delegate' || mode === 'transfer'),
  )
  const groups = groupBy(handed, (handoff) => `${handoff.from}\u0000${taskOf(handoff).name}`)
  const shared = [...groups.values()].filter((group) => new Set(group.map(receiverOf)).size > 1)
  if (shared.length === 0) return []
  const effects = writesByAgent(run)
  return shared.flatMap((group) => {
    const [first, ...rest] = group
    const second = rest.find(
      (other) =>
        receiverOf(other) !== receiverOf(first!) && other.receipts[0]!.step < returnStep(run, first!),
    )
    if (second === undefined) return []
    const own = effects.get(receiverOf(first!)) ?? new Map<string, Write>()
    const isOneTask = haveOneTaskId(first!, second)
    const begun = second.receipts[0]!.step
    for (const [effect, write] of effects.get(receiverOf(second)) ?? []) {
      const twin = own.get(effect) ?? (isOneTask ? likeWrite(own, write, begun) : undefined)
      if (twin === undefined) continue
      // One key makes one effect of two writes. Under one task id it is one job all the same, if the first agent goes on.
      const isOneEffect = twin.key !== undefined && twin.key === write.key
      if (isOneEffect && !(isOneTask && twin.step > begun)) continue
      const steps = [first!.receipts[0]!.step, second.receipts[0]!.step, twin.step, write.step]
      return [
        sameJobDraft(
          second,
          [receiverOf(first!), receiverOf(second)],
          steps,
          `${first!.id} and ${second.id}`,
        ),
      ]
    }
    return []
  })
}

function haveOneTaskId(first: Handoff, second: Handoff): boolean {
  const id = taskIdOf(first)
  return id !== undefined && id === taskIdOf(second)
}

/** A write by the same tool while both were at work: of one task two agents make one thing, each in its own words. */
function likeWrite(own: ReadonlyMap<string, Write>, { tool, step }: Write, begun: Step): Write | undefined {
  if (step < begun) return undefined
  return [...own.values()].find((write) => write.tool === tool && write.step > begun)
}

type Write = { step: Step; tool: string | undefined; key?: string | undefined }

function writesByAgent(run: Run): Map<string, Map<string, Write>> {
  const byAgent = new Map<string, Map<string, Write>>()
  for (const operation of run.operations.values()) {
    if (operation.effect !== 'write' || operation.effectAssumed || operation.agent === undefined) continue
    const writes = byAgent.get(operation.agent) ?? new Map<string, Write>()
    writes.set(effectOf(operation), {
      step: operation.versions[0]!.step,
      tool: operation.tool,
      key: operation.key,
    })
    byAgent.set(operation.agent, writes)
  }
  return byAgent
}

function returnStep(run: Run, handoff: Handoff): Step {
  const by = receiverOf(handoff)
  const start = handoff.receipts[0]!.step
  const back = run.handoffs.find(
    ({ from, to, sent }) => from === by && to === handoff.from && sent !== undefined && sent.step > start,
  )
  return back?.sent?.step ?? run.events.length
}

function sameJobDraft(handoff: Handoff, agents: string[], steps: Step[], ids: string): Draft {
  return {
    ...aboutHandoff(handoff),
    agents,
    subject: { kind: 'handoff', id: handoff.id },
    message:
      `${agents.join(' and ')} both got the same task (${ids}) and both act on it. ` +
      'Neither knows of the other, so the work and its effects are made twice.',
    evidence: steps.map((step) => ({ step, side: 'receiver' as const })),
    remedy:
      'Give the task to one agent: refuse a second receipt, or withdraw the first handoff before the second is sent.',
    trait: 'two receivers',
  }
}

function actWords({ kind, text }: Act): string {
  return kind === 'word' ? quote(text) : text
}
