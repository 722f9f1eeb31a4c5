import type { Item } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import type { Receipt, Sent } from '../run.ts'

/*
 * Words that crossed and that the log does not hold: a check that looks for something in them cannot say that it is not
 * there.
 */

const SHAPE = /^shape:\d+:(?:hmac-)?sha256:[0-9a-f]{64}$/u

/** True for a text that was replaced by its size and its hash (`content: shape`). */
function isShape(text: string): boolean {
  return text.startsWith('shape:') && SHAPE.test(text)
}

const HASH = /^(?:hmac-)?sha256:[0-9a-f]{64}$/u
const NO_WORDS = /call|result|reasoning|output/u

/**
 * True if words that the receiver got are in the log by size and hash only. The user's own words can hold a rule or a
 * brief, and never what an agent found out or asks.
 */
export function hasWordsLeftOut({ instructions, items = [] }: Receipt, whose: 'all' | 'agents'): boolean {
  if (instructions !== undefined && isShape(instructions)) return true
  return items.some((item) => (whose === 'all' || item.role !== 'user') && isLeftOut(item))
}

function isLeftOut({ type, text, raw }: Item): boolean {
  if (NO_WORDS.test(type)) return false
  if (text !== '' || type === 'message') return text.split('\n').some(isShape)
  return isSized(raw)
}

function isSized(value: unknown): boolean {
  return isObject(value) && typeof value.bytes === 'number' && HASH.test(textOf(value.hash) ?? '')
}

/** True if what the sender declared would cross is in the log by size and hash only. */
export function isPolicyLeftOut(sent: Sent | undefined): boolean {
  const policy = sent?.event.policy
  if (policy === undefined) return false
  return isSized(policy) || Object.values(policy).some((word) => typeof word === 'string' && isShape(word))
}

const NAMES = new Set(['id', 'type', 'role', 'author', 'name', 'origin', 'object', 'status', 'created_at'])

/** True for a message of which the log holds who said it, and nothing in which words could stand. */
export function isWithoutWords({ type, text, raw }: Item): boolean {
  return (
    type === 'message' && text === '' && isObject(raw) && Object.keys(raw).every((field) => NAMES.has(field))
  )
}
