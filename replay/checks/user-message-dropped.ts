import type { Item } from '../../model/items.ts'
import { jsonString } from '../../model/json-text.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { briefOf, holdsBrief, recordStatesTask, writtenForReceiver } from '../facts/briefs.ts'
import { isWithoutWords } from '../facts/left-out.ts'
import { readPolicy } from '../facts/policy.ts'
import {
  holdsRequest,
  lastRequest,
  spokenTurns,
  turnsHeardBetween,
  type UserRequest,
} from '../facts/user-request.ts'
import type { Draft } from '../finding.ts'
import { passesControl } from '../fold/fold-handoffs.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, quote, receiverOf } from '../phrase.ts'
import type { Receipt, Run } from '../run.ts'
import { wordsOf } from '../text.ts'

export const userMessageDropped: Check = {
  id: 'user-message-dropped',
  severity: 'error',
  title: "The user's last request did not cross",
  question: 'Does the receiver know what the user asked?',
  definition:
    "Raised when the user's last words to the sender (also earlier ones that were spoken, or a turn that came while the task changed hands) are " +
    'not at the receiver: no item, no summary that covers them, not in the words, instructions or record; and no brief by the ' +
    'sender replaces them. A delegation with a brief, a notice, and a report back need not carry them, but a helper that ' +
    'leaves a question of the user unanswered must.',
  needsWholePayload: true,
  judgesByWords: true,
  check({ run, diffs }) {
    return { findings: diffs.flatMap((diff) => droppedRequest(run, diff)), notJudged: notJudged(diffs) }
  },
}

function notJudged(diffs: readonly HandoffDiff[]) {
  return [
    ...missingSenders(diffs),
    ...diffs
      .filter((diff) => diff.complete && diff.receipt?.items === undefined)
      .map((diff) => ({ handoff: diff.handoff.id, reason: "the receiver's items are not in the log" })),
    ...diffs
      .filter(({ complete, receipt }) => complete && receipt?.items !== undefined && holdsUnreadTurn(receipt))
      .map((diff) => ({
        handoff: diff.handoff.id,
        reason: "the words of the user's messages at the receiver are not in the log",
      })),
  ]
}

/** A message of the user crossed of which the log has no words: it may be the one. */
function holdsUnreadTurn({ items }: Receipt): boolean {
  return items!.some((item) => item.role === 'user' && isWithoutWords(item))
}

function droppedRequest(run: Run, diff: HandoffDiff): Draft[] {
  const { handoff, sent, receipt } = diff
  if (sent === undefined || receipt?.items === undefined || holdsUnreadTurn(receipt)) return []
  const request = lastRequest(run, handoff, sent)
  const spoken = passesControl(handoff) && handoff.mode !== 'return' ? spokenTurns(run, handoff, sent) : []
  const lost =
    [...(request === undefined ? [] : [request]), ...spoken].find((one) => isLost(run, diff, one)) ??
    turnInBetween(run, diff)
  return lost === undefined ? [] : [draft(diff, lost)]
}

function isLost(run: Run, diff: HandoffDiff, request: UserRequest): boolean {
  const { handoff, receipt } = diff
  if (handoff.mode === 'notify' || holdsRequest(run, request, receipt!)) return false
  if (handoff.mode === 'return') return isUnanswered(run, diff, request)
  return !isReplaced(diff, request)
}

/** The user spoke to the helper itself, after its brief, and it hands back without a word to that. */
function isUnanswered(run: Run, { handoff, sent }: HandoffDiff, request: UserRequest): boolean {
  if (request.path !== undefined && request.step === sent!.step && !request.spoken) return false
  return !run.messages.some(
    ({ step, event }) =>
      step > request.step && step < sent!.step && event.agent === handoff.from && event.role === 'assistant',
  )
}

