import type { Rewritten } from './item-rewritten.ts'
import { textOfValue } from './item-text.ts'
import { isObject, listOf, textOf } from './json.ts'

/** Coding agents that keep a session of their own. */

type Fields = Record<string, unknown>

/** opencode: who said it is in `info`, and a part of type `tool` holds the call and what became of it. */
export function ofOpencode(info: Fields, parts: readonly unknown[]): Rewritten[] {
  const { id, role } = info
  // What stands for all before it.
  if (info.summary === true) {
    const texts = parts.filter((part) => isObject(part) && part.type === 'text')
    return [{ item: { type: 'summary', id, role, content: textOfValue(texts) } }]
  }
  const author = role === 'assistant' ? (info.agent ?? info.mode) : undefined
  return [{ item: { id, role, author, parts: parts.map(opencodePart) } }]
}

const NOT_SENT = new Set(['step-finish', 'snapshot', 'patch', 'agent', 'retry', 'compaction'])

function opencodePart(part: unknown): unknown {
  if (!isObject(part)) return part
  if (part.ignored === true || NOT_SENT.has(String(part.type))) return { type: 'step-start' }
  if (part.type === 'subtask') return { type: 'text', text: part.prompt }
  if (part.type !== 'tool' || !isObject(part.state)) return part
  const { tool, callID, state } = part
  return {
    type: 'dynamic-tool',
    toolName: tool,
    toolCallId: callID,
    input: state.input,
    output: outcome(state),
  }
}

function outcome({ output, error, metadata, time }: Fields): unknown {
  // It was thrown away to make room.
  if (isObject(time) && time.compacted !== undefined) return '[Old tool result content cleared]'
  const cut = isObject(metadata) && metadata.interrupted === true ? metadata.output : undefined
  return output ?? cut ?? error
}

/** A Codex rollout keeps what a compaction came to: a summary, or the history that took the place of the old one. */
export function ofCodex({ payload }: Fields, type: string): Rewritten[] | undefined {
  if (type !== 'compacted' || !isObject(payload)) return undefined
  const kept = listOf(payload.replacement_history).filter(isObject)
  if (kept.length === 0) return [{ item: { type: 'summary', content: textOf(payload.message) ?? '' } }]
  return kept.map((item, index) => ({ item, at: `payload.replacement_history[${index}]` }))
}
