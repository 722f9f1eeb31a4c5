import { type Encoder, type Item, written } from './encoder.ts'

/** Letta: what its interface gives back of an agent's messages. */
export const letta: Encoder = {
  message: ({ id, role, content }) => entry(id, `${role}_message`, { content }),
  call: ({ id, call, tool, args }) => {
    const one = { name: tool, arguments: written(args), tool_call_id: call }
    return entry(id, 'tool_call_message', { tool_call: one, tool_calls: [one] })
  },
  result: ({ id, call, tool, content }) => {
    const one = { tool_return: content, status: 'success', tool_call_id: call }
    return entry(id, 'tool_return_message', { name: tool, ...one, tool_returns: [{ type: 'tool', ...one }] })
  },
  reasoning: ({ id, content }) =>
    entry(id, 'reasoning_message', { source: 'reasoner_model', reasoning: content }),
  // Calls at once are one message, and so are their answers.
  join: (first, second) => {
    const list = ['tool_calls', 'tool_returns'].find((field) => Array.isArray(second[field]))
    if (list === undefined || first.message_type !== second.message_type) return undefined
    return { ...first, [list]: [...(first[list] as Item[]), ...(second[list] as Item[])] }
  },
}

function entry(id: unknown, message_type: string, fields: Item): Item {
  return { id, date: '2031-05-06T08:00:00+00:00', message_type, ...fields }
}
