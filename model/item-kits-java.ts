import type { Rewritten } from './item-rewritten.ts'
import { isObject, listOf, textOf } from './json.ts'

type Fields = Record<string, unknown>

/**
 * Spring AI, as Jackson writes its messages: `{messageType, text, toolCalls, media}`, and several answers in one message,
 * `{messageType: 'TOOL', responses: [{id, name, responseData}]}`.
 */
export function ofSpring(raw: Fields, word: string): Rewritten[] | undefined {
  const answers = Array.isArray(raw.responses) ? 'responses' : 'toolResponses'
  if (Array.isArray(raw[answers])) {
    return listOf(raw[answers]).flatMap((answer, index) =>
      isObject(answer) ? { item: springAnswer(answer), at: `${answers}[${index}]` } : [],
    )
  }
  if (!/^(user|assistant|system|tool)$/iu.test(word)) return undefined
  const media = listOf(raw.media).filter(isObject)
  const { text, toolCalls } = raw
  const content = media.length === 0 ? (text ?? '') : [text ?? '', ...media.map(springMedia)]
  return [{ item: { role: word.toLowerCase(), content, toolCalls } }]
}

function springAnswer({ id, name, responseData }: Fields): Fields {
  return { type: 'tool_result', call: id, tool: name, content: responseData }
}

function springMedia(media: Fields): Fields {
  return { ...media, type: 'file' }
}

const ROLES = new Map([
  ['USER', 'user'],
  ['AI', 'assistant'],
  ['SYSTEM', 'system'],
])

/** LangChain4j: the type is a word in capitals, calls are `toolExecutionRequests`, and an answer has the id of its call. */
export function ofLangChain4j(raw: Fields, type: string): Rewritten[] | undefined {
  const { text } = raw
  const parts = Array.isArray(raw.contents) ? raw.contents.map(javaPart) : undefined
  if (type === 'TOOL_EXECUTION_RESULT') {
    return [{ item: { type: 'tool_result', call: raw.id, tool: raw.toolName, content: text ?? parts } }]
  }
  const role = ROLES.get(type)
  if (role === undefined) return undefined
  const thinking = textOf(raw.thinking)
  const thought = thinking === undefined ? [] : [{ type: 'thinking', thinking }]
  const content = [...thought, ...(parts ?? (text === undefined ? [] : [text]))]
  const calls = listOf(raw.toolExecutionRequests ?? [])
  // Before there were several at once.
  const tool_calls = isObject(raw.toolExecutionRequest) ? [raw.toolExecutionRequest] : calls
  return [{ item: { role, name: raw.name, content, tool_calls } }]
}

/** `{type: 'TEXT', text}`, `{type: 'IMAGE', image: {url}}`, `{type: 'PDF', pdfFile: {base64Data, mimeType}}`. */
function javaPart(part: unknown): unknown {
  if (!isObject(part) || typeof part.type !== 'string') return part
  const held = [part.image, part.audio, part.video, part.pdfFile].find(isObject)
  if (held === undefined) return { ...part, type: part.type.toLowerCase() }
  const { base64Data: data, ...known } = held
  return {
    ...known,
    ...(data === undefined ? {} : { data }),
    type: part.type === 'PDF' ? 'file' : part.type.toLowerCase(),
  }
}
