import { BYTES, type Encoder, joinLists } from './encoder.ts'

/** Messages of blocks: Anthropic, Bedrock and MCP. */

export const anthropic: Encoder = {
  message: ({ role, content }) => ({ role, content: [{ type: 'text', text: content }] }),
  call: ({ call, tool, args }) => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id: call, name: tool, input: args }],
  }),
  result: ({ call, content }) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: call, content: [{ type: 'text', text: content }] }],
  }),
  file: ({ role, name }) => ({
    role,
    content: [
      {
        type: 'document',
        title: name,
        source: { type: 'base64', media_type: 'application/pdf', data: BYTES },
      },
    ],
  }),
  reasoning: ({ content }) => ({
    role: 'assistant',
    content: [{ type: 'thinking', thinking: content, signature: 'sig' }],
  }),
  join: joinLists('content'),
}

export const bedrock: Encoder = {
  message: ({ role, content }) => ({ role, content: [{ text: content }] }),
  call: ({ call, tool, args }) => ({
    role: 'assistant',
    content: [{ toolUse: { toolUseId: call, name: tool, input: args } }],
  }),
  result: ({ call, content }) => ({
    role: 'user',
    content: [{ toolResult: { toolUseId: call, content: [{ text: content }], status: 'success' } }],
  }),
  file: ({ role, name }) => ({
    role,
    content: [{ document: { format: 'pdf', name, source: { bytes: BYTES } } }],
  }),
  reasoning: ({ content }) => ({
    role: 'assistant',
    content: [{ reasoningContent: { reasoningText: { text: content, signature: 'sig' } } }],
  }),
  join: joinLists('content'),
}

/** MCP: what a sampling request holds, one part a message or a list of them. */
export const mcp: Encoder = {
  message: ({ role, content }) => ({ role, content: { type: 'text', text: content } }),
  call: ({ call, tool, args }) => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id: call, name: tool, input: args }],
  }),
  result: ({ call, content }) => ({
    role: 'user',
    content: [{ type: 'tool_result', toolUseId: call, content: [{ type: 'text', text: content }] }],
  }),
  file: ({ role, name }) => ({
    role,
    content: {
      type: 'resource_link',
      uri: `https://files.example/${name}`,
      name,
      mimeType: 'application/pdf',
    },
  }),
  join: joinLists('content'),
}
