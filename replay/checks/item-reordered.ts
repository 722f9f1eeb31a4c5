import type { Item } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import type { Draft, Severity } from '../finding.ts'
import { aboutHandoff, bothSides, listed, nameOfItem, receiverOf } from '../phrase.ts'

export const itemReordered: Check = {
  id: 'item-reordered',
  severity: 'error',
  title: 'The order changed so that pairs break',
  question: 'Does each result still follow its call, and each answer its question?',
  definition:
    'Raised for a result that stands before its call, for a message that stands between both only at the receiver, and for reasoning that stands after the item it needs (error), and for ' +
    "an answer that stands before the user's message which it followed at the sender (warning). Raised once a handoff and " +
    'kind. A changed order that leaves pairs whole is not raised.',
  check({ diffs }) {
    return {
      findings: diffs.flatMap((diff) =>
        diff.receipt?.items === undefined || isAsSent(diff)
          ? []
          : [...brokenCalls(diff, diff.receipt.items), ...brokenAnswers(diff)],
      ),
    }
  },
}

/** Nothing moved and nothing came in between. */
function isAsSent({ items }: HandoffDiff): boolean {
  return items.judged && !items.fates.some(({ reordered, fate }) => reordered || fate === 'added')
}

type Pair = [first: Item, second: Item]

const REFUSED = 'Providers refuse such a list.'

function brokenCalls(diff: HandoffDiff, items: readonly Item[]): Draft[] {
  const places = new Map(items.map((item, index) => [item, index]))
  const calls = new Map<string, Item>()
  const byId = new Map<string, Item>()
  for (const item of items) {
    if (item.type === 'tool_call' && item.call !== undefined && !calls.has(item.call))
      calls.set(item.call, item)
    if (item.id !== undefined) byId.set(item.id, item)
  }
  const pairs = items.flatMap((item): Pair[] => {
    const isResult = item.type === 'tool_result' && item.call !== undefined
    const call = isResult ? calls.get(item.call!) : undefined
    if (call !== undefined) return places.get(call)! > places.get(item)! ? [[call, item]] : []
    const needs = item.type === 'reasoning' && isObject(item.raw) ? textOf(item.raw.needs) : undefined
    const follower = needs === undefined ? undefined : byId.get(needs)
    return follower !== undefined && places.get(follower)! < places.get(item)! ? [[item, follower]] : []
  })
  if (pairs.length > 0) return [reorderedDraft(diff, pairs, REFUSED, 'error')]
  const apart = separatedCalls(diff)
  return apart.length === 0
    ? []
    : [reorderedDraft(diff, apart, REFUSED, 'error', 'between it and its result')]
}

/**
 * A message between a call and its result at the receiver that did not stand there at the sender, whichever of the three
 * moved.
 */
function separatedCalls({ items, sent, receipt }: HandoffDiff): Pair[] {
  if (!items.judged) return []
  const fates = new Map(items.fates.flatMap((fate) => (fate.after ? [[fate.after, fate] as const] : [])))
  const between = messagesBetween(receipt!.items!)
  const wereBetween = messagesBetween(sent!.items!)
  return answeredCalls(receipt!.items!).flatMap(([call, result]): Pair[] => {
    const [called, answered] = [fates.get(call)!.before, fates.get(result)!.before]
    if (called === undefined || answered === undefined) return []
    const words = between(call, result).filter(({ raw }) => raw !== call.raw && raw !== result.raw)
    if (words.length === 0) return []
    const were = wereBetween(called, answered)
    const intruder = words.find((item) => {
      const { before, fate } = fates.get(item)!
      // One that stood there may have come in other words.
      return before === undefined ? fate === 'added' && were.length === 0 : !were.includes(before)
    })
    return intruder === undefined ? [] : [[call, intruder]]
  })
}

/** Each result with the latest call before it that has its id. */
function answeredCalls(items: readonly Item[]): Pair[] {
  const calls = new Map<string, Item>()
  return items.flatMap((item): Pair[] => {
    if (item.call === undefined) return []
    if (item.type === 'tool_call') calls.set(item.call, item)
    const call = item.type === 'tool_result' ? calls.get(item.call) : undefined
    return call === undefined ? [] : [[call, item]]
  })
}

function messagesBetween(items: readonly Item[]): (first: Item, second: Item) => Item[] {
  const places = new Map(items.map((item, index) => [item, index]))
  return (first, second) => items.slice(places.get(first)! + 1, places.get(second)!).filter(isMessage)
}

function isMessage({ type, text }: Item): boolean {
  return type === 'message' && text.trim() !== ''
}

/** A question and the next answer at the sender, in the other order at the receiver. */
function brokenAnswers(diff: HandoffDiff): Draft[] {
  const arrived = new Map(
    diff.items.fates.flatMap(({ before, after }) => (before && after ? [[before, after] as const] : [])),
  )
  const places = new Map((diff.receipt!.items ?? []).map((item, index) => [item, index]))
  let question: Item | undefined
  const pairs: Pair[] = []
  for (const item of diff.sent?.items ?? []) {
    if (item.type !== 'message') continue
    if (item.role === 'user') question = item
    if (item.role !== 'assistant' || question === undefined) continue
    const [asked, answered] = [arrived.get(question), arrived.get(item)]
    if (asked !== undefined && answered !== undefined && places.get(answered)! < places.get(asked)!)
      pairs.push([asked, answered])
    question = undefined
  }
  const allows = 'The model may take an answered question for the one to answer.'
  return pairs.length === 0 ? [] : [reorderedDraft(diff, pairs, allows, 'warning')]
}

function reorderedDraft(
  diff: HandoffDiff,
  pairs: readonly Pair[],
  allows: string,
  severity: Severity,
  where?: string,
): Draft {
  const [first, second] = pairs[0]!
  return {
    ...aboutHandoff(diff.handoff),
    severity,
    subject: { kind: 'item', id: second.id ?? second.path },
    message:
      `At ${receiverOf(diff.handoff)} the order of ${pairs.length === 1 ? 'a pair' : `${pairs.length} pairs`} is broken: ` +
      `${listed(pairs.map(([a, b]) => (where === undefined ? `${nameOfItem(b)} stands before ${nameOfItem(a)}` : `after ${nameOfItem(a)} ${nameOfItem(b)} stands ${where}`)))}. ${allows}`,
    evidence: [
      ...[first, second].map(({ path }) => ({ step: diff.receipt!.step, path, side: 'receiver' as const })),
      ...bothSides(diff).slice(0, 1),
    ],
    remedy: 'Keep the order of the sender, or move both halves of a pair together.',
    trait: `${first.type} ${first.tool ?? ''}`,
  }
}
