import { canonicalJson, normaliseText } from '../../model/hash.ts'
import type { Check } from '../check.ts'
import { groupBy, writeDispatches } from '../facts/dispatches.ts'
import { type UserTurns, userTurns } from '../facts/user-turns.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff } from '../phrase.ts'
import type { Handoff, Run, Step } from '../run.ts'
import { anyBetween } from '../steps.ts'

export const redundantDelegation: Check = {
  id: 'redundant-delegation',
  severity: 'warning',
  title: 'The same brief was delegated again',
  question: 'Does the sender know that the work has been handed out, or done?',
  definition:
    'Raised when a task goes to the same agent with the same brief (or, without one, the same reason and items) as an earlier ' +
    'handoff that was answered, or that is still worked on. A transfer that comes back counts as a delegation. Not raised ' +
    'for a retry after a failure, a refusal, a crash or a verdict that asks for changes, nor if the user spoke, another ' +
    'agent was asked or the sender wrote something in between.',
  check({ run }) {
    const turns = userTurns(run)
    const returns = groupBy(
      run.handoffs.filter(({ mode, sent }) => mode === 'return' && sent !== undefined),
      ({ from, to }) => pair(to, from),
    )
    const answerOf = ({ from, to, sent, receipts }: Handoff) =>
      returns.get(pair(from, receipts[0]?.by ?? to))?.find((answer) => answer.sent!.step > sent!.step)
    const news = newsFor(run, turns)
    const asked = run.handoffs.filter(
      (handoff) =>
        handoff.sent !== undefined &&
        (handoff.mode === 'delegate' || (handoff.mode === 'transfer' && answerOf(handoff) !== undefined)),
    )
    return {
      findings: [...groupBy(asked, taskOf).values()].flatMap((group) =>
        group
          .slice(1)
          .flatMap((again, index) => draft(group[index]!, again, answerOf(group[index]!), news) ?? []),
      ),
    }
  },
}

function pair(from: string | undefined, to: string | undefined): string {
  return `${from}\u0000${to}`
}

/** What is delegated: by whom, to whom, and the brief; without a brief, the reason and the words that go with it. */
function taskOf({ from, to, reason, sent }: Handoff): string {
  const { brief } = sent!.event
  if (brief !== undefined) {
    return canonicalJson([from ?? null, to ?? null, typeof brief === 'string' ? normaliseText(brief) : brief])
  }
  const words = (sent!.items ?? []).map(({ role, type, text, args }) => [
    role ?? null,
    type,
    text,
    args ?? null,
  ])
  // With neither reason nor items nothing says that two handoffs are about one thing.
  if (reason === undefined || words.length === 0) return canonicalJson(['', sent!.step])
  return canonicalJson([from ?? null, to ?? null, reason, words])
}

function draft(first: Handoff, again: Handoff, answer: Handoff | undefined, news: News): Draft | undefined {
  if (again.id === first.id || first.failed !== undefined || first.declined !== undefined) return undefined
  if (first.deadLettered !== undefined || first.receipts.length === 0) return undefined
  if (first.verdicts.some(({ event }) => /change|block|reject/iu.test(event.verdict))) return undefined
  const answered = answer !== undefined && answer.sent!.step < again.sent!.step
  if (answered && news(first.from, first.to, answer.sent!.step, again.sent!.step)) return undefined
  if (!answered && news(first.from, first.to, first.sent!.step, again.sent!.step)) return undefined
  const since = answered ? `after ${answer.id} had brought the answer` : 'while it is still worked on'
  return {
    ...aboutHandoff(again),
    subject: { kind: 'handoff', id: again.id },
    message:
      `${again.from ?? 'The sender'} gave ${again.to ?? 'the receiver'} as ${again.id} what it had given as ${first.id}, ${since}. ` +
      'The work is paid for twice, and what it changes may be changed twice.',
    evidence: [
      { step: first.sent!.step, side: 'sender' },
      ...(answered ? [{ step: answer.sent!.step }] : []),
      { step: again.sent!.step, side: 'sender' },
    ],
    remedy:
      'Keep the answer where the sender plans: as an item, or in the record. Delegate again only what is new.',
    trait: `${again.to ?? ''}`,
  }
}

type News = (from: string | undefined, to: string | undefined, after: Step, before: Step) => boolean

/** Whether something happened that makes the same brief a new task. */
function newsFor(run: Run, turns: UserTurns): News {
  const crashes = run.events.flatMap(({ kind }, step) => (kind === 'process.crash' ? [step] : []))
  const writes = groupBy(writeDispatches(run), ({ agent }) => agent ?? '')
  const writeSteps = new Map([...writes].map(([agent, list]) => [agent, list.map(({ step }) => step)]))
  const sent = run.handoffs.filter((handoff) => handoff.sent !== undefined)
  return (from, to, after, before) => {
    if (turns.between(after, before) || anyBetween(crashes, after, before)) return true
    if (anyBetween(writeSteps.get(from ?? '') ?? [], after, before)) return true
    return sent.some(
      (other) =>
        other.sent!.step > after && other.sent!.step < before && other.from === from && other.to !== to,
    )
  }
}
