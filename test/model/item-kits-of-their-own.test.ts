import { describe, expect, it } from 'vitest'
import { readItems } from '../../model/items.ts'

/* Kits whose messages hold words of several roles, lists of calls or a whole task in one entry. */

const CALL = { type: 'tool_call', call: 'c1', tool: 'price', args: { sku: 7 } }
const RESULT = { type: 'tool_result', call: 'c1', text: '812.40 EUR' }

describe('Pydantic AI messages', () => {
  it('hold prompts and returns in a request, words and calls in a response', () => {
    const items = readItems([
      {
        kind: 'request',
        parts: [
          { part_kind: 'system-prompt', content: 'You sell.' },
          {
            part_kind: 'user-prompt',
            content: ['How much?', { kind: 'image-url', url: 'https://example.com/p.png' }],
          },
        ],
      },
      {
        kind: 'response',
        parts: [
          { part_kind: 'thinking', content: 'A price.' },
          { part_kind: 'text', content: 'One moment.' },
          { part_kind: 'tool-call', tool_name: 'price', args: '{"sku":7}', tool_call_id: 'c1' },
        ],
      },
      {
        kind: 'request',
        parts: [
          { part_kind: 'tool-return', tool_name: 'price', content: '812.40 EUR', tool_call_id: 'c1' },
          { part_kind: 'retry-prompt', content: 'Answer in JSON.' },
        ],
      },
    ])
    expect(items).toMatchObject([
      { path: 'items[0]', type: 'message', role: 'system', text: 'You sell.' },
      { path: 'items[0].parts[1]', type: 'message', role: 'user', text: 'How much?' },
      { type: 'file', role: 'user', text: 'https://example.com/p.png' },
      { path: 'items[1]', type: 'reasoning', text: 'A price.' },
      { type: 'message', role: 'assistant', text: 'One moment.' },
      { path: 'items[1].parts[2]', ...CALL },
      { path: 'items[2]', ...RESULT },
      { type: 'note', text: 'Answer in JSON.' },
    ])
  })
})

describe('AutoGen messages', () => {
  it('of its teams are told apart by type and source', () => {
    const items = readItems([
      { source: 'user', type: 'TextMessage', content: 'How much?' },
      {
        source: 'sales',
        type: 'ToolCallRequestEvent',
        content: [{ id: 'c1', name: 'price', arguments: '{"sku":7}' }],
      },
      {
        source: 'sales',
        type: 'ToolCallExecutionEvent',
        content: [{ call_id: 'c1', name: 'price', content: '812.40 EUR', is_error: false }],
      },
      { source: 'sales', target: 'desk', type: 'HandoffMessage', content: 'Over to desk.', context: [] },
    ])
    expect(items).toMatchObject([
      { type: 'message', role: 'user', text: 'How much?' },
      { ...CALL, author: 'sales' },
      { ...RESULT, author: 'sales' },
      { type: 'message', role: 'assistant', author: 'sales', text: 'Over to desk.' },
    ])
  })

  it('of its core stand also in the context that a handoff takes along', () => {
    const items = readItems([
      {
        source: 'sales',
        target: 'desk',
        type: 'HandoffMessage',
        content: 'Over to desk.',
        context: [
          {
            type: 'AssistantMessage',
            source: 'sales',
            content: [{ id: 'c1', name: 'price', arguments: '{"sku":7}' }],
          },
          {
            type: 'FunctionExecutionResultMessage',
            content: [{ call_id: 'c1', name: 'price', content: '812.40 EUR' }],
          },
        ],
      },
    ])
    expect(items).toMatchObject([
      { path: 'items[0]', type: 'message', text: 'Over to desk.' },
      { path: 'items[0].context[0].content[0]', ...CALL },
      { path: 'items[0].context[1].content[0]', ...RESULT },
    ])
  })
})

describe('AG-UI messages', () => {
  it('list their calls in camel case', () => {
    const items = readItems([
      {
        id: 'm1',
        role: 'assistant',
        toolCalls: [{ id: 'c1', type: 'function', function: { name: 'price', arguments: '{"sku":7}' } }],
      },
      { id: 'm2', role: 'tool', toolCallId: 'c1', content: '812.40 EUR' },
    ])
    expect(items).toMatchObject([
      { id: 'm1', ...CALL },
      { id: 'm2', ...RESULT },
    ])
  })
})

