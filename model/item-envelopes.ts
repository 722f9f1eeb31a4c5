import { roleWord } from './item-words.ts'
import { isObject, textOf } from './json.ts'

type Fields = Record<string, unknown>

/**
 * The item in an envelope: LangChain's serialised forms, SDK run items, session events, transcript lines, the lines of a
 * Codex rollout. What is in none is the item itself.
 */
export function unwrap(raw: Fields): Fields {
  if (isObject(raw.kwargs) && Array.isArray(raw.id)) return { ...raw.kwargs, type: String(raw.id.at(-1)) }
  if (isObject(raw.data) && roleWord(textOf(raw.type)) !== undefined && raw.content === undefined) {
    return { ...raw.data, type: raw.type }
  }
  const runItem = raw.rawItem ?? raw.raw_item
  if (isObject(runItem)) return { ...runItem, author: isObject(raw.agent) ? raw.agent.name : raw.agent }
  if (isObject(raw.content) && Array.isArray(raw.content.parts)) {
    return { ...raw, role: raw.content.role ?? raw.role, parts: raw.content.parts }
  }
  if (isObject(raw.message) && textOf(raw.message.role) !== undefined) {
    return { ...raw.message, id: raw.message.id ?? raw.uuid ?? raw.id }
  }
  if (isObject(raw.payload) && raw.content === undefined && isItem(raw, raw.payload)) return raw.payload
  return raw
}

function isItem({ type }: Fields, payload: Fields): boolean {
  return type === 'response_item' || textOf(payload.role) !== undefined
}
