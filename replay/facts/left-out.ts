import type { Item } from '../../model/items.ts'
import { isObject } from '../../model/json.ts'

/*
 * Words that crossed and that the log does not hold: a check that looks for something in them cannot say that it is not
 * there.
 */

const SHAPE = /^shape:\d+:(?:hmac-)?sha256:[0-9a-f]{64}$/u

/** True for a text that was replaced by its size and its hash (`content: shape`). */
export function isShape(text: string): boolean {
  return text.startsWith('shape:') && SHAPE.test(text)
}

const WORDS = ['content', 'text', 'parts', 'contents', 'blocks', 'message']

/** True for a message of which the log holds the kind and the role, and no words in any form. */
export function isWithoutWords({ type, text, raw }: Item): boolean {
  if (type !== 'message' || text !== '' || !isObject(raw)) return false
  return !WORDS.some((field) => raw[field] !== undefined && raw[field] !== null)
}