describe('an A2A task', () => {
  const artifact = { artifactId: 'a1', name: 'offer', parts: [{ kind: 'text', text: '812.40 EUR' }] }

  it('says what its agent said and made', () => {
    const items = readItems([
      {
        kind: 'task',
        id: 't1',
        contextId: 'c1',
        status: {
          state: 'completed',
          message: { messageId: 'm2', role: 'agent', parts: [{ kind: 'text', text: 'Here it is.' }] },
        },
        history: [{ messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'How much?' }] }],
        artifacts: [artifact],
      },
    ])
    expect(items).toMatchObject([
      { type: 'message', role: 'user', text: 'How much?' },
      { path: 'items[0].status.message', type: 'message', role: 'assistant', text: 'Here it is.' },
      { path: 'items[0].artifacts[0]', type: 'message', role: 'assistant', text: '812.40 EUR' },
    ])
  })

  it('is told of in parts, in the first version and in the one without kinds', () => {
    const update = { taskId: 't1', contextId: 'c1', artifact }
    const status = { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } }
    const items = readItems([
      { kind: 'artifact-update', ...update },
      { artifactUpdate: update },
      { statusUpdate: status },
      { kind: 'status-update', ...status },
    ])
    expect(items).toMatchObject([
      { type: 'message', role: 'assistant', text: '812.40 EUR' },
      { type: 'message', role: 'assistant', text: '812.40 EUR' },
      { type: 'task', text: '' },
      { type: 'status-update', text: '' },
    ])
  })
})

describe('Haystack, LlamaIndex and Semantic Kernel messages', () => {
  const kits: Record<string, unknown[]> = {
    Haystack: [
      { role: 'user', content: [{ text: 'How much?' }] },
      {
        role: 'assistant',
        content: [{ tool_call: { id: 'c1', tool_name: 'price', arguments: { sku: 7 } } }],
      },
      {
        role: 'tool',
        content: [
          {
            tool_call_result: {
              result: '812.40 EUR',
              origin: { id: 'c1', tool_name: 'price', arguments: { sku: 7 } },
              error: false,
            },
          },
        ],
      },
    ],
    'Haystack before 2.12': [
      { _role: 'user', _content: [{ text: 'How much?' }], _name: null, _meta: {} },
      {
        _role: 'assistant',
        _content: [{ tool_call: { id: 'c1', tool_name: 'price', arguments: { sku: 7 } } }],
      },
      {
        _role: 'tool',
        _content: [
          {
            tool_call_result: {
              result: '812.40 EUR',
              origin: { id: 'c1', tool_name: 'price', arguments: { sku: 7 } },
              error: false,
            },
          },
        ],
      },
    ],
    LlamaIndex: [
      { role: 'user', blocks: [{ block_type: 'text', text: 'How much?' }], additional_kwargs: {} },
      {
        role: 'assistant',
        blocks: [
          { block_type: 'tool_call', tool_call_id: 'c1', tool_name: 'price', tool_kwargs: { sku: 7 } },
        ],
      },
      {
        role: 'tool',
        blocks: [{ block_type: 'text', text: '812.40 EUR' }],
        additional_kwargs: { tool_call_id: 'c1', name: 'price' },
      },
    ],
    'Semantic Kernel as .NET writes it': [
      { Role: { Label: 'user' }, Items: [{ $type: 'TextContent', Text: 'How much?' }] },
      {
        Role: { Label: 'assistant' },
        Items: [{ $type: 'FunctionCallContent', Id: 'c1', FunctionName: 'price', Arguments: { sku: 7 } }],
      },
      {
        Role: { Label: 'tool' },
        Items: [
          { $type: 'FunctionResultContent', CallId: 'c1', FunctionName: 'price', Result: '812.40 EUR' },
        ],
      },
    ],
    'Semantic Kernel': [
      { role: { Label: 'user' }, items: [{ $type: 'TextContent', text: 'How much?' }] },
      {
        role: { Label: 'assistant' },
        items: [{ $type: 'FunctionCallContent', id: 'c1', functionName: 'price', arguments: { sku: 7 } }],
      },
      {
        role: { Label: 'tool' },
        items: [
          { $type: 'FunctionResultContent', callId: 'c1', functionName: 'price', result: '812.40 EUR' },
        ],
      },
    ],
  }

  it.each(Object.entries(kits))('%s', (_, list) => {
    expect(readItems(list)).toMatchObject([
      { type: 'message', role: 'user', text: 'How much?' },
      CALL,
      RESULT,
    ])
  })
})

describe('requests for a yes among the parts', () => {
  it('name the approval and the call that waits', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'price', arguments: '{"sku":7}' }
    const items = readItems([
      {
        role: 'assistant',
        contents: [{ type: 'function_approval_request', id: 'ap-1', function_call: call }],
      },
      { role: 'user', contents: [{ type: 'function_approval_response', id: 'ap-1', approved: true }] },
    ])
    expect(items).toMatchObject([
      { type: 'approval', call: 'c1', tool: 'price', args: { sku: 7 }, part: { approvalId: 'ap-1' } },
      { type: 'approval', part: { approvalId: 'ap-1', approved: true } },
    ])
  })
})
