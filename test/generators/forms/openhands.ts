import { type Encoder, type Item, written } from './encoder.ts'

const textPart = (text: unknown) => ({ cache_prompt: false, type: 'text', text })

/** Events of the SDK of OpenHands. */
export const openHands: Encoder = {
  message: ({ id, role, content, author }) =>
    role === 'system'
      ? event('SystemPromptEvent', 'agent', { id, system_prompt: textPart(content), tools: [] })
      : event('MessageEvent', role === 'user' ? 'user' : 'agent', {
          ...{ id, sender: author ?? null, llm_response_id: null },
          llm_message: {
            ...NO_CALL,
            role,
            content: [textPart(content)],
            name: null,
            reasoning_content: null,
          },
          ...{ activated_skills: [], extended_content: [] },
        }),
  call: ({ id, call, tool, args }) =>
    event('ActionEvent', 'agent', {
      ...{ id, thought: [], reasoning_content: null, thinking_blocks: [], security_risk: 'UNKNOWN' },
      ...{ tool_name: tool, tool_call_id: call, action: { kind: 'MCPToolAction', data: args } },
      tool_call: { id: call, name: tool, arguments: written(args), origin: 'completion' },
      llm_response_id: 'resp-1',
    }),
  result: ({ id, call, tool, content }) =>
    event('ObservationEvent', 'environment', {
      ...{ id, tool_name: tool, tool_call_id: call, action_id: 'a-1' },
      observation: { kind: 'MCPToolObservation', content: [textPart(content)], is_error: false },
    }),
  reasoning: ({ id, content }) =>
    event('MessageEvent', 'agent', {
      id,
      llm_message: { ...NO_CALL, role: 'assistant', content: [], reasoning_content: content },
    }),
}

const NO_CALL = { tool_calls: null, tool_call_id: null, thinking_blocks: [], responses_reasoning_item: null }

function event(kind: string, source: string, fields: Item): Item {
  return { kind, timestamp: '2026-01-01T10:00:00.000000', source, ...fields }
}

/** Events of OpenHands before there was an SDK. */
export const openHandsV0: Encoder = {
  message: ({ id, role, content }) =>
    role === 'system'
      ? { id, source: 'agent', action: 'system', args: { content, tools: [] } }
      : {
          ...{ id, source: role === 'user' ? 'user' : 'agent', message: content, action: 'message' },
          args: { content, image_urls: null, wait_for_response: false },
        },
  call: ({ id, call, tool, args }) => ({
    ...{ id, source: 'agent', message: 'Calling a tool', action: 'call_tool_mcp' },
    args: { name: tool, arguments: args, thought: '' },
    tool_call_metadata: {
      ...{ function_name: tool, tool_call_id: call, total_calls_in_response: 1 },
      model_response: {
        id: 'resp-1',
        choices: [{ message: { role: 'assistant', content: null, tool_calls: [asked(call, tool, args)] } }],
      },
    },
  }),
  result: ({ id, call, tool, content }) => ({
    ...{ id, source: 'environment', message: 'A tool answered', cause: 1, observation: 'mcp', content },
    tool_call_metadata: { function_name: tool, tool_call_id: call },
    extras: { name: tool },
  }),
}

function asked(id: unknown, name: unknown, args: unknown): Item {
  return { id, type: 'function', function: { name, arguments: written(args) } }
}
