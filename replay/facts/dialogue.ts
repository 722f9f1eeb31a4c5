import { normaliseText } from '../../model/hash.ts'
import { textOfContent } from '../../model/items.ts'
import { textOf } from '../../model/json.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { oncePerRun } from '../once-per-run.ts'
import { Remembered } from '../remembered.ts'
import type { Run, Step } from '../run.ts'
import { firstIndexAfter } from '../steps.ts'
import { groupBy } from './dispatches.ts'

/** Something said, by an agent or the user, as far as a check of the dialogue needs it. */
export type Said = {
  step: Step
  agent?: string | undefined
  isUser: boolean
  text: string
  intent?: string | undefined
  path?: string
}

/** What the sender's items hold of the dialogue; what stands in the log as a message is left to `Dialogue`. */
export function saidInItems({ sent }: HandoffDiff): Said[] {
  return (sent?.items ?? []).flatMap((item): Said[] => {
    const isSpoken = item.type === 'message' && (item.role === 'user' || item.role === 'assistant')
    if (!isSpoken || item.text.trim() === '') return []
    return [
      {
        step: sent!.step,
        agent: item.author,
        isUser: item.role === 'user',
        text: item.text,
        path: item.path,
      },
    ]
  })
}

/** What the receiver said between the receipt and the next handoff that took the task from it, in order. */
export function saidByReceiver(run: Run, { receipt }: HandoffDiff): Said[] {
  const by = receipt?.by
  if (by === undefined || receipt === undefined) return []
  const next = run.handoffs.find(
    ({ from, receipts, mode }) =>
      from === by && mode !== 'notify' && (receipts[0]?.step ?? -1) > receipt.step,
  )
  const said = dialogueOf(run).byAgent.get(by) ?? []
  return said.slice(
    countBefore(said, receipt.step),
    countBefore(said, next?.receipts[0]?.step ?? run.events.length),
  )
}

/** The messages of a run in which somebody spoke, and what is looked up in them. */
export type Dialogue = {
  /** In order. */
  said: Said[]
  /** Steps of the user's, in order. */
  userSteps: Step[]
  /** Greetings of the user. What a helper says to its caller is none. */
  greetings: Said[]
  /** What each agent said, in order. */
  byAgent: ReadonlyMap<string | undefined, readonly Said[]>
  /** Questions of agents, by their words. */
  questions: Map<string, Said[]>
}

// A folded run does not change, and every handoff asks for the same.
const dialogues = new Remembered<Run, Dialogue>()

export function dialogueOf(run: Run): Dialogue {
  const known = dialogues.get(run)
  if (known !== undefined) return known
  const said = run.messages.flatMap(({ step, event }): Said[] => {
    const text = textOfContent(event.content).trim()
    const isAgent = event.role === undefined || event.role === 'assistant'
    if (text === '' || (!isAgent && event.role !== 'user')) return []
    return [{ step, agent: event.agent, isUser: !isAgent, text, intent: textOf(event.intent) }]
  })
  const ofAgents = said.filter(({ isUser }) => !isUser)
  const dialogue = {
    said,
    userSteps: said.filter(({ isUser }) => isUser).map(({ step }) => step),
    greetings: ofAgents.filter((one) => isGreeting(one) && !isToCaller(run, one)),
    byAgent: groupBy(ofAgents, ({ agent }) => agent),
    questions: new Map<string, Said[]>(),
  }
  for (const one of ofAgents) {
    for (const question of questionsIn(one.text)) {
      const words = normaliseText(question)
      dialogue.questions.set(words, [...(dialogue.questions.get(words) ?? []), one])
    }
  }
  dialogues.set(run, dialogue)
  return dialogue
}

/** True if the last that the speaker had got was a delegation: its words go to whoever delegated. */
export function isToCaller(run: Run, { agent, step }: Said): boolean {
  const got = receiptsByAgent(run).get(agent) ?? []
  return got[firstIndexAfter(got, step) - 1]?.mode === 'delegate'
}

const receiptsByAgent = oncePerRun((run) => {
  const all = run.handoffs.flatMap(({ mode, receipts }) =>
    receipts.map(({ step, by }) => ({ step, by, mode })),
  )
  return groupBy(
    all.sort((a, b) => a.step - b.step),
    ({ by }) => by,
  )
})

const MARK = /[?？؟]/u
const QUESTION = /[^.!?\n。！？؟]+[?？؟]/gu
const SHORTEST_QUESTION = 14
// Asked at the end of every turn, and answered anew each time.
const CLOSING =
  /anything else|something else|what else|how (can|may) i help|further|sonst noch|noch etwas|weiter(e|es|hin)|autre chose|algo m[aá]s|mais alguma|altro|nog iets/iu

/** The questions in a text that are asked for their answer: not too short to tell, and none that closes a turn. */
export function questionsIn(text: string): string[] {
  if (!MARK.test(text)) return []
  return (text.match(QUESTION) ?? [])
    .map((question) => question.trim())
    .filter(
      (question) =>
        (question.length >= SHORTEST_QUESTION || /[^\p{ASCII}]{6}/u.test(question)) &&
        !CLOSING.test(question),
    )
}

/** True if a text asks, and says nothing besides. */
export function isAllQuestions(text: string): boolean {
  return MARK.test(text) && !/[\p{L}\p{N}]/u.test(text.replace(QUESTION, ''))
}

function countBefore(said: readonly Said[], step: Step): number {
  let low = 0
  let high = said.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (said[middle]!.step < step) low = middle + 1
    else high = middle
  }
  return low
}

const GREETINGS =
  /^\p{P}*(hi|hello|hey|hallo|moin|servus|guten (tag|morgen|abend)|good (day|morning|afternoon|evening)|welcome|willkommen|grüezi|bonjour|bonsoir|salut|bienvenue|hola|buen(os|as) (días|dias|tardes|noches)|bienvenid[oa]s?|ol[aá]|bom dia|boa (tarde|noite)|ciao|buon(giorno|asera)|salve|benvenut[oai]|hoi|goedemorgen|goedemiddag|goedenavond|hej|god morgon|cześć|dzień dobry|привет|здравствуйте|добрый (день|вечер)|merhaba|günaydın|γεια|こんにちは|おはよう|こんばんは|你好|您好|안녕하세요|नमस्ते|مرحبا|السلام عليكم|שלום)(?![\p{L}\p{N}])/iu

/** True if the words open a conversation, by what the log says of them or by their first word. */
export function isGreeting({ text, intent }: Said): boolean {
  if (intent !== undefined) return /greet|welcome/iu.test(intent)
  return GREETINGS.test(text.normalize('NFC')) || /^(こんにちは|你好|您好)/u.test(text)
}
