import { canonicalJson, normaliseText } from '../../model/hash.ts'
import type { Check } from '../check.ts'
import { groupBy, writeDispatches } from '../facts/dispatches.ts'
import { stepsOf } from '../facts/steps-by-kind.ts'
import { taskIdOf } from '../facts/task-of.ts'
import { type UserTurns, userTurns } from '../facts/user-turns.ts'
import type { Draft } from '../finding.ts'
import { oncePerRun } from '../once-per-run.ts'
import { aboutHandoff } from '../phrase.ts'
import type { Handoff, Run, Step } from '../run.ts'
import { anyBetween } from '../steps.ts'

export const redundantDelegation: Check = {
  id: 'redundant-delegation',
  severity: 'warning',
  title: 'The same brief was delegated again',
  question: 'Does the sender know that the work has been handed out, or done?',
  definition:
    'Raised when a task goes to the same agent (or, under the same task id and after its time ran out, to another one) with the same brief (or, without one, the ' +
    'same reason and items) as an earlier ' +
    'handoff that was answered, or that is still worked on. A transfer that comes back counts as a delegation. Not raised ' +
    'for a retry after a failure, a refusal, a verdict that asks for changes or a crash (unless the receiver is seen at ' +
    'work afterwards), nor if the user spoke, another agent was asked or the sender wrote something in between.',
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
          .flatMap((again, index) => draft(run, group[index]!, again, answerOf(group[index]!), news) ?? []),
      ),
    }
  },
}

function pair(from: string | undefined, to: string | undefined): string {
  return `${from}\u0000${to}`
}

/**
 * What is delegated: by whom, to whom, and the brief; without a brief, the reason and the words that go with it. One brief
 * may well go to several agents, but under one task id it is one task, whoever gets it.
 */
function taskOf(handoff: Handoff): string {
  const { from, to, reason, sent } = handoff
  const { brief } = sent!.event
  if (brief !== undefined) {
    const id = taskIdOf(handoff)
    const which = id === undefined ? ['to', to ?? null] : ['task', id]
    return canonicalJson([from ?? null, which, typeof brief === 'string' ? normaliseText(brief) : brief])
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

/** Several agents may be asked one thing at once; a task whose time ran out is given to another one in place of the first. */
function isReassigned(run: Run, first: Handoff, again: Handoff): boolean {
  return run.events
    .slice(first.sent!.step + 1, again.sent!.step)
    .some(({ kind }) => /lease|expire|time.?out|reassign|requeue|redeliver/iu.test(kind))
}

function draft(
  run: Run,
  first: Handoff,
  again: Handoff,
  answer: Handoff | undefined,
  news: News,
): Draft | undefined {
  if (first.to !== again.to && !isReassigned(run, first, again)) return undefined
  if (again.id === first.id || first.failed !== undefined || first.declined !== undefined) return undefined
  if (first.deadLettered !== undefined || first.receipts.length === 0) return undefined
  if (first.verdicts.some(({ event }) => /change|block|reject/iu.test(event.verdict))) return undefined
  const answered = answer !== undefined && answer.sent!.step < again.sent!.step
  if (answered && news(first.from, first.to, answer.sent!.step, again.sent!.step)) return undefined
  if (!answered && news(first.from, first.to, first.sent!.step, again.sent!.step, survivor(first, again))) {
    return undefined
  }
  const since = answered ? `after ${answer.id} had brought the answer` : 'while it is still worked on'
  return {
    ...aboutHandoff(again),
    subject: { kind: 'handoff', id: again.id },
    message:
      `${again.from ?? 'The sender'} gave ${again.to ?? 'the receiver'} as ${again.id} what it had given ` +
      `${first.to === again.to ? '' : `${first.to ?? 'another agent'} `}as ${first.id}, ${since}. ` +
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

/** The process in which the first one is worked on, where the second went to another one. */
function survivor(first: Handoff, again: Handoff): string | undefined {
  const [process, other] = [first, again].map(({ receipts }) => receipts[0]?.event.writer)
  return process === other ? undefined : process
}

type News = (
  from: string | undefined,
  to: string | undefined,
  after: Step,
  before: Step,
  process?: string | undefined,
) => boolean

/** The last step that each process wrote. */
const lastSteps = oncePerRun((run) => new Map(run.events.map(({ writer }, step) => [writer, step])))

/** Whether something happened that makes the same brief a new task. A crash does if it may have ended the work in a process. */
function newsFor(run: Run, turns: UserTurns): News {
  const crashes = stepsOf(run, 'process.crash')
  const writes = groupBy(writeDispatches(run), ({ agent }) => agent ?? '')
  const writeSteps = new Map([...writes].map(([agent, list]) => [agent, list.map(({ step }) => step)]))
  const sent = run.handoffs.filter((handoff) => handoff.sent !== undefined)
  const crashesOf = groupBy(crashes, (step) => run.events[step]!.writer)
  const ended = (process: string | undefined, after: Step, before: Step) =>
    process === undefined
      ? anyBetween(crashes, after, before)
      : anyBetween(crashesOf.get(process) ?? [], after, before) ||
        anyBetween(crashes, Math.max(after, lastSteps(run).get(process) ?? -1), before)
  return (from, to, after, before, process) => {
    if (turns.between(after, before) || ended(process, after, before)) return true
    if (anyBetween(writeSteps.get(from ?? '') ?? [], after, before)) return true
    return sent.some(
      (other) =>
        other.sent!.step > after &&
        other.sent!.step < before &&
        other.from === from &&
        other.to !== to &&
        other.to !== from,
    )
  }
}
