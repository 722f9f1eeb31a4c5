import type { Check } from '../check.ts'
import { type Echo, echoesOf } from '../facts/echoes.ts'
import { type Laps, lapsOf } from '../facts/laps.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, quote, receiverOf } from '../phrase.ts'

// Once is a repeat, twice is a pattern. Where only the way is the same, more laps are needed to call it a cycle.
const SAME_TASK = 3
const SAME_WAY = 4
// Two may well ask each other back; who gets it again through others has been passed over by all of them.
const RING = 3

export const handoffCycle: Check = {
  id: 'handoff-cycle',
  severity: 'error',
  title: 'A task goes round in a circle',
  question: 'Does the same task come round again without a person or any work in between?',
  definition:
    `Raised when one agent hands the same task to the same agent ${SAME_TASK} times (the same brief, or the same reason and ` +
    `last words; twice, if it comes back each time through a ring of ${RING} or more), or transfers to it ${SAME_WAY} times ` +
    `(${SAME_TASK}, if it is sent back as often) for one reason or with the same last words, while no person spoke and no call ` +
    'of an agent that takes part in a handoff settled with a new result in between; and when two agents send each other the same notice, three times each. Raised ' +
    'once a circle. Different briefs to one helper, attempts of one handoff and handoffs that were never received are no laps.',
  check({ run }) {
    const findings: Draft[] = []
    const taken = new Set<string>()
    const all = lapsOf(run)
    for (const laps of all.filter((laps) => isCycle(laps, all))) {
      const { from } = laps.handoffs[0]!
      const agents = [from ?? '', receiverOf(laps.handoffs[0]!)]
      // The way back, or the next leg of the same circle, says nothing more.
      const isKnown = (agent: string) => taken.has(agent)
      if (laps.task.briefed ? agents.every(isKnown) : agents.some(isKnown)) continue
      for (const agent of agents) taken.add(agent)
      findings.push(cycleDraft(laps))
    }
    return { findings: [...findings, ...echoesOf(run).map(echoDraft)] }
  },
}

/** Two agents that answer each other's notices with the same words, and never stop. */
function echoDraft({ handoffs, text }: Echo): Draft {
  const last = handoffs.at(-1)!
  return {
    ...aboutHandoff(last),
    subject: { kind: 'handoff', id: last.id },
    message:
      `${last.from ?? 'The sender'} and ${receiverOf(last)} sent each other ${quote(text)} ${handoffs.length} times, and no person ` +
      'spoke in between. Each notice is answered by another one; nothing in the run ends this.',
    evidence: handoffs.slice(0, 8).map(({ sent }) => ({ step: sent!.step, side: 'sender' as const })),
    remedy:
      'Let a notice that asks for nothing be answered by nobody, and count notices since the last turn of a person.',
    trait: 'echo',
  }
}

function isCycle(laps: Laps, all: readonly Laps[]): boolean {
  const { handoffs, sameTask, sameWay } = laps
  if (!sameTask && !sameWay) return false
  if (handoffs.length >= (sameTask ? SAME_TASK : SAME_WAY)) return true
  if (sameTask && isRing(laps, all)) return true
  return handoffs.length >= SAME_TASK && all.some((other) => other.sameWay && isWayBack(other, laps))
}

/** Three or more have passed the same task on to the next, back to where it began, and all of it once more. */
function isRing({ handoffs }: Laps, all: readonly Laps[]): boolean {
  const next = new Map(
    all.flatMap(({ sameTask, handoffs: [leg] }) => (sameTask && leg ? [[leg.from, leg.to]] : [])),
  )
  const { from, to } = handoffs[0]!
  const passed = new Set([from])
  let holder = to
  while (holder !== undefined && !passed.has(holder)) {
    passed.add(holder)
    holder = next.get(holder)
  }
  return holder !== undefined && holder === from && passed.size >= RING
}

/** Each sends the task back as often as it gets it. */
function isWayBack(other: Laps, { handoffs }: Laps): boolean {
  const [there, back] = [handoffs[0]!, other.handoffs[0]!]
  return other.handoffs.length >= SAME_TASK && back.from === there.to && back.to === there.from
}

function cycleDraft({ handoffs, task, sameTask }: Laps): Draft {
  const last = handoffs.at(-1)!
  const sameReason = handoffs.every(({ reason }) => reason === last.reason)
  const what = sameTask
    ? `the same task ${quote(task.text)}`
    : sameReason
      ? `for the same reason ${quote(last.reason ?? '')}`
      : 'with the same last words'
  return {
    ...aboutHandoff(last),
    subject: { kind: 'handoff', id: last.id },
    message:
      `${last.from ?? 'The sender'} handed over to ${receiverOf(last)} ${handoffs.length} times, ${what}, and no person spoke ` +
      'and no call brought a new result in between. Nothing in the run ends this; every lap costs a turn.',
    evidence: handoffs.slice(0, 8).map(({ sent }) => ({ step: sent!.step, side: 'sender' as const })),
    remedy:
      'Count handoffs since the last turn of a person and stop at a limit; carry what was asked and answered already.',
    trait: sameTask && task.briefed ? `task ${task.name}` : 'way',
  }
}
