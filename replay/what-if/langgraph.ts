import { isObject, textOf } from '../../model/json.ts'
import type { Filter } from './filter.ts'

/** The part of a graph's state that crosses. */
export type LangGraphState = { messages: unknown[] }

/**
 * A function that makes the state update of a handoff in LangGraph: it returns a `Command` with an `update`, or the update
 * itself.
 */
// biome-ignore lint/suspicious/noExplicitAny: the framework's own types have class instances that a log cannot hold.
export type LangGraphUpdate = (state: any) => any

const REMOVE_ALL = '__remove_all__'

/**
 * A state update of LangGraph as a filter for what-if. The captured items are the messages of the state; what the update
 * says of them is applied as the framework's own reducer does: a message with a known id takes the place of that one, a
 * removal takes it out (all, with the id `__remove_all__`), everything else is added. Without messages nothing changes.
 */
export function fromLangGraphUpdate(update: LangGraphUpdate): Filter {
  return async ({ items }) => {
    const messages = messagesIn(await update({ messages: items }))
    return messages === undefined ? items : reduce(items, messages)
  }
}

/** The messages of an update: of a command, whose update may be a list of pairs, or of the update itself. */
function messagesIn(returned: unknown): unknown[] | undefined {
  const update = isObject(returned) && 'update' in returned ? returned.update : returned
  const fields = Array.isArray(update) && update.every(Array.isArray) ? Object.fromEntries(update) : update
  if (!isObject(fields) || fields.messages === undefined) return undefined
  return Array.isArray(fields.messages) ? fields.messages : [fields.messages]
}

function reduce(items: readonly unknown[], messages: readonly unknown[]): unknown[] {
  const from = messages.findLastIndex((message) => isRemoval(message) && idOf(message) === REMOVE_ALL)
  const out = from < 0 ? [...items] : []
  for (const message of messages.slice(from + 1)) {
    const id = idOf(message)
    const place = id === undefined ? -1 : out.findIndex((other) => idOf(other) === id)
    if (isRemoval(message)) {
      if (place >= 0) out.splice(place, 1)
    } else if (place >= 0) out[place] = message
    else out.push(message)
  }
  return out
}

/** A message is a class instance, what it is serialised to, or a plain object. */
function fieldsOf(message: unknown): Record<string, unknown> {
  if (!isObject(message)) return {}
  const { kwargs, data } = message
  return isObject(kwargs) ? kwargs : isObject(data) ? data : message
}

function idOf(message: unknown): string | undefined {
  return textOf(fieldsOf(message).id)
}

function isRemoval(message: unknown): boolean {
  if (!isObject(message)) return false
  const { getType, type, id } = message
  if (typeof getType === 'function') return getType.call(message) === 'remove'
  return type === 'remove' || (Array.isArray(id) && id.at(-1) === 'RemoveMessage')
}
