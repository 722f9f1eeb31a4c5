import { normaliseText } from '../../model/hash.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { dialogueOf, isGreeting, type Said, saidByReceiver, saidInItems } from '../facts/dialogue.ts'
import type { Draft } from '../finding.ts'
import { passesControl } from '../fold/fold-handoffs.ts'
import { aboutHandoff, quote } from '../phrase.ts'
import type { Run } from '../run.ts'
import { similarity } from '../text.ts'

const ANNOUNCES = /announc|transfer|hand[-_ ]?(off|over)/iu
const ALIKE = 0.7
const LONG_ENOUGH = 12

export const receiverReannounces: Check = {
  id: 'receiver-reannounces',
  severity: 'info',
  title: 'The receiver announces the transfer again',
  question: 'Is the user told of the transfer once?',
  definition:
    'Raised when the sender announced the transfer (the log calls its last words an announcement, they name the receiver, or ' +
    'they tell the user with a word for transferring) ' +
    'and the first words of the receiver announce it again: by what the log calls them, in nearly the same words, or with a word for transferring and its own name. Not ' +
    'raised where the receiver announces a handoff of its own.',
  judgesByWords: true,
  check({ run, diffs }) {
    return { findings: diffs.flatMap((diff) => reannouncement(run, diff)) }
  },
}

function reannouncement(run: Run, diff: HandoffDiff): Draft[] {
  const { receipt, handoff } = diff
  if (receipt === undefined || !passesControl(handoff) || handoff.from === receipt.by) return []
  const first = saidByReceiver(run, diff)[0]
  if (first === undefined || isGreeting(first)) return []
  const announced = lastWords(run, diff)
  if (announced === undefined) return []
  if (!announces(announced, receipt.by) || announcesOwn(run, diff, first)) return []
  const again =
    ANNOUNCES.test(first.intent ?? '') ||
    (first.intent === undefined && saysTransfer(first, receipt.by)) ||
    (first.text.length >= LONG_ENOUGH && repeats(first.text, announced.text))
  if (!again) return []
  return [
    {
      ...aboutHandoff(handoff),
      subject: { kind: 'handoff', id: handoff.id },
      message:
        `${handoff.from ?? 'The sender'} announced the transfer (${quote(announced.text)}), and ${receipt.by} announces it again: ` +
        `${quote(first.text)}. The user hears of one transfer twice and may expect another.`,
      evidence: [
        {
          step: announced.step,
          side: 'sender',
          ...(announced.path !== undefined && { path: announced.path }),
        },
        { step: first.step, side: 'receiver' },
      ],
      remedy: 'Tell the receiver that the user knows of the transfer, or let only the receiver announce it.',
      trait: 'announcement',
    },
  ]
}

/** The sender's last words before the handoff. */
function lastWords(run: Run, diff: HandoffDiff): Said | undefined {
  const { from } = diff.handoff
  const isSenders = ({ isUser, agent }: Said) => !isUser && (agent === undefined || agent === from)
  const logged = dialogueOf(run).said.findLast((said) => said.step < diff.receipt!.step && isSenders(said))
  return logged ?? saidInItems(diff).findLast(isSenders)
}

function announces({ text, intent }: Said, receiver: string | undefined): boolean {
  if (intent !== undefined) return ANNOUNCES.test(intent)
  if (tellsTransfer(text)) return true
  if (receiver === undefined || (receiver.length <= 2 && /^\p{ASCII}*$/u.test(receiver))) return false
  return text.toLowerCase().includes(receiver.toLowerCase())
}

function tellsTransfer(text: string): boolean {
  return TRANSFERS.test(text) && YOU.test(text)
}

const TRANSFERS =
  /transferr?|transfér|transfier|connect(ing|ed)? you|put(ting)? you through|pass(ing|ed)? you (on|over)|hand(ing|ed)? you (on|over)|weiterleite|weitergeleitet|verbinde|doorverb|übergeb/iu
// Who is passed on. Money is transferred to you.
const YOU = /(?<![\p{L}]|\bto )(you|sie|dich|euch|te|le|lo|usted|vous|u)(?!\p{L})/iu

/** Nearly the same words, the same with more after them, or the part of them that announces. */
function repeats(words: string, announcement: string): boolean {
  if (similarity(words, announcement) >= ALIKE) return true
  const [said, announced] = [words, announcement].map(plain) as [string, string]
  return (
    (announced.length >= LONG_ENOUGH && said.includes(announced)) ||
    (tellsTransfer(words) && announced.includes(said))
  )
}

function plain(text: string): string {
  return normaliseText(text).replace(/[\p{P}\s]+$/u, '')
}

/** The receiver speaks of the transfer to itself as of something that is to come, by its own name. */
function saysTransfer({ text }: Said, receiver: string | undefined): boolean {
  if (receiver === undefined || !TRANSFERS.test(text)) return false
  return text.toLowerCase().includes(receiver.toLowerCase())
}

/** The next thing that the receiver does is to hand over itself. */
function announcesOwn(run: Run, { receipt }: HandoffDiff, first: Said): boolean {
  const next = run.handoffs.find(
    ({ from, sent }) => from === receipt!.by && sent !== undefined && sent.step > receipt!.step,
  )
  if (next === undefined) return false
  return !run.messages.some(
    ({ step, event }) => event.role === 'user' && step > first.step && step < next.sent!.step,
  )
}
