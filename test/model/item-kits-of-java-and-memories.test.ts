import { describe, expect, it } from 'vitest'
import { readItems } from '../../model/items.ts'

/* Messages as Jackson writes those of Spring AI and LangChain4j, and the memories of Letta and smolagents. */

const CALL = { type: 'tool_call', call: 'c1', tool: 'price', args: { sku: 7 } }
const OTHER = { type: 'tool_call', call: 'c2', tool: 'stock', args: { sku: 7 } }
const RESULT = { type: 'tool_result', call: 'c1', text: '812.40 EUR' }

describe('Spring AI messages', () => {
  const metadata = (messageType: string) => ({ messageType, metadata: { messageType } })
  const called = { id: 'c1', type: 'function', name: 'price', arguments: '{"sku":7}' }
  const answer = { id: 'c1', name: 'price', responseData: '812.40 EUR' }

  it('have their role in a field of their own, and several answers in one', () => {
    const items = readItems([
      { ...metadata('SYSTEM'), text: 'You sell.' },
      {
        ...metadata('USER'),
        media: [{ id: 'm', mimeType: 'image/png', data: 'iVBORw0KGgo', name: 'p.png' }],
        text: 'How much?',
      },
      { ...metadata('ASSISTANT'), toolCalls: [called], media: [], text: '' },
      {
        ...metadata('TOOL'),
        responses: [answer, { id: 'c2', name: 'stock', responseData: '3' }],
        text: '',
      },
      { ...metadata('ASSISTANT'), toolCalls: [], media: [], text: '812.40 EUR.' },
    ])
    expect(items).toMatchObject([
      { type: 'message', role: 'system', text: 'You sell.' },
      { type: 'message', role: 'user', text: 'How much?' },
      { type: 'file', role: 'user', text: 'p.png' },
      { path: 'items[2]', ...CALL },
      { path: 'items[3]', ...RESULT, tool: 'price' },
      { path: 'items[3].responses[1]', type: 'tool_result', call: 'c2', text: '3' },
      { type: 'message', role: 'assistant', text: '812.40 EUR.' },
    ])
  })

  it('kept their words as content before the first version', () => {
    const items = readItems([
      { ...metadata('USER'), content: 'How much?', media: [] },
      { ...metadata('ASSISTANT'), content: '', toolCalls: [called] },
      { ...metadata('TOOL'), content: '', responses: [answer] },
    ])
    expect(items).toMatchObject([{ type: 'message', role: 'user', text: 'How much?' }, CALL, RESULT])
  })
})

describe('LangChain4j messages', () => {
  it('are told apart by a word in capitals', () => {
    const items = readItems([
      { text: 'You sell.', type: 'SYSTEM' },
      {
        name: 'Ana',
        contents: [
          { text: 'How much?', type: 'TEXT' },
          { image: { url: 'https://example.com/p.png' }, detailLevel: 'LOW', type: 'IMAGE' },
          { pdfFile: { base64Data: 'cGRm', mimeType: 'application/pdf' }, type: 'PDF' },
        ],
        attributes: {},
        type: 'USER',
      },
      {
        text: 'One moment.',
        thinking: 'A price.',
        toolExecutionRequests: [
          { id: 'c1', name: 'price', arguments: '{"sku":7}' },
          { id: 'c2', name: 'stock', arguments: '{"sku":7}' },
        ],
        attributes: {},
        type: 'AI',
      },
      { id: 'c1', toolName: 'price', text: '812.40 EUR', type: 'TOOL_EXECUTION_RESULT' },
      {
        id: 'c2',
        toolName: 'stock',
        contents: [{ text: '3', type: 'TEXT' }],
        attributes: {},
        type: 'TOOL_EXECUTION_RESULT',
      },
      { text: 'hello', toolExecutionRequests: [], attributes: {}, type: 'AI' },
      { text: 'Thanks.', type: 'USER' },
    ])
    expect(items).toMatchObject([
      { type: 'message', role: 'system', text: 'You sell.' },
      { type: 'message', role: 'user', author: 'Ana', text: 'How much?' },
      { type: 'file', text: 'https://example.com/p.png' },
      { type: 'file', text: '', part: { data: 'cGRm' } },
      { type: 'message', role: 'assistant', text: 'One moment.' },
      { type: 'reasoning', text: 'A price.' },
      CALL,
      OTHER,
      { ...RESULT, tool: 'price' },
      { type: 'tool_result', call: 'c2', text: '3' },
      { type: 'message', role: 'assistant', text: 'hello' },
      { type: 'message', role: 'user', text: 'Thanks.' },
    ])
    expect(items[3]).not.toHaveProperty('id', 'c1')
  })

  it('had one request at first', () => {
    const request = { id: 'c1', name: 'price', arguments: '{"sku":7}' }
    expect(readItems([{ toolExecutionRequest: request, type: 'AI' }])).toMatchObject([CALL])
  })
})

