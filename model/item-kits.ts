import { answersList } from './item-beside.ts'
import { ofCodex, ofOpencode } from './item-kits-coding.ts'
import { ofCopilotKit, ofCopilotWire } from './item-kits-copilotkit.ts'
import { ofLangChain4j, ofSpring } from './item-kits-java.ts'
import { ofLetta, ofSmolagents } from './item-kits-memory.ts'
import { ofOpenHands } from './item-kits-openhands.ts'
import type { Rewritten } from './item-rewritten.ts'
import { isObject, listOf, textOf } from './json.ts'

/*
 * Kits whose messages are built in a way of their own: one entry may hold words of several roles, a whole task or a list of
 * calls. Each is written anew in forms that are read anyway, with the place where it stood.
 */

type Fields = Record<string, unknown>

/** The items that an entry of such a kit stands for; undefined if it is none of theirs. */
export function rewritten(raw: Fields): Rewritten[] | undefined {
  if (typeof raw.type === 'string') return ofType(raw, raw.type)
  const answers = answersList(raw)
  if (answers !== undefined) return ofAnswers(raw, answers)
  if (isObject(raw.info) && Array.isArray(raw.parts)) return ofOpencode(raw.info, raw.parts)
  if (Array.isArray(raw.parts)) return isObject(raw.parts[0]) ? ofPydantic(raw.parts) : undefined
  if (Array.isArray(raw.blocks)) return ofLlamaIndex(raw, raw.blocks)
  if (Array.isArray(raw.items)) return ofSemanticKernel(raw, raw.items)
  if (Array.isArray(raw.Items)) return ofSemanticKernel(lowered(raw), raw.Items)
  if (Array.isArray(raw._content)) return ofHaystack(raw)
  const word = textOf(raw.messageType) ?? textOf(raw.message_type)
  if (word !== undefined) return ofLetta(raw, word) ?? ofSpring(raw, word)
  return ofOpenHands(raw) ?? ofSmolagents(raw) ?? ofCopilot(raw) ?? ofTask(raw)
}

function ofType(raw: Fields, type: string): Rewritten[] | undefined {
  return ofLangChain4j(raw, type) ?? ofAutoGen(raw, type) ?? ofCopilotKit(raw, type) ?? ofCodex(raw, type)
}

function ofCopilot(raw: Fields): Rewritten[] | undefined {
  return typeof raw.__typename === 'string' ? ofCopilotKit(raw, raw.__typename) : ofCopilotWire(raw)
}

/**
 * Several answers in one message. AG2 lists them beside whatever a person said at the same time; in the role of a tool the
 * content says nothing of its own.
 */
function ofAnswers(raw: Fields, list: 'tool_responses' | 'tool_calls'): Rewritten[] {
  const { [list]: answers, ...rest } = raw
  const said = list === 'tool_responses' && raw.role !== 'tool' ? [{ item: rest, at: 'content' }] : []
  return [
    ...listed(answers, (entry) => ({ ...answerOf(entry), type: 'tool_result' }), undefined, list),
    ...said,
  ]
}

function answerOf({ tool_call_id: call, tool_name, name, content }: Fields): Fields {
  return { call, tool: tool_name ?? name, content }
}

/** Pydantic AI: a request holds prompts and tool returns, a response holds words, thoughts and calls. */
function ofPydantic(parts: readonly unknown[]): Rewritten[] | undefined {
  if (textOf((parts[0] as Fields).part_kind) === undefined) return undefined
  return parts.flatMap((part, index) =>
    isObject(part) ? { item: pydanticPart(part, textOf(part.part_kind) ?? ''), at: `parts[${index}]` } : [],
  )
}

const PROMPTS = new Map([
  ['system-prompt', 'system'],
  ['user-prompt', 'user'],
  ['text', 'assistant'],
])

function pydanticPart(part: Fields, kind: string): Fields {
  const { content } = part
  const called = { tool: part.tool_name, call: part.tool_call_id }
  if (kind.endsWith('tool-call')) return { type: 'tool_call', ...called, args: part.args }
  if (kind.endsWith('tool-return')) return { type: 'tool_result', ...called, content }
  if (kind === 'thinking') return { role: 'assistant', content: [{ type: 'thinking', thinking: content }] }
  // The kit asks the model to do better; without a tool it is the kit's own note.
  if (kind === 'retry-prompt') {
    return typeof part.tool_name === 'string'
      ? { type: 'tool_result', ...called, content }
      : { type: 'note', content }
  }
  return {
    role: PROMPTS.get(kind) ?? 'assistant',
    content: Array.isArray(content) ? content.map(binary) : content,
  }
}

/** Bytes that stand in the message are a file without a name. */
function binary(part: unknown): unknown {
  return isObject(part) && part.kind === 'binary' ? { type: 'file', name: part.identifier } : part
}

