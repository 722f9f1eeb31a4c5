import { normaliseText } from '../../model/hash.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import {
  dialogueOf,
  isGreeting,
  isToCaller,
  type Said,
  saidByReceiver,
  saidInItems,
} from '../facts/dialogue.ts'
import { instantAt } from '../facts/due.ts'
import type { Draft } from '../finding.ts'
import { passesControl } from '../fold/fold-handoffs.ts'
import { aboutHandoff, quote } from '../phrase.ts'
import type { Run, Step } from '../run.ts'
import { firstIndexAfter } from '../steps.ts'

const NEW_CONVERSATION_MS = 3_600_000
const LONG_ENOUGH = 12

export const reGreet: Check = {
  id: 're-greet',
  severity: 'warning',
  title: 'The receiver greets as if the conversation were new',
  question: 'Does the receiver go on, or begin again?',
  definition:
    'Raised when control passed and the first words of the receiver greet (the log calls them a greeting, or they begin with ' +
    'a word of greeting) or repeat the opening word for word, although the user was greeted before. Not raised when the user ' +
    'greeted the receiver first, after an hour of silence, for a helper that talks to its caller, or for words of a helper ' +
    'that its caller hands out.',
  judgesByWords: true,
  check({ run, diffs }) {
    return { findings: diffs.flatMap((diff) => regreeting(run, diff)) }
  },
}

function regreeting(run: Run, diff: HandoffDiff): Draft[] {
  const { receipt, handoff } = diff
  if (receipt === undefined || !passesControl(handoff)) return []
  const first = saidByReceiver(run, diff)[0]
  if (first === undefined) return []
  const greeted = greetedBefore(run, diff, first)
  if (greeted === undefined) return []
  if (isNewConversation(run, receipt.step) || userGreeted(run, receipt.step, first.step)) return []
  const before = greeted.agent ?? 'the agent before it'
  const already = isGreeting(greeted)
    ? `${before} had greeted already (${quote(greeted.text)})`
    : `${before} had opened with the same words already`
  return [
    {
      ...aboutHandoff(handoff),
      subject: { kind: 'handoff', id: handoff.id },
      message:
        `${receipt.by} opens with ${quote(first.text)}, although ${already}. ` +
        'To the user the conversation seems to begin anew, and what was said seems lost.',
      evidence: [
        { step: greeted.step, side: 'sender', ...(greeted.path !== undefined && { path: greeted.path }) },
        { step: receipt.step, side: 'receiver' },
        { step: first.step, side: 'receiver' },
      ],
      remedy:
        'Tell the receiver that it takes over a running conversation, and start it with its own opening.',
      trait: 'greeting',
    },
  ]
}

/** What opened the conversation, if the receiver's first words open it again. */
function greetedBefore(run: Run, diff: HandoffDiff, first: Said): Said | undefined {
  const { greetings, said } = dialogueOf(run)
  const until = diff.receipt!.step
  const isEarlier = ({ step }: Said) => step < until
  if (isGreeting(first)) {
    if (passesOn(run, diff, first)) return undefined
    const isOne = (said: Said) => !said.isUser && isGreeting(said) && !isToCaller(run, said)
    return greetings.find(isEarlier) ?? saidInItems(diff).find(isOne)
  }
  // A helper's answer is passed on in its own words.
  if (diff.handoff.mode === 'return') return undefined
  if (first.text.length < LONG_ENOUGH || first.intent !== undefined) return undefined
  const opening = said.find(({ isUser }) => !isUser) ?? saidInItems(diff).find(({ isUser }) => !isUser)
  const isSame = opening !== undefined && normaliseText(opening.text) === normaliseText(first.text)
  return isSame && isEarlier(opening) ? opening : undefined
}

/** A helper was asked for words that happen to greet, as a translator is, and its caller hands them out. */
function passesOn(run: Run, { handoff, receipt }: HandoffDiff, first: Said): boolean {
  if (handoff.mode !== 'return' || handoff.from === undefined) return false
  const spoken = dialogueOf(run).byAgent.get(handoff.from) ?? []
  const last = spoken[firstIndexAfter(spoken, receipt!.step) - 1]
  const returned = (receipt!.items ?? []).filter(
    ({ type, author }) => type === 'message' && author === handoff.from,
  )
  const words = normaliseText(first.text)
  return [last, ...returned].some(
    (said) => said !== undefined && said.text !== '' && words.includes(normaliseText(said.text)),
  )
}

function isNewConversation(run: Run, step: Step): boolean {
  const last = dialogueOf(run).said.findLast((said) => said.step < step)
  const [then, now] = [last && instantAt(run, last.step), instantAt(run, step)]
  return then !== undefined && now !== undefined && now - then > NEW_CONVERSATION_MS
}

/** The user may greet whoever comes in, and is greeted back. */
function userGreeted(run: Run, after: Step, before: Step): boolean {
  return run.messages.some(
    ({ step, event }) =>
      step > after &&
      step < before &&
      event.role === 'user' &&
      isGreeting({ step, isUser: true, text: String(event.content) }),
  )
}
