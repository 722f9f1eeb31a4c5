import { BYTES, type Encoder, type Item, joinLists } from './encoder.ts'

const PROMPTS: Record<string, string> = { user: 'user-prompt', system: 'system-prompt' }

/** Pydantic AI: a request goes to the model, a response comes from it. */
export const pydantic: Encoder = {
  message: ({ role, content }) =>
    role === 'assistant'
      ? response({ part_kind: 'text', content })
      : request({ part_kind: PROMPTS[String(role)], content }),
  call: ({ call, tool, args }) =>
    response({ part_kind: 'tool-call', tool_name: tool, args, tool_call_id: call }),
  result: ({ call, tool, content }) =>
    request({ part_kind: 'tool-return', tool_name: tool, content, tool_call_id: call }),
  file: ({ name }) =>
    request({
      part_kind: 'user-prompt',
      content: [{ kind: 'binary', data: BYTES, media_type: 'application/pdf', identifier: name }],
    }),
  reasoning: ({ content }) => response({ part_kind: 'thinking', content }),
  join: joinLists('parts'),
}

const request = (part: Item): Item => ({ kind: 'request', parts: [part] })
const response = (part: Item): Item => ({ kind: 'response', parts: [part], model_name: 'm' })
