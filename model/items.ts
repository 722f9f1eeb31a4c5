import type { Form } from './item-calls.ts'
import { itemForms } from './item-forms.ts'
import { textOfValue } from './item-text.ts'
import { isObject, listOf, textOf } from './json.ts'

/**
 * A conversation item as the rest of handspan sees it, whatever form the runtime keeps it in. One verbatim item may
 * hold several (an assistant message with three tool calls is four).
 */
export type Item = {
  /** Where it stands: `items[3]`, or `items[3].content[0]` for a part of it. Unique within its list. */
  path: string
  /** Index in the verbatim list. */
  position: number
  id?: string | undefined
  /** message, tool_call, tool_result, reasoning, summary, file, approval, constraint, note, or the runtime's own word. */
  type: string
  /** user, assistant, system, developer or tool. */
  role?: string | undefined
  author?: string | undefined
  /** All text a model can read in it. */
  text: string
  /** The model's tool-call id, on calls and results. */
  call?: string | undefined
  tool?: string | undefined
  args?: unknown
  /** The operation it belongs to, where the runtime says so. */
  op?: string | undefined
  origin?: { kind?: string | undefined; verified?: boolean | undefined } | undefined
  /** Whose authority the item claims, when that is not its author's. */
  claims?: string | undefined
  /** Items that a summary stands for. */
  covers: string[]
  /** The verbatim item (the whole of it, also for a part). */
  raw: unknown
  /** For a part of an item: the part. */
  part?: unknown
  /** Its form is none that is known: `text` is whatever words it holds, and what it lacks proves nothing. */
  unread?: true | undefined
}

/** Reads a verbatim list into items. A bare string is a message of the user. Never throws. */
export function readItems(list: unknown, root = 'items'): Item[] {
  const items: Item[] = []
  listOf(typeof list === 'string' ? [list] : list).forEach((raw, position) => {
    const path = `${root}[${position}]`
    formsOf(raw).forEach((form, index) => {
      items.push(itemOf(form, raw, position, index === 0 ? path : `${path}.${form.at ?? index}`, index === 0))
    })
  })
  return items
}

function formsOf(raw: unknown): Form[] {
  if (isObject(raw)) return itemForms(raw)
  if (typeof raw === 'string') return [{ type: 'message', role: 'user', text: raw, from: {} }]
  const text = textOfValue(raw)
  return [{ type: 'unknown', text, from: {}, ...(text === '' ? {} : { unread: true }) }]
}

function itemOf(form: Form, raw: unknown, position: number, path: string, first: boolean): Item {
  const { from } = form
  return {
    path,
    position,
    // A2A names its messages so.
    id: first ? (textOf(from.id) ?? textOf(from.messageId)) : undefined,
    type: form.type,
    role: form.role,
    author: form.author ?? textOf(from.author),
    text: form.text,
    call: form.call,
    tool: form.tool,
    args: form.args,
    op: textOf(from.op),
    origin: originOf(from.origin),
    claims: textOf(from.claims),
    covers: from.covers === undefined ? NONE : idsIn(from.covers),
    raw,
    part: form.at === undefined ? undefined : from,
    unread: form.unread,
  }
}

const NONE: string[] = []

function idsIn(value: unknown): string[] {
  return listOf(value).filter((id): id is string => typeof id === 'string')
}

function originOf(value: unknown): Item['origin'] {
  if (typeof value === 'string') return { kind: value }
  if (!isObject(value)) return undefined
  return {
    kind: textOf(value.kind),
    verified: typeof value.verified === 'boolean' ? value.verified : undefined,
  }
}

/** The text of any content a runtime puts into a message, result or instruction: strings, parts, nested parts, JSON. */
export function textOfContent(content: unknown): string {
  return textOfValue(content)
}
