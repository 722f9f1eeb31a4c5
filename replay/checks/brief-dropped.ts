import { normaliseText } from '../../model/hash.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { briefOf, holdsBrief, writtenForReceiver } from '../facts/briefs.ts'
import { receivedBefore } from '../facts/participation.ts'
import { readPolicy } from '../facts/policy.ts'
import type { Draft } from '../finding.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, bothSides, quote, receiverOf } from '../phrase.ts'
import type { Receipt, Run, Step } from '../run.ts'

export const briefDropped: Check = {
  id: 'brief-dropped',
  severity: 'error',
  title: 'An agent lacks the brief that it had been given',
  question: 'Does a helper still know what it was asked to do?',
  definition:
    'Raised when the brief of a handoff is in none of the items, the instructions or the record that the receiver got, also not ' +
    'in other words; and when an agent is resumed in the middle of a delegation (or after it, with a history that holds the ' +
    'brief) and its payload no longer holds the brief of that delegation, while no new one takes its place.',
  needsWholePayload: true,
  searchesWordsOf: 'all',
  check({ run, diffs }) {
    return {
      findings: diffs.flatMap((diff) => droppedBrief(diff) ?? forgottenBrief(run, diff) ?? []),
      notJudged: missingSenders(diffs),
    }
  },
}

function droppedBrief(diff: HandoffDiff): Draft | undefined {
  const { sent, receipt, handoff } = diff
  const brief = briefOf(sent)
  if (
    brief === undefined ||
    receipt?.items === undefined ||
    handoff.mode === 'return' ||
    holdsBrief(brief, receipt)
  )
    return undefined
  return draft(
    diff,
    brief,
    `${receiverOf(handoff)} was to be told ${quote(brief)}, and nothing that it got says so.`,
    { step: sent!.step, side: 'sender' as const, path: 'brief' },
  )
}

/** A helper that is woken in the middle of its task, for a decision or after a crash, or for more of the same afterwards. */
function forgottenBrief(run: Run, diff: HandoffDiff): Draft | undefined {
  const { handoff, sent, receipt } = diff
  if (handoff.mode !== 'resume' || receipt?.items === undefined || receipt.by === undefined) return undefined
  if (sent !== undefined && briefOf(sent) !== undefined) return undefined
  const given = latestDelegation(run, receipt.by, receipt.step)
  if (given === undefined || holds(given, receipt)) return undefined
  if (given.isOver && !isPassedOn(given, diff)) return undefined
  return draft(
    diff,
    given.text,
    `${receipt.by} had been asked by ${given.from ?? 'its caller'}: ${quote(given.text)}. It was resumed with ${handoff.id} without that.`,
    { step: given.step, side: 'sender' as const, ...(given.path === undefined ? {} : { path: given.path }) },
  )
}

type Given = {
  text: string
  id?: string | undefined
  path?: string | undefined
  from?: string | undefined
  step: Step
  /** The agent has returned from it. */
  isOver: boolean
}

/** The brief of the latest delegation to the agent. */
function latestDelegation(run: Run, agent: string, before: Step): Given | undefined {
  const last = receivedBefore(run, agent, before).findLast(({ handoff }) => handoff.mode === 'delegate')
  if (last === undefined) return undefined
  const { handoff, receipt } = last
  const isOver = run.handoffs.some(
    ({ mode, from, sent }) =>
      mode === 'return' &&
      from === agent &&
      sent !== undefined &&
      sent.step > receipt.step &&
      sent.step < before,
  )
  const brief = briefOf(handoff.sent)
  if (brief !== undefined)
    return { text: brief, from: handoff.from, step: receipt.step, path: 'brief', isOver }
  const asked = writtenForReceiver(handoff, receipt).find(({ role }) => role === 'user')
  const item = asked ?? receipt.items?.find(({ role, text }) => role === 'user' && text !== '')
  return item === undefined
    ? undefined
    : { text: item.text, id: item.id, from: handoff.from, step: receipt.step, path: item.path, isOver }
}

/** The history with which the agent is resumed holds the brief, as something to cross, and nothing was written in its place. */
function isPassedOn({ text, id }: Given, { handoff, sent, receipt }: HandoffDiff): boolean {
  const wanted = normaliseText(text)
  const item = sent?.items?.find(
    (one) => (id !== undefined && one.id === id) || normaliseText(one.text).includes(wanted),
  )
  if (item === undefined) return false
  const policy = readPolicy(sent!.event.policy, sent!.items!)
  if (policy.excludes(item) !== undefined || policy.summarises !== undefined) return false
  return !writtenForReceiver(handoff, receipt!).some(({ role }) => role === 'user')
}

function holds(given: Given, receipt: Receipt): boolean {
  if (holdsBrief(given.text, receipt)) return true
  return (receipt.items ?? []).some(
    (item) =>
      (given.id !== undefined && (item.id === given.id || item.covers.includes(given.id))) ||
      (item.type === 'summary' && item.covers.length === 0 && normaliseText(item.text) !== ''),
  )
}

function draft(
  diff: HandoffDiff,
  brief: string,
  words: string,
  source: { step: Step; side: 'sender'; path?: string },
): Draft {
  return {
    ...aboutHandoff(diff.handoff),
    subject: { kind: 'brief', id: diff.handoff.id },
    message: `${words} It goes on without knowing what for.`,
    evidence: [{ ...source, text: brief }, ...bothSides(diff)],
    remedy: 'Put the brief into the payload on every start and every resume, or into task of the record.',
    trait: diff.handoff.mode,
  }
}