describe('Letta messages', () => {
  const about = { date: '2031-05-06T08:00:00+00:00', otid: 'o', step_id: 's' }
  const call = { name: 'price', arguments: '{"sku":7}', tool_call_id: 'c1' }

  it('say what they are in message_type', () => {
    const items = readItems([
      { id: 'm1', ...about, message_type: 'user_message', content: 'How much?' },
      {
        id: 'm2',
        ...about,
        message_type: 'reasoning_message',
        source: 'reasoner_model',
        reasoning: 'A price.',
      },
      {
        id: 'm3',
        ...about,
        message_type: 'tool_call_message',
        tool_call: call,
        tool_calls: [call, { name: 'stock', arguments: '{"sku":7}', tool_call_id: 'c2' }],
      },
      {
        id: 'm4',
        ...about,
        name: 'price',
        message_type: 'tool_return_message',
        tool_return: '812.40 EUR',
        status: 'success',
        tool_call_id: 'c1',
        tool_returns: [
          { type: 'tool', tool_return: '812.40 EUR', status: 'success', tool_call_id: 'c1' },
          { type: 'tool', tool_return: [{ type: 'text', text: '3' }], status: 'success', tool_call_id: 'c2' },
        ],
      },
      {
        id: 'm5',
        ...about,
        message_type: 'assistant_message',
        content: [{ type: 'text', text: '812.40 EUR.' }],
      },
      { id: 'm6', ...about, message_type: 'tool_call_message', tool_call: call },
      {
        id: 'm7',
        ...about,
        message_type: 'tool_return_message',
        tool_return: '812.40 EUR',
        status: 'success',
        tool_call_id: 'c1',
      },
    ])
    expect(items).toMatchObject([
      { id: 'm1', type: 'message', role: 'user', text: 'How much?' },
      { id: 'm2', type: 'reasoning', text: 'A price.' },
      { id: 'm3', ...CALL },
      { path: 'items[2].tool_calls[1]', ...OTHER },
      { id: 'm4', ...RESULT },
      { type: 'tool_result', call: 'c2', text: '3' },
      { id: 'm5', type: 'message', role: 'assistant', text: '812.40 EUR.' },
      { id: 'm6', ...CALL },
      { id: 'm7', ...RESULT },
    ])
  })

  it('of its client for TypeScript are in camel case', () => {
    const items = readItems([
      {
        messageType: 'tool_call_message',
        toolCall: { name: 'price', arguments: '{"sku":7}', toolCallId: 'c1' },
      },
      { messageType: 'tool_return_message', toolReturn: '812.40 EUR', status: 'success', toolCallId: 'c1' },
    ])
    expect(items).toMatchObject([CALL, RESULT])
  })

  it('hold a call that waits for a yes, and what a client sends back', () => {
    const items = readItems([
      { id: 'm1', ...about, message_type: 'approval_request_message', tool_call: call },
      {
        id: 'm2',
        ...about,
        message_type: 'approval_response_message',
        approval_request_id: 'm1',
        approve: false,
        reason: 'too dear',
      },
      { type: 'tool', tool_return: '812.40 EUR', status: 'success', tool_call_id: 'c1' },
      {
        id: 'm3',
        ...about,
        message_type: 'approval_response_message',
        approvals: [
          { type: 'approval', tool_call_id: 'c2', approve: true },
          { type: 'tool', tool_call_id: 'c1', tool_return: '812.40 EUR', status: 'success' },
        ],
      },
    ])
    expect(items).toMatchObject([
      { id: 'm1', type: 'approval', call: 'c1', tool: 'price' },
      { path: 'items[0].tool_call', ...CALL },
      { id: 'm2', type: 'approval', text: 'too dear' },
      RESULT,
      { id: 'm3', type: 'approval', call: 'c2' },
      { path: 'items[3].approvals[1]', ...RESULT },
    ])
  })
})

