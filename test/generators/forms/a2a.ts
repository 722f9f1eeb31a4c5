import { BYTES, type Encoder, type Item, joinLists } from './encoder.ts'

/** A2A: messages of parts. It has no calls; agents of Google's kit send theirs as data that says what it is. */
export const a2a: Encoder = {
  message: ({ id, role, content }) => message(id, role, { kind: 'text', text: content }),
  call: ({ id, call, tool, args }) =>
    message(id, 'assistant', {
      kind: 'data',
      data: { id: call, name: tool, args },
      metadata: { adk_type: 'function_call' },
    }),
  result: ({ id, call, tool, content }) =>
    message(id, 'assistant', {
      kind: 'data',
      data: { id: call, name: tool, response: { result: content } },
      metadata: { adk_type: 'function_response' },
    }),
  file: ({ id, role, name }) =>
    message(id, role, { kind: 'file', file: { name, mimeType: 'a/b', bytes: BYTES } }),
  reasoning: ({ id, content }) =>
    message(id, 'assistant', { kind: 'text', text: content, metadata: { adk_thought: true } }),
  join: joinLists('parts'),
}

function message(messageId: unknown, role: unknown, part: Item): Item {
  return {
    kind: 'message',
    messageId,
    role: role === 'assistant' ? 'agent' : role,
    parts: [part],
  }
}

/** A task that holds all that was said. */
export const a2aTask: Encoder = {
  ...a2a,
  whole: (history) => ({
    kind: 'task',
    id: 'task-1',
    contextId: 'ctx-1',
    status: { state: 'working' },
    history,
  }),
}

/** The parts of the version without kinds. */
export const a2aOne: Encoder = {
  message: ({ id, role, content }) => ofOne(id, role, { text: content }),
  call: ({ id, call, tool, args }) =>
    ofOne(id, 'assistant', { data: { id: call, name: tool, args }, metadata: { adk_type: 'function_call' } }),
  result: ({ id, call, tool, content }) =>
    ofOne(id, 'assistant', {
      data: { id: call, name: tool, response: { result: content } },
      metadata: { adk_type: 'function_response' },
    }),
  file: ({ id, role, name }) => ofOne(id, role, { raw: BYTES, filename: name, mediaType: 'application/pdf' }),
  join: joinLists('parts'),
}

function ofOne(messageId: unknown, role: unknown, part: Item): Item {
  return {
    messageId,
    role: role === 'assistant' ? 'ROLE_AGENT' : 'ROLE_USER',
    parts: [part],
  }
}