/** AutoGen: the type says what it is, the source who speaks, and calls or results are its content. */
function ofAutoGen(raw: Fields, type: string): Rewritten[] | undefined {
  const { source, content } = raw
  if (type === 'FunctionExecutionResultMessage' || type === 'ToolCallExecutionEvent') {
    return listed(content, (result) => ({ ...result, type: 'tool_result' }), source)
  }
  if (type === 'ToolCallRequestEvent') return calledBy(source, content)
  if (type === 'AssistantMessage') return [...thoughtOf(raw), ...assistantWords(source, content)]
  if (type === 'UserMessage') return [{ item: { role: 'user', author: source, content } }]
  if (typeof source !== 'string') return undefined
  if (type === 'ThoughtEvent') return [{ item: thought(source, content) }]
  if (!/^[A-Z]\w*Message$/u.test(type)) return undefined
  const role = source === 'user' ? 'user' : 'assistant'
  // What a handoff takes along stands beside its words.
  const taken = listOf(raw.context).flatMap((item, index) =>
    isObject(item) ? { item, at: `context[${index}]` } : [],
  )
  return [{ item: { role, author: source, content } }, ...taken]
}

/** What the model thought stands beside what it said. */
function thoughtOf({ source, thought: words }: Fields): Rewritten[] {
  return textOf(words) === undefined ? [] : [{ item: thought(source, words), at: 'thought' }]
}

function assistantWords(author: unknown, content: unknown): Rewritten[] {
  if (Array.isArray(content)) return calledBy(author, content)
  return content === '' ? [] : [{ item: { role: 'assistant', author, content } }]
}

function calledBy(author: unknown, content: unknown): Rewritten[] {
  return listed(content, ({ id, ...call }) => ({ ...call, type: 'tool_call', call: id }), author)
}

function thought(author: unknown, thinking: unknown): Fields {
  return { role: 'assistant', author, content: [{ type: 'thinking', thinking }] }
}

function listed(
  list: unknown,
  known: (entry: Fields) => Fields,
  author: unknown,
  field = 'content',
): Rewritten[] {
  return listOf(list).flatMap((entry, index) =>
    isObject(entry) ? { item: { author, ...known(entry) }, at: `${field}[${index}]` } : [],
  )
}

/** Haystack before 2.12: the fields of a message are those of its class. */
function ofHaystack({ _role: role, _name: name, _content: content }: Fields): Rewritten[] {
  return [{ item: { role, name, content } }]
}

/** LlamaIndex: blocks are told apart by `block_type`, and a tool's answer names its call beside them. */
function ofLlamaIndex(raw: Fields, blocks: readonly unknown[]): Rewritten[] {
  const beside = isObject(raw.additional_kwargs) ? raw.additional_kwargs : {}
  const content = blocks.map((block) => (isObject(block) ? llamaBlock(block) : block))
  return [{ item: { ...beside, role: raw.role, content } }]
}

function llamaBlock({ block_type, ...block }: Fields): Fields {
  if (block_type !== 'tool_call') return { ...block, type: block_type }
  return { type: 'tool_call', tool: block.tool_name, call: block.tool_call_id, args: block.tool_kwargs }
}

/** Semantic Kernel: the role has a label, and the items of a message are named by their classes. */
function ofSemanticKernel(raw: Fields, items: readonly unknown[]): Rewritten[] | undefined {
  const label = isObject(raw.role) ? (textOf(raw.role.Label) ?? textOf(raw.role.label)) : textOf(raw.role)
  if (label === undefined) return undefined
  const content = items.map((item) => (isObject(item) ? kernelItem(lowered(item)) : item))
  return [{ item: { role: label.toLowerCase(), author: raw.authorName ?? raw.name, content } }]
}

/** .NET writes names as the class has them, in capitals, unless told otherwise. */
function lowered(fields: Fields): Fields {
  const entries = Object.entries(fields)
  return Object.fromEntries(
    entries.map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]),
  )
}

function kernelItem(item: Fields): Fields {
  const word = textOf(item.$type) ?? textOf(item.content_type) ?? ''
  const call = { tool: item.functionName ?? item.function_name ?? item.name }
  if (/function_?call/iu.test(word)) {
    return { type: 'tool_call', ...call, call: item.id, args: item.arguments }
  }
  if (/function_?result/iu.test(word)) {
    return {
      type: 'tool_result',
      ...call,
      call: item.callId ?? item.call_id ?? item.id,
      content: item.result,
    }
  }
  if (/reasoning/iu.test(word)) return { type: 'reasoning', text: item.text }
  return /text/iu.test(word) ? { type: 'text', text: item.text } : { ...item, type: 'file' }
}

/** A2A: a task or what is told of it, with the words of its agent and what it made. */
function ofTask(raw: Fields): Rewritten[] | undefined {
  const holder = [raw.task, raw.statusUpdate, raw.artifactUpdate].find(isObject) ?? raw
  const { status, artifact } = holder
  const artifacts = [...listOf(holder.artifacts), artifact].filter(isObject)
  if (!isObject(status) && artifacts.length === 0) return undefined
  if (holder === raw && textOf(raw.contextId) === undefined && textOf(raw.kind) === undefined)
    return undefined
  const said = isObject(status) && isObject(status.message) ? [status.message] : []
  return [
    ...listOf(holder.history).flatMap((item, index) =>
      isObject(item) ? { item: known(item), at: `history[${index}]` } : [],
    ),
    ...said.map((item) => ({ item: known(item), at: 'status.message' })),
    ...artifacts.map(({ parts, name, artifactId: id }, index) => ({
      item: { role: 'assistant', id, parts: [...(parts === undefined ? [{ text: name }] : listOf(parts))] },
      at: `artifacts[${index}]`,
    })),
  ]
}

function known(message: Fields): Fields {
  return { ...message, id: message.messageId }
}