describe('the memory of smolagents', () => {
  const step = {
    step_number: 1,
    timing: { start_time: 1, end_time: 2, duration: 1 },
    model_input_messages: null,
    tool_calls: [],
    error: null,
    model_output_message: null,
    model_output: null,
    code_action: null,
    observations: null,
    observations_images: null,
    action_output: null,
    token_usage: null,
    is_final_answer: false,
  }
  const called = (id: string, name: string) => ({
    id,
    type: 'function',
    function: { name, arguments: { sku: 7 } },
  })

  it('is steps with words, calls and what came of them', () => {
    const items = readItems([
      { system_prompt: 'You sell.' },
      { task: 'How much?', task_images: null },
      { model_input_messages: [], model_output_message: {}, plan: '1. Ask.', timing: {}, token_usage: null },
      {
        ...step,
        model_output: 'One moment.',
        tool_calls: [called('c1', 'price')],
        observations: '812.40 EUR',
      },
      { ...step, tool_calls: [called('c1', 'price'), called('c2', 'stock')], observations: 'both' },
      {
        ...step,
        tool_calls: [called('c3', 'price')],
        error: { type: 'AgentExecutionError', message: 'no such sku' },
      },
    ])
    expect(items).toMatchObject([
      { type: 'message', role: 'system', text: 'You sell.' },
      { type: 'message', role: 'user', text: 'How much?' },
      { type: 'message', role: 'assistant', text: '1. Ask.' },
      { path: 'items[3]', type: 'message', role: 'assistant', text: 'One moment.' },
      { path: 'items[3].tool_calls[0]', ...CALL },
      { path: 'items[3].observations', ...RESULT },
      CALL,
      OTHER,
      { type: 'tool_result', call: 'c1', text: 'both' },
      { type: 'tool_result', call: 'c2', text: 'both' },
      { type: 'tool_call', call: 'c3' },
      { type: 'tool_result', call: 'c3', text: 'no such sku' },
    ])
  })

  it('goes to a model as messages whose roles are its own', () => {
    const items = readItems([
      { role: 'tool-call', content: [{ type: 'text', text: 'Calling tools:\n[]' }] },
      { role: 'tool-response', content: [{ type: 'text', text: 'Observation:\n812.40 EUR' }] },
    ])
    expect(items).toMatchObject([
      { type: 'message', role: 'assistant' },
      { type: 'message', role: 'tool', text: 'Observation:\n812.40 EUR' },
    ])
  })
})

describe('a type that every object has a field for', () => {
  it('is no word of any kit', () => {
    expect(readItems([{ type: 'constructor', content: 'x' }])).toMatchObject([{ type: 'constructor' }])
    const parts = [{ part_kind: 'toString', content: 'x' }]
    expect(readItems([{ kind: 'response', parts }])).toMatchObject([{ type: 'message', role: 'assistant' }])
  })
})
