import { BYTES, type Encoder, type Item, joinLists, written } from './encoder.ts'

/** Spring AI, as Jackson writes it. */
export const springAi: Encoder = {
  message: ({ role, content }) => spring(role, { text: content }),
  call: ({ call, tool, args }) =>
    spring('assistant', {
      text: '',
      toolCalls: [{ id: call, type: 'function', name: tool, arguments: written(args) }],
    }),
  result: ({ call, tool, content }) =>
    spring('tool', { responses: [{ id: call, name: tool, responseData: content }], text: '' }),
  file: ({ role, name }) =>
    spring(role, { text: '', media: [{ name, mimeType: 'application/pdf', data: BYTES }] }),
  join: (first, second) =>
    first.messageType !== second.messageType
      ? undefined
      : (joinLists('responses')!(first, second) ?? joinLists('toolCalls')!(first, second)),
}

function spring(role: unknown, fields: Item): Item {
  const messageType = String(role).toUpperCase()
  return {
    messageType,
    metadata: { messageType },
    ...(role === 'assistant' ? { toolCalls: [], media: [] } : {}),
    ...fields,
  }
}

const TYPES: Record<string, string> = { user: 'USER', assistant: 'AI', system: 'SYSTEM' }

/** LangChain4j, as its own serializer writes it. */
export const langchain4j: Encoder = {
  message: ({ role, content }) =>
    role === 'user'
      ? { contents: [{ text: content, type: 'TEXT' }], attributes: {}, type: 'USER' }
      : { text: content, attributes: {}, type: TYPES[String(role)] },
  call: ({ call, tool, args }) => ({
    toolExecutionRequests: [{ id: call, name: tool, arguments: written(args) }],
    attributes: {},
    type: 'AI',
  }),
  result: ({ call, tool, content }) => ({
    id: call,
    toolName: tool,
    text: content,
    type: 'TOOL_EXECUTION_RESULT',
  }),
  file: ({ name }) => ({
    contents: [{ pdfFile: { url: name, mimeType: 'application/pdf' }, type: 'PDF' }],
    type: 'USER',
  }),
  reasoning: ({ content }) => ({ thinking: content, toolExecutionRequests: [], attributes: {}, type: 'AI' }),
  join: (first, second) => {
    if (first.type !== 'AI' || second.type !== 'AI') return undefined
    const [before, after] = [first, second].map((item) => (item.toolExecutionRequests ?? []) as Item[])
    return { ...first, toolExecutionRequests: [...before!, ...after!] }
  },
}
