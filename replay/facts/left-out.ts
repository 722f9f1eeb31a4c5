import { NAMES } from '../../model/item-unread.ts'
import type { Item } from '../../model/items.ts'
import { isObject } from '../../model/json.ts'
import { isShapeOfStructure, isShapeOfText } from '../../model/shape.ts'
import type { Receipt, Sent } from '../run.ts'

/*
 * Words that crossed and that the log does not hold, or in a form that is not read: a check that looks for something in
 * them cannot say that it is not there.
 */

const NO_WORDS = /call|result|reasoning|output/u

/** Why nobody can say that something is not among the words that the receiver got; undefined if they are all known. */
export function whyUnseen(receipt: Receipt, whose: 'all' | 'agents'): string | undefined {
  return whyUnread(receipt) ?? (hasWordsLeftOut(receipt, whose) ? LEFT_OUT : undefined)
}

const LEFT_OUT = 'the words in which it may stand are in the log by size and hash only'

/** Why nobody can say that something is not among the items that the receiver got: one of them could not be read. */
export function whyUnread({ items = [] }: Receipt): string | undefined {
  const unread = items.find((item) => item.unread === true)
  return unread === undefined
    ? undefined
    : `${unread.path}, in which it may stand, is in a form that is not read`
}

/**
 * True if words that the receiver got are in the log by size and hash only. The user's own words can hold a rule or a
 * brief, and never what an agent found out or asks.
 */
function hasWordsLeftOut({ instructions, items = [] }: Receipt, whose: 'all' | 'agents'): boolean {
  if (instructions !== undefined && isShapeOfText(instructions)) return true
  return items.some((item) => (whose === 'all' || item.role !== 'user') && isLeftOut(item))
}

function isLeftOut({ type, text, raw }: Item): boolean {
  if (NO_WORDS.test(type)) return false
  if (text !== '' || type === 'message')
    return text.includes('shape:') && text.split('\n').some(isShapeOfText)
  return isShapeOfStructure(raw)
}

const RESTORED = ['checkpoint', 'conversation_id', 'thread']

/** Why the items that a receiver got are only a part of what its model read; undefined if they are all of it. */
export function whyPart(sent: Sent | undefined, receipt: Receipt | undefined): string | undefined {
  const has = (field: string) => (receipt?.event[field] ?? undefined) !== undefined
  if (sent?.event.policy?.history === 'server-managed' || has('previous_response_id')) {
    return 'the provider holds the history: the items are only what was new'
  }
  const isSilent = receipt?.items?.every(({ text, args }) => text.trim() === '' && args === undefined)
  return isSilent === true && RESTORED.some(has)
    ? 'the receiver restored its state from a checkpoint, whose content is not in the log'
    : undefined
}

/** The same of what the sender declared would cross. */
export function whyUndeclared(sent: Sent | undefined): string | undefined {
  const policy = sent?.event.policy
  if (policy === undefined) return undefined
  const isLeftOut =
    isShapeOfStructure(policy) ||
    Object.values(policy).some((word) => typeof word === 'string' && isShapeOfText(word))
  return isLeftOut ? LEFT_OUT : undefined
}

/** True for a message of which the log holds who said it, and nothing in which words could stand. */
export function isWithoutWords({ type, text, raw }: Item): boolean {
  return (
    type === 'message' && text === '' && isObject(raw) && Object.keys(raw).every((field) => NAMES.has(field))
  )
}
