import { BYTES, type Encoder, type Item, written } from './encoder.ts'

/** Items of the Responses API. */
export const openai: Encoder = {
  message: ({ role, content }) => ({ role, content }),
  call: ({ call, tool, args }) => ({
    type: 'function_call',
    call_id: call,
    name: tool,
    arguments: written(args),
  }),
  result: ({ call, content }) => ({ type: 'function_call_output', call_id: call, output: content }),
  file: ({ role, name }) => ({
    role,
    content: [
      { type: 'input_file', filename: name, file_data: `data:application/octet-stream;base64,${BYTES}` },
    ],
  }),
  reasoning: ({ id, content }) => ({
    type: 'reasoning',
    id,
    summary: [{ type: 'summary_text', text: content }],
  }),
  approval: ({ approval, tool, args }) => ({
    type: 'mcp_approval_request',
    id: approval,
    server_label: 'shop',
    name: tool,
    arguments: written(args),
  }),
}

/** Run items of the Agents SDK: the item of the API, and the agent. */
export const agentsSdk: Encoder = {
  authors: true,
  message: (item) => runItem('message_output_item', item, { type: 'message', ...openai.message(item) }),
  call: ({ call, tool, args, ...item }) =>
    runItem('tool_call_item', item, {
      type: 'function_call',
      callId: call,
      name: tool,
      arguments: written(args),
      status: 'completed',
    }),
  result: ({ call, tool, content, ...item }) =>
    runItem('tool_call_output_item', item, {
      type: 'function_call_result',
      callId: call,
      name: tool,
      status: 'completed',
      output: { type: 'text', text: content },
    }),
}

function runItem(type: string, { author }: Item, rawItem: Item): Item {
  return { type, rawItem, ...(author === undefined ? {} : { agent: { name: author } }) }
}

/** Chat completions. */
export const chat: Encoder = {
  message: ({ role, content }) => ({ role, content }),
  call: ({ call, tool, args }) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: call, type: 'function', function: { name: tool, arguments: written(args) } }],
  }),
  result: ({ call, content }) => ({ role: 'tool', tool_call_id: call, content }),
  file: ({ role, name }) => ({
    role,
    content: [{ type: 'file', file: { filename: name, file_data: BYTES } }],
  }),
  join: joinCalls('tool_calls'),
}

/** Chat completions before there were several calls at once: none has an id. */
export const functions: Encoder = {
  nameless: true,
  message: ({ role, content }) => ({ role, content }),
  call: ({ tool, args }) => ({
    role: 'assistant',
    content: null,
    function_call: { name: tool, arguments: written(args) },
  }),
  result: ({ tool, content }) => ({ role: 'function', name: tool, content }),
}

/** AG-UI: the fields in camel case, and every message has an id. */
export const agUi: Encoder = {
  message: ({ id, role, content }) => ({ id, role, content }),
  call: ({ id, call, tool, args }) => ({
    id,
    role: 'assistant',
    toolCalls: [{ id: call, type: 'function', function: { name: tool, arguments: written(args) } }],
  }),
  result: ({ id, call, content }) => ({ id, role: 'tool', toolCallId: call, content }),
  file: ({ id, role, name }) => ({
    id,
    role,
    content: [{ type: 'binary', mimeType: 'application/pdf', filename: name, data: BYTES }],
  }),
  reasoning: ({ id, content }) => ({ id, role: 'reasoning', content }),
  join: joinCalls('toolCalls'),
}

/** A message with words may call as well, and calls at once are one message. */
export function joinCalls(list: string): Encoder['join'] {
  return (first, second) => {
    if (first.type !== undefined || first.role !== second.role || !Array.isArray(second[list]))
      return undefined
    return { ...first, [list]: [...((first[list] as Item[]) ?? []), ...second[list]] }
  }
}
