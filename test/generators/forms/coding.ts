import { modelMessages } from './ai-sdk.ts'
import { BYTES, type Encoder, type Item, joinLists } from './encoder.ts'
import { openai } from './openai.ts'

/** Lines of a Codex rollout. */
export const codex: Encoder = {
  message: ({ role, content }) => {
    const type = role === 'assistant' ? 'output_text' : 'input_text'
    return line({ type: 'message', role, content: [{ type, text: content }] })
  },
  call: (item) => line(openai.call(item)),
  result: (item) => line(openai.result(item)),
  reasoning: ({ content }) =>
    line({ type: 'reasoning', summary: [{ type: 'summary_text', text: content }], encrypted_content: null }),
}

function line(payload: Item): Item {
  return { timestamp: '2026-01-01T10:00:00.000Z', type: 'response_item', payload }
}

/** Sessions of opencode: a call and its answer are one part. */
export const opencode: Encoder = {
  authors: true,
  message: ({ id, role, content, author }) => session(id, role, author, { type: 'text', text: content }),
  call: ({ id, call, tool, args, author }) =>
    session(id, 'assistant', author, {
      ...{ type: 'tool', callID: call, tool },
      state: { status: 'running', input: args, time: { start: 1 } },
    }),
  // An answer whose call is not right before it has no part of its own.
  result: modelMessages.result,
  file: ({ id, role, name }) =>
    session(id, role, undefined, {
      ...{ type: 'file', mime: 'application/pdf', filename: name, url: `data:;base64,${BYTES}` },
    }),
  reasoning: ({ content, author }) =>
    session(undefined, 'assistant', author, { type: 'reasoning', text: content, time: { start: 1 } }),
  join: (first, second) => answered(first, second) ?? joined(first, second),
}

function session(id: unknown, role: unknown, agent: unknown, part: Item): Item {
  const of = { sessionID: 'ses_1', messageID: id ?? 'msg_1' }
  const info = {
    id,
    sessionID: 'ses_1',
    role,
    time: { created: 1 },
    ...(agent === undefined ? {} : { agent }),
  }
  return { info, parts: [{ id: 'prt_1', ...of, ...part }] }
}

function joined(first: Item, second: Item): Item | undefined {
  const role = ({ info }: Item) => (info as Item | undefined)?.role
  return role(first) === role(second) ? joinLists('parts')!(first, second) : undefined
}

function answered(first: Item, second: Item): Item | undefined {
  const [result] = (Array.isArray(second.content) ? second.content : []) as Item[]
  const parts = (Array.isArray(first.parts) ? first.parts : []) as Item[]
  const isAsked = ({ callID, state }: Item) =>
    result !== undefined && callID === result.toolCallId && (state as Item).status === 'running'
  if (!parts.some(isAsked)) return undefined
  const output = (result!.output as Item).value
  const done = { status: 'completed', output, title: 'done', metadata: {}, time: { start: 1, end: 2 } }
  return {
    ...first,
    parts: parts.map((part) =>
      isAsked(part) ? { ...part, state: { ...(part.state as Item), ...done } } : part,
    ),
  }
}
