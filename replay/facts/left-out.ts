import type { Item } from '../../model/items.ts'
import { isObject } from '../../model/json.ts'
import { isShapeOfStructure, isShapeOfText } from '../../model/shape.ts'
import type { Receipt, Sent } from '../run.ts'

/*
 * Words that crossed and that the log does not hold: a check that looks for something in them cannot say that it is not
 * there.
 */

const NO_WORDS = /call|result|reasoning|output/u

/**
 * True if words that the receiver got are in the log by size and hash only. The user's own words can hold a rule or a
 * brief, and never what an agent found out or asks.
 */
export function hasWordsLeftOut({ instructions, items = [] }: Receipt, whose: 'all' | 'agents'): boolean {
  if (instructions !== undefined && isShapeOfText(instructions)) return true
  return items.some((item) => (whose === 'all' || item.role !== 'user') && isLeftOut(item))
}

function isLeftOut({ type, text, raw }: Item): boolean {
  if (NO_WORDS.test(type)) return false
  if (text !== '' || type === 'message') return text.split('\n').some(isShapeOfText)
  return isShapeOfStructure(raw)
}

/** True if what the sender declared would cross is in the log by size and hash only. */
export function isPolicyLeftOut(sent: Sent | undefined): boolean {
  const policy = sent?.event.policy
  if (policy === undefined) return false
  return (
    isShapeOfStructure(policy) ||
    Object.values(policy).some((word) => typeof word === 'string' && isShapeOfText(word))
  )
}

const NAMES = new Set(['id', 'type', 'role', 'author', 'name', 'origin', 'object', 'status', 'created_at'])

/** True for a message of which the log holds who said it, and nothing in which words could stand. */
export function isWithoutWords({ type, text, raw }: Item): boolean {
  return (
    type === 'message' && text === '' && isObject(raw) && Object.keys(raw).every((field) => NAMES.has(field))
  )
}
