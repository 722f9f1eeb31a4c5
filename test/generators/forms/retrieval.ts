import { BYTES, type Encoder, type Item, joinLists, written } from './encoder.ts'

export const haystack: Encoder = {
  message: ({ role, content }) => hay(role, { text: content }),
  call: ({ call, tool, args }) =>
    hay('assistant', { tool_call: { id: call, tool_name: tool, arguments: args } }),
  result: ({ call, tool, content, args }) =>
    hay('tool', {
      tool_call_result: {
        result: content,
        origin: { id: call, tool_name: tool, arguments: args ?? {} },
        error: false,
      },
    }),
  file: ({ role, name }) =>
    hay(role, { file: { base64_data: BYTES, mime_type: 'application/pdf', filename: name, extra: {} } }),
  reasoning: ({ content }) => hay('assistant', { reasoning: { reasoning_text: content, extra: {} } }),
  join: joinLists('content'),
}

function hay(role: unknown, part: Item): Item {
  return { role, meta: {}, name: null, content: [part] }
}

export const llamaIndex: Encoder = {
  message: ({ role, content }) => llama(role, { block_type: 'text', text: content }),
  call: ({ call, tool, args }) =>
    llama('assistant', { block_type: 'tool_call', tool_call_id: call, tool_name: tool, tool_kwargs: args }),
  result: ({ call, tool, content }) => ({
    ...llama('tool', { block_type: 'text', text: content }),
    additional_kwargs: { tool_call_id: call, name: tool },
  }),
  file: ({ role, name }) =>
    llama(role, { block_type: 'document', title: name, data: BYTES, document_mimetype: 'application/pdf' }),
  reasoning: ({ content }) => llama('assistant', { block_type: 'thinking', content }),
  join: (first, second) => (first.role === 'assistant' ? joinLists('blocks')!(first, second) : undefined),
}

function llama(role: unknown, block: Item): Item {
  return { role, additional_kwargs: {}, blocks: [block] }
}

/** LlamaIndex before blocks: calls, and the call that is answered, stand beside the words. */
export const llamaIndexBefore: Encoder = {
  message: ({ role, content }) => ({ role, content, additional_kwargs: {} }),
  call: ({ call, tool, args }) => ({
    ...{ role: 'assistant', content: '' },
    additional_kwargs: {
      tool_calls: [{ id: call, type: 'function', function: { name: tool, arguments: written(args) } }],
    },
  }),
  result: ({ call, tool, content }) => ({
    ...{ role: 'tool', content },
    additional_kwargs: { tool_call_id: call, name: tool },
  }),
  join: (first, second) => {
    const [before, after] = [first, second].map(({ additional_kwargs: beside }) => beside as Item | undefined)
    if (before === undefined || !Array.isArray(after?.tool_calls) || first.role !== second.role)
      return undefined
    const calls = [...((before.tool_calls as Item[]) ?? []), ...after.tool_calls]
    return { ...first, additional_kwargs: { tool_calls: calls } }
  },
}