/** Something else tells the receiver what is wanted. */
function isReplaced(diff: HandoffDiff, request: UserRequest): boolean {
  const { handoff, sent, receipt } = diff
  const brief = briefOf(sent)
  if (brief !== undefined && holdsBrief(brief, receipt!)) return true
  if (recordStatesTask(receipt!)) return true
  if (isExcludedOnPurpose(diff, request)) return true
  const written = writtenForReceiver(handoff, receipt!)
  // A helper is asked in whatever words its caller chooses.
  if (handoff.mode === 'delegate') return written.length > 0
  const words = wordsOf(request.text)
  const { redacts } = readPolicy(sent!.event.policy, sent!.items ?? [])
  return written.some(
    (item) =>
      (item.type === 'summary' && item.covers.length === 0 && mayTell(words, wordsOf(item.text))) ||
      item.author === handoff.from ||
      item.origin?.kind === 'agent' ||
      (redacts && item.role === 'user' && sharesHalf(words, wordsOf(item.text))) ||
      (isInstruction(item) ? sharesMost : sharesWords)(words, wordsOf(item.text)),
  )
}

/** A summary may put the request in any words, but the numbers of it remain numbers. */
function mayTell(request: ReadonlySet<string>, summary: ReadonlySet<string>): boolean {
  return ![...request].some((word) => NUMBER.test(word)) || sharesWords(request, summary)
}

/** An explicit list of what may cross leaves it out. A word for a kind of history does not say so. */
function isExcludedOnPurpose({ sent }: HandoffDiff, request: UserRequest): boolean {
  const item = sent?.items?.find(({ path }) => path === request.path)
  return (
    item !== undefined &&
    readPolicy({ allows: sent!.event.policy?.allows }, sent!.items!).excludes(item) !== undefined
  )
}

/** What the receiver is told on every occasion. */
function isInstruction({ role }: Item): boolean {
  return role === 'system' || role === 'developer'
}

/** Half of the words of the first that are of some length: they stand there because of this request. */
function sharesMost(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const long = [...a].filter(tells)
  return long.length > 0 && long.filter((word) => b.has(word)).length * 2 >= long.length
}

/** Half of all its words: the request with what was to be masked taken out. */
function sharesHalf(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].filter((word) => b.has(word)).length * 2 >= a.size
}

/** A word of some length that both have: a request in other words, rather than a notice. */
function sharesWords(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].some((word) => tells(word) && b.has(word))
}

// A short one may be written out, or be the number of some step.
const NUMBER = /\p{N}{3}/u

function tells(word: string): boolean {
  return word.length >= 5 || /\p{N}|\p{Script=Han}/u.test(word)
}

/** A turn that still went to the old agent while the task changed hands, and that the new one never sees. */
function turnInBetween(run: Run, { handoff, sent, receipt }: HandoffDiff): UserRequest | undefined {
  if (!passesControl(handoff) || handoff.from === undefined || handoff.from === receipt!.by) return undefined
  const between = turnsHeardBetween(run, handoff.from, sent!.step, receipt!.step)
  return between.find(
    (turn) => !holdsRequest(run, turn, receipt!) && !comesLater(run, turn, receipt!.by, receipt!.step),
  )
}

function comesLater(run: Run, turn: UserRequest, agent: string | undefined, after: number): boolean {
  const later = run.modelInputs.filter(({ step, event }) => step > after && event.agent === agent)
  return later.some(({ event }) => jsonString(event.items ?? []).includes(jsonString(turn.text).slice(1, -1)))
}

function draft(diff: HandoffDiff, request: UserRequest): Draft {
  const { handoff, sent, receipt } = diff
  const receiver = receiverOf(handoff)
  const items = receipt!.items!.length
  return {
    ...aboutHandoff(handoff),
    subject: { kind: 'message', id: request.id ?? request.path ?? `step ${request.step}` },
    message:
      `The user's ${request.spoken ? 'spoken' : 'last'} words to ${handoff.from ?? 'the sender'}, ${quote(request.text)}, are not at ${receiver}: ` +
      `${items === 0 ? 'it got no item' : `none of its ${items === 1 ? 'one item holds' : `${items} items holds`} them`}, and no brief replaces them. ` +
      `${receiver} answers something else, or nothing.`,
    evidence: [
      {
        step: request.step,
        side: 'sender',
        ...(request.path === undefined ? {} : { path: request.path }),
        text: request.text,
      },
      ...(request.step === sent!.step ? [] : [{ step: sent!.step, side: 'sender' as const }]),
      { step: receipt!.step, side: 'receiver', path: 'items' },
    ],
    remedy: 'Let the filter keep the last message of the user, or hand over a brief that says what is asked.',
    trait: 'request',
  }
}
