import type { Form } from './item-calls.ts'
import { isObject, textOf } from './json.ts'

/*
 * An entry of which nothing was read: it may hold anything in a form that nobody here knows. Its words are shown all the
 * same, so that what is looked for can be found in them, and the mark keeps it from proving that something is missing.
 */

type Fields = Record<string, unknown>

/** What names an entry: who wrote it, when, and what kind of entry it is. */
export const NAMES: ReadonlySet<string> = new Set([
  ...['id', 'type', 'kind', 'role', 'author', 'name', 'origin', 'object', 'status', 'uuid', 'messageId'],
  ...['created_at', 'createdAt', 'timestamp'],
])

// What a provider or a kit says of a message, and not what the message holds.
const ABOUT = /meta|kwargs|usage|metrics|annotation|citation|provider|logprobs|reasoning|config|extra|model/iu

/** Types that are read by more than their words, and lines of a transcript that no model gets. */
const READ =
  /_call(_output)?$|^(approval|constraint|commitment|summary|compaction|file|reasoning|thinking|item_reference|mcp_list_tools|session_meta|turn_context|world_state|event_msg|file-history-snapshot|queue-operation|progress)$/u

const CONTENTS = ['content', 'text', 'parts', 'contents', 'refusal']

/**
 * The forms as they are; of an entry of which nothing was read, its words. Where these stand in a structure, it is marked; of
 * a flat one every field is seen. `not_read` says it of one that is in the log by size and hash only.
 */
export function orUnread(item: Fields, forms: Form[]): Form[] {
  const [form] = forms
  if (form === undefined) return forms
  if (item.not_read === true) return [{ ...form, unread: true }, ...forms.slice(1)]
  if (forms.length > 1 || form.text !== '' || form.call !== undefined || form.tool !== undefined) return forms
  if (READ.test(form.type) || isBookkeeping(item)) return forms
  const says = form.type === 'message' && (item.type === 'message' || CONTENTS.some((name) => name in item))
  const told = Object.entries(item).filter(says ? holdsMore : isNoName)
  const words = wordsIn(told)
  if (words === '') return forms
  if (told.every(([, value]) => isFlat(value))) return [{ ...form, text: words }]
  return [{ ...form, type: form.type === 'message' ? 'unknown' : form.type, text: words, unread: true }]
}

function isFlat(value: unknown): boolean {
  return (Array.isArray(value) ? value : [value]).every((one) => typeof one !== 'object' || one === null)
}

/** A message without words may still hold something beside them; a word beside it is only about it. */
function holdsMore([name, value]: [string, unknown]): boolean {
  return isNoName([name]) && !CONTENTS.includes(name) && !ABOUT.test(name) && typeof value === 'object'
}

function isNoName([name]: [string, unknown?]): boolean {
  return !NAMES.has(name)
}

/** Google's kit: an event that changes state and says nothing. */
function isBookkeeping({ actions, invocationId, invocation_id }: Fields): boolean {
  return isObject(actions) && textOf(invocationId ?? invocation_id) !== undefined
}

// Deeper, and longer without a space, stand no words: encoded bytes.
const DEEPEST = 16
const LONGEST = 512

function wordsIn(entries: readonly [string, unknown][]): string {
  return entries.flatMap(([, value]) => leaves(value, 0)).join('\n')
}

function leaves(value: unknown, depth: number): string[] {
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string') {
    return value === '' || (value.length > LONGEST && !/\s/u.test(value)) ? [] : [value]
  }
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return []
  return Object.values(value).flatMap((inner) => leaves(inner, depth + 1))
}
