import { readItems, textOfContent } from '../model/items.ts'
import { isObject, listOf } from '../model/json.ts'
import { defined, unpacked } from './attributes.ts'
import type { ModelReading } from './reading.ts'

/*
 * What a model got and what it answered, out of the shapes in which instrumentations keep it. Items stay verbatim; only
 * the system messages at their head become the instructions, as the run log has them.
 */

type Request = Pick<ModelReading, 'items' | 'instructions' | 'tools'>

/** The request in a list of items or messages of any form. */
export function requestOfItems(list: readonly unknown[], more: Omit<Request, 'items'> = {}): Request {
  const items = list.map(unpacked)
  const head: unknown[] = []
  while (items.length > 0 && isSystem(items[0])) head.push(items.shift())
  const spoken = head.map((item) => textOfContent(contentOf(item)))
  const instructions = more.instructions ?? (spoken.length > 0 ? spoken.join('\n\n') : undefined)
  return { items, ...defined({ instructions, tools: more.tools }) }
}

/** The request in the body that went to a provider, or in what LangChain, Gemini or the AI SDK keep of it. */
export function requestOfBody(body: unknown): Request | undefined {
  const value = unpacked(body)
  if (Array.isArray(value)) return looksLikeItems(value) ? requestOfItems(value) : undefined
  if (!isObject(value)) return undefined
  if (isObject(value.body)) return requestOfBody(value.body)
  const config = isObject(value.config) ? value.config : {}
  const tools = toolsOf(value.tools ?? config.tools)
  const instructions =
    value.instructions ??
    value.system ??
    value.systemInstruction ??
    config.systemInstruction ??
    config.system_instruction
  const more = defined({ instructions: instructions ?? undefined, tools })
  // LangChain asks for several answers at a time: a list of conversations, of which there is one.
  const messages = listOf(value.messages)
  const list = Array.isArray(messages[0]) ? messages[0] : messages
  if (looksLikeItems(list)) return requestOfItems(list, more)
  const input = value.input ?? value.contents ?? value.prompt
  if (typeof input === 'string') return requestOfItems([{ role: 'user', content: input }], more)
  return looksLikeItems(listOf(input)) ? requestOfItems(listOf(input), more) : undefined
}

/** Tool definitions; Gemini's come in groups of declarations. */
export function toolsOf(tools: unknown): unknown[] | undefined {
  const list = unpacked(tools)
  if (!Array.isArray(list)) return undefined
  return list.map(unpacked).flatMap((tool) => {
    const declared = isObject(tool) ? (tool.functionDeclarations ?? tool.function_declarations) : undefined
    return Array.isArray(declared) ? declared : [tool]
  })
}

/** OpenInference spreads chat messages over keys with a wrapper at each level; this takes the wrappers off. */
export function unwrapMessages(spread: readonly unknown[]): unknown[] {
  return spread.flatMap((entry) => {
    const message = isObject(entry) ? entry.message : undefined
    if (!isObject(message)) return []
    const { contents, tool_calls, function_call_name, function_call_arguments_json, ...fields } = message
    const calls = listOf(tool_calls).flatMap((each) => (isObject(each) ? [each.tool_call ?? each] : []))
    const parts = listOf(contents).flatMap((each) => (isObject(each) ? [each.message_content ?? each] : []))
    const content = fields.content ?? (parts.length > 0 ? parts : undefined)
    return [defined({ ...fields, content, ...(calls.length > 0 ? { tool_calls: calls } : {}) })]
  })
}

/** True for a list that a conversation could be: every entry a message, an item or a part with a type or role. */
export function looksLikeItems(list: readonly unknown[]): boolean {
  return (
    list.length > 0 &&
    list.every((entry) => {
      const item = unpacked(entry)
      return (
        isObject(item) &&
        (typeof item.role === 'string' ||
          typeof item.type === 'string' ||
          isObject(item.kwargs) ||
          Array.isArray(item.parts))
      )
    })
  )
}

function isSystem(item: unknown): boolean {
  const role = readItems([item])[0]?.role
  return role === 'system' || role === 'developer'
}

function contentOf(item: unknown): unknown {
  if (!isObject(item)) return item
  const kwargs = isObject(item.kwargs) ? item.kwargs : item
  return kwargs.content ?? kwargs.parts ?? kwargs.text
}
