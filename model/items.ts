import { contentParts, itemForms } from './item-forms.ts'
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
}

/** Reads a verbatim list into items. A bare string is a message of the user. Never throws. */
export function readItems(list: unknown, root = 'items'): Item[] {
  return listOf(typeof list === 'string' ? [list] : list).flatMap((raw, position) =>
    readItem(raw, position, root),
  )
}

function readItem(raw: unknown, position: number, root: string): Item[] {
  const path = `${root}[${position}]`
  const base = { position, covers: [] as string[], raw }
  if (typeof raw === 'string') return [{ ...base, path, type: 'message', role: 'user', text: raw }]
  if (!isObject(raw)) return [{ ...base, path, type: 'unknown', text: raw === null ? '' : String(raw) }]
  const fields = itemForms(raw)
  return fields.map((part, index) => ({
    ...base,
    path: index === 0 ? path : `${path}.${part.at ?? index}`,
    id: index === 0 ? textOf(part.from.id) : undefined,
    type: part.type,
    role: part.role,
    author: textOf(part.from.author),
    text: part.text,
    call: part.call,
    tool: part.tool,
    args: part.args,
    op: textOf(part.from.op),
    origin: originOf(part.from.origin),
    claims: textOf(part.from.claims),
    covers: listOf(part.from.covers).filter((id) => typeof id === 'string') as string[],
  }))
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
  return contentParts(content)
    .map((part) => part.text)
    .filter((text) => text !== '')
    .join('\n')
}
