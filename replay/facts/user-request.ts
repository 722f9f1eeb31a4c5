import { normaliseText } from '../../model/hash.ts'
import { type Item, textOfContent } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import { jsonString } from '../../model/json-text.ts'
import { originKind } from '../../model/principal.ts'
import type { HandoffRecord } from '../../model/record.ts'
import type { EventOf } from '../../model/run-log.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Handoff, Receipt, Run, Sent, Step } from '../run.ts'
import { latestReceipt } from './participation.ts'
import { readingOf } from './readings.ts'
import { recordText } from './record-text.ts'

/** What the user last asked the sender. */
export type UserRequest = {
  text: string
  id?: string | undefined
  step: Step
  /** Where it stands at the sender: `items_before[2]`, or nothing for a turn that is only in the log. */
  path?: string | undefined
  spoken: boolean
}

/**
 * The last words of the user before a handoff: a turn that the log holds and the sender's items do not (yet), else the
 * last item in the user's role that a person wrote; that one too where the user said it to somebody later than the turn.
 */
export function lastRequest(run: Run, handoff: Handoff, sent: Sent): UserRequest | undefined {
  const turn = lastTurn(run, handoff, sent)
  const item = sent.items?.findLast(isUsersItem)
  const inItems = turn !== undefined && (sent.items ?? []).some((other) => isTurn(run, other, turn))
  if (item === undefined) return turn
  if (turn !== undefined && !inItems && !isSaidAfter(run, item, turn, sent.step)) return turn
  return {
    text: item.text,
    id: item.id,
    step: sent.step,
    path: item.path,
    spoken: turn?.spoken === true && isTurn(run, item, turn),
  }
}

function isSaidAfter(run: Run, item: Item, turn: UserRequest, before: Step): boolean {
  return [...turnsByAgent(run).values()].some((turns) =>
    turns.some((other) => other.step > turn.step && other.step < before && isTurn(run, item, other)),
  )
}

/** What the user said aloud to the sender since it took over, and the sender's items hold. */
export function spokenTurns(run: Run, handoff: Handoff, sent: Sent): UserRequest[] {
  if (sent.items === undefined || handoff.from === undefined) return []
  const since = latestReceipt(run, handoff.from, sent.step)?.receipt.step ?? -1
  return turnsHeardBetween(run, handoff.from, since, sent.step).flatMap((turn) => {
    const item = turn.spoken ? sent.items!.find((other) => isTurn(run, other, turn)) : undefined
    return item === undefined ? [] : [{ ...turn, path: item.path }]
  })
}

/** A turn that came to the sender since it took over; earlier ones are the business of earlier handoffs. */
function lastTurn(run: Run, handoff: Handoff, sent: Sent): UserRequest | undefined {
  const since = latestReceipt(run, handoff.from, sent.step)?.receipt.step ?? -1
  const turns = turnsByAgent(run)
  const own = [...(turns.get(handoff.from ?? '') ?? []), ...(turns.get('') ?? [])]
  return own
    .filter(({ step }) => step > since && step < sent.step)
    .reduce<UserRequest | undefined>(
      (last, turn) => (last === undefined || turn.step > last.step ? turn : last),
      undefined,
    )
}

/** Turns of the user by the agent that heard them; '' where the log names none. */
const turnsByAgent = oncePerRun((run) => {
  const turns = new Map<string, UserRequest[]>()
  for (const { step, event } of run.messages) {
    const text = textOfContent(event.content)
    if (!isUsersTurn(event) || text.trim() === '') continue
    const heard = turns.get(event.agent ?? '') ?? []
    heard.push({ text, id: event.id, step, spoken: isSpoken(event) })
    turns.set(event.agent ?? '', heard)
  }
  return turns
})

/** The user's turns that the sender heard in between, in order. */
export function turnsHeardBetween(run: Run, agent: string, after: Step, before: Step): UserRequest[] {
  return (turnsByAgent(run).get(agent) ?? []).filter(({ step }) => step > after && step < before)
}

function isUsersTurn(event: EventOf<'message'>): boolean {
  const kind = isObject(event.origin) ? textOf(event.origin.kind) : textOf(event.origin)
  const role = event.role === 'human' ? 'user' : event.role
  return role === 'user' && (kind === undefined || originKind(kind) === 'human')
}

function isSpoken({ channel }: EventOf<'message'>): boolean {
  return channel !== undefined && /voice|phone|audio|speech|call/iu.test(channel)
}

function isUsersItem(item: Item): boolean {
  if (item.role !== 'user' || (item.type !== 'message' && item.type !== 'text')) return false
  const kind = item.origin?.kind === undefined ? 'human' : originKind(item.origin.kind)
  return kind === 'human' && item.text.trim() !== ''
}

function isTurn(run: Run, item: Item, turn: UserRequest): boolean {
  if (item.id !== undefined && item.id === turn.id) return true
  return item.text === turn.text || readingOf(run, item.text).plain === readingOf(run, turn.text).plain
}

/** True if the receiver has the request: the item, a summary that covers it, or its words anywhere. */
export function holdsRequest(run: Run, request: UserRequest, receipt: Receipt): boolean {
  const { id } = request
  const items = receipt.items ?? []
  const wanted = normaliseText(request.text)
  const isIt = (item: Item) => item.id === id && !isEarlierVersion(run, item, wanted)
  if (id !== undefined && items.some((item) => isIt(item) || item.covers.includes(id))) return true
  if (items.some((item) => readingOf(run, item.text).holds(wanted))) return true
  if (readingOf(run, receipt.instructions ?? '').holds(wanted)) return true
  // In the record it may stand in any field, written as JSON.
  const quoted = normaliseText(jsonString(request.text).slice(1, -1))
  return receipt.record !== undefined && mayHold(receipt.record, quoted) && holds(receipt.record, quoted)
}

/** The user had put it otherwise under the same id, and corrected it since. */
function isEarlierVersion(run: Run, { id, text }: Item, wanted: string): boolean {
  const versions = textsById(run).get(id ?? '')
  const plain = versions === undefined ? '' : readingOf(run, text).plain
  return versions !== undefined && plain !== wanted && versions.has(plain) && versions.has(wanted)
}

/** What the user said under each id that stands more than once. */
const textsById = oncePerRun((run) => {
  const all = new Map<string, Set<string>>()
  for (const { event } of run.messages) {
    if (event.id === undefined || !isUsersTurn(event)) continue
    const known = all.get(event.id) ?? new Set<string>()
    all.set(event.id, known.add(normaliseText(textOfContent(event.content))))
  }
  return new Map([...all].filter(([, texts]) => texts.size > 1))
})

function holds(record: HandoffRecord, quoted: string): boolean {
  return normaliseText(recordText(record)).includes(quoted)
}

/** False if some word of plain letters and digits stands nowhere in the record: a long record is then not rewritten. */
function mayHold(record: HandoffRecord, quoted: string): boolean {
  const text = recordText(record).toLowerCase()
  return (quoted.match(/[a-z0-9]+/g) ?? []).every((word) => text.includes(word))
}
