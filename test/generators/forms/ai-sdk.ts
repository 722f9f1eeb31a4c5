import { BYTES, type Encoder, type Item, joinLists } from './encoder.ts'

/** What goes to a model in the AI SDK. */
export const modelMessages: Encoder = {
  message: ({ role, content }) => ({ role, content }),
  call: ({ call, tool, args }) => ({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: call, toolName: tool, input: args }],
  }),
  result: ({ call, tool, content }) => ({
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: call, toolName: tool, output: { type: 'text', value: content } },
    ],
  }),
  file: ({ role, name }) => ({
    role,
    content: [{ type: 'file', filename: name, mediaType: 'application/pdf', data: BYTES }],
  }),
  reasoning: ({ content }) => ({ role: 'assistant', content: [{ type: 'reasoning', text: content }] }),
  approval: ({ approval, call }) => ({
    role: 'assistant',
    content: [{ type: 'tool-approval-request', approvalId: approval, toolCallId: call }],
  }),
  join: joinLists('content'),
}

/** What its user interfaces keep: a call and its answer are one part. */
export const uiMessages: Encoder = {
  message: ({ id, role, content }) => ({ id, role, parts: [{ type: 'text', text: content, state: 'done' }] }),
  call: ({ id, call, tool, args }) => ({
    id,
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: `tool-${tool}`, toolCallId: call, state: 'input-available', input: args },
    ],
  }),
  // An answer whose call is not right before it has no part of its own.
  result: modelMessages.result,
  file: ({ id, role, name }) => ({
    id,
    role,
    parts: [{ type: 'file', filename: name, mediaType: 'application/pdf', url: `data:;base64,${BYTES}` }],
  }),
  reasoning: ({ content }) => ({
    role: 'assistant',
    parts: [{ type: 'reasoning', text: content, state: 'done' }],
  }),
  join: (first, second) => answered(first, second) ?? joinLists('parts')!(first, second),
}

function answered(first: Item, second: Item): Item | undefined {
  const [result] = (Array.isArray(second.content) ? second.content : []) as Item[]
  const parts = (Array.isArray(first.parts) ? first.parts : []) as Item[]
  const isAsked = (part: Item) => part.toolCallId === result?.toolCallId && part.state === 'input-available'
  if (result === undefined || !parts.some(isAsked)) return undefined
  const output = (result.output as Item).value
  return {
    ...first,
    parts: parts.map((part) => (isAsked(part) ? { ...part, state: 'output-available', output } : part)),
  }
}
