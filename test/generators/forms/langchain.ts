import { BYTES, type Encoder, type Item } from './encoder.ts'

const CLASSES: Record<string, string> = {
  user: 'HumanMessage',
  assistant: 'AIMessage',
  system: 'SystemMessage',
  tool: 'ToolMessage',
}
const TYPES: Record<string, string> = { user: 'human', assistant: 'ai', system: 'system', tool: 'tool' }

/** As LangChain dumps its objects, or as `messages_to_dict` writes them. */
const messages = (wrap: (role: string, fields: Item) => Item): Encoder => ({
  message: ({ role, content }) => wrap(String(role), { content }),
  call: ({ call, tool, args }) =>
    wrap('assistant', { content: '', tool_calls: [{ name: tool, args, id: call, type: 'tool_call' }] }),
  result: ({ call, tool, content }) =>
    wrap('tool', { content, name: tool, tool_call_id: call, status: 'success' }),
  file: ({ role, name }) =>
    wrap(String(role), {
      content: [
        { type: 'file', source_type: 'base64', data: BYTES, mime_type: 'application/pdf', filename: name },
      ],
    }),
  reasoning: ({ content }) => wrap('assistant', { content: [{ type: 'reasoning', reasoning: content }] }),
})

export const langchain: Encoder = messages((role, fields) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'schema', 'messages', CLASSES[role]],
  kwargs: { ...fields, type: TYPES[role], additional_kwargs: {}, response_metadata: {} },
}))

export const langchainDicts: Encoder = messages((role, fields) => ({
  type: TYPES[role],
  data: { ...fields, type: TYPES[role], additional_kwargs: {}, response_metadata: {} },
}))
