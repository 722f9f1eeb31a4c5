import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Item, readItems, textOfContent } from '../../model/items.ts'

/** An item by the fields that its form decides; those that are undefined are left out. */
function shown(item: Item): Record<string, unknown> {
  const { path, id, type, role, author, text, call, tool, args, op } = item
  return JSON.parse(JSON.stringify({ path, id, type, role, author, text, call, tool, args, op }))
}

const read = (list: unknown) => readItems(list).map(shown)
const only = (item: unknown) => read([item]).map(({ path, ...rest }) => rest)

describe('plain items', () => {
  it('are read as they are written', () => {
    const list = [
      { id: 'u1', type: 'message', role: 'user', content: 'Forty, please.' },
      { id: 'i1', type: 'tool_call', call: 'c1', tool: 'reserve', args: { n: 40 }, op: 'op-1' },
      { id: 'i2', type: 'tool_result', call: 'c1', content: 'ok', op: 'op-1' },
      { id: 'r1', type: 'reasoning', content: 'think', needs: 'i1' },
      { id: 's1', type: 'summary', role: 'assistant', content: 'said', covers: ['u1', 5, 'i1'] },
      { id: 'f1', type: 'file', role: 'user', name: 'a.jpg', sha: 'ab' },
      { id: 'k', type: 'constraint', constraint: 'k1', content: 'read only' },
      { id: 'x', type: 'my_own', content: 'kept', author: 'zoe' },
    ]
    expect(read(list)).toEqual([
      { path: 'items[0]', id: 'u1', type: 'message', role: 'user', text: 'Forty, please.' },
      {
        path: 'items[1]',
        id: 'i1',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'c1',
        tool: 'reserve',
        args: { n: 40 },
        op: 'op-1',
      },
      { path: 'items[2]', id: 'i2', type: 'tool_result', role: 'tool', text: 'ok', call: 'c1', op: 'op-1' },
      { path: 'items[3]', id: 'r1', type: 'reasoning', text: 'think' },
      { path: 'items[4]', id: 's1', type: 'summary', role: 'assistant', text: 'said' },
      { path: 'items[5]', id: 'f1', type: 'file', role: 'user', text: 'a.jpg' },
      { path: 'items[6]', id: 'k', type: 'constraint', text: 'read only' },
      { path: 'items[7]', id: 'x', type: 'my_own', author: 'zoe', text: 'kept' },
    ])
    expect(readItems(list)[4]!.covers).toEqual(['u1', 'i1'])
  })

  it('may name who is behind them and whose authority they claim', () => {
    const [a, b, c] = readItems([
      { role: 'user', content: 'yes', origin: { kind: 'framework', verified: false }, claims: 'human' },
      { role: 'user', content: 'yes', origin: 'webhook' },
      { role: 'user', content: 'yes', origin: 7, claims: ['x'] },
    ])
    expect([a!.origin, a!.claims]).toEqual([{ kind: 'framework', verified: false }, 'human'])
    expect(b!.origin).toEqual({ kind: 'webhook', verified: undefined })
    expect([c!.origin, c!.claims]).toEqual([undefined, undefined])
  })

  it('may lack the call; the id of an item is not taken for it', () => {
    expect(only({ id: 'i1', type: 'tool_call', tool: 'look', args: {} })[0]).not.toHaveProperty('call')
    expect(only({ id: 'i2', type: 'tool_result', content: 'x' })[0]).not.toHaveProperty('call')
  })

  it('may be bare strings, which the user said', () => {
    expect(read('hello')).toEqual([{ path: 'items[0]', type: 'message', role: 'user', text: 'hello' }])
    expect(read(['a', 'b']).map(({ text }) => text)).toEqual(['a', 'b'])
  })
})

describe('OpenAI Responses items', () => {
  it('as they stand on the wire', () => {
    expect(
      read([
        { role: 'user', content: 'Can you create a new symphony in D major?' },
        {
          arguments: '{"a":1}',
          call_id: 'call_0',
          name: 'transfer',
          type: 'function_call',
          id: 'fc_6',
          status: 'completed',
        },
        { call_id: 'call_0', output: '{"assistant": "Composer"}', type: 'function_call_output' },
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
        },
        {
          id: 'rs_1',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'plan' }],
          encrypted_content: 'AAAA',
        },
      ]),
    ).toEqual([
      { path: 'items[0]', type: 'message', role: 'user', text: 'Can you create a new symphony in D major?' },
      {
        path: 'items[1]',
        id: 'fc_6',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'call_0',
        tool: 'transfer',
        args: { a: 1 },
      },
      {
        path: 'items[2]',
        type: 'tool_result',
        role: 'tool',
        text: '{"assistant": "Composer"}',
        call: 'call_0',
      },
      { path: 'items[3]', id: 'msg_1', type: 'message', role: 'assistant', text: 'Done.' },
      { path: 'items[4]', id: 'rs_1', type: 'reasoning', text: 'plan' },
    ])
  })

  it('as the Agents SDK spells them', () => {
    expect(
      read([
        {
          type: 'function_call',
          callId: 'c1',
          name: 'charge',
          arguments: '{"eur":5}',
          id: 'fc1',
          status: 'completed',
        },
        {
          type: 'function_call_result',
          name: 'charge',
          callId: 'c1',
          status: 'completed',
          output: { type: 'text', text: 'paid' },
        },
        {
          type: 'function_call_result',
          name: 'x',
          callId: 'c2',
          output: [
            { type: 'input_text', text: 'a' },
            { type: 'input_text', text: 'b' },
          ],
        },
        { type: 'reasoning', id: 'r', content: [{ type: 'input_text', text: 'why' }] },
        { type: 'hosted_tool_call', id: 'h', name: 'web_search', arguments: '{"q":"x"}', output: 'found' },
        { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image: 'data:image/png;base64,AAAA' },
          ],
        },
      ]).map(({ path, ...rest }) => rest),
    ).toEqual([
      {
        id: 'fc1',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'c1',
        tool: 'charge',
        args: { eur: 5 },
      },
      { type: 'tool_result', role: 'tool', text: 'paid', call: 'c1', tool: 'charge' },
      { type: 'tool_result', role: 'tool', text: 'a\nb', call: 'c2', tool: 'x' },
      { id: 'r', type: 'reasoning', text: 'why' },
      { id: 'h', type: 'hosted_tool_call', text: 'found', tool: 'web_search', args: { q: 'x' } },
      { type: 'message', role: 'assistant', text: 'No.' },
      { type: 'message', role: 'user', text: 'see' },
      { type: 'file', role: 'user', text: '' },
    ])
  })

  it('with run items around them, which name the agent', () => {
    expect(
      only({
        type: 'tool_call_item',
        agent: { name: 'Triage' },
        rawItem: { type: 'function_call', callId: 'c', name: 't', arguments: '{}' },
      }),
    ).toEqual([
      { type: 'tool_call', role: 'assistant', author: 'Triage', text: '', call: 'c', tool: 't', args: {} },
    ])
  })

  it("OpenAI's own tools are calls and results too, and an MCP call is both", () => {
    expect(
      read([
        { type: 'computer_call', call_id: 'c1', action: { type: 'click', x: 1 } },
        {
          type: 'computer_call_output',
          call_id: 'c1',
          output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA' },
        },
        { type: 'apply_patch_call', call_id: 'c2', operation: { type: 'delete_file', path: 'a' } },
        {
          type: 'mcp_call',
          id: 'mcp_1',
          name: 'wire',
          server_label: 'bank',
          arguments: '{"eur":70}',
          output: 'sent',
          error: null,
        },
      ]),
    ).toEqual([
      {
        path: 'items[0]',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'c1',
        tool: 'computer',
        args: { type: 'click', x: 1 },
      },
      { path: 'items[1]', type: 'tool_result', role: 'tool', text: '', call: 'c1' },
      {
        path: 'items[2]',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'c2',
        tool: 'apply_patch',
        args: { type: 'delete_file', path: 'a' },
      },
      {
        path: 'items[3]',
        id: 'mcp_1',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'mcp_1',
        tool: 'wire',
        args: { eur: 70 },
      },
      {
        path: 'items[3].output',
        type: 'tool_result',
        role: 'tool',
        text: 'sent',
        call: 'mcp_1',
        tool: 'wire',
      },
    ])
  })
})

describe('chat completions', () => {
  it('with tool calls beside the text, and tool messages that answer them', () => {
    const fn = (id: string, name: string, args: string) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })
    expect(
      read([
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          name: 'ann',
          content: [
            { type: 'text', text: 'book it' },
            { type: 'image_url', image_url: { url: 'https://a.example/x.png' } },
          ],
        },
        {
          role: 'assistant',
          content: 'On it.',
          tool_calls: [fn('c1', 'book', '{"n":1}'), fn('c2', 'mail', 'not json')],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'booked' },
        { role: 'assistant', content: null, tool_calls: [fn('c3', 'book', '{}')] },
        { role: 'assistant', content: null, refusal: 'I cannot.' },
        { role: 'function', name: 'old', content: '7' },
      ]),
    ).toEqual([
      { path: 'items[0]', type: 'message', role: 'developer', text: 'Be brief.' },
      { path: 'items[1]', type: 'message', role: 'user', author: 'ann', text: 'book it' },
      {
        path: 'items[1].content[1]',
        type: 'file',
        role: 'user',
        author: 'ann',
        text: 'https://a.example/x.png',
      },
      { path: 'items[2]', type: 'message', role: 'assistant', text: 'On it.' },
      {
        path: 'items[2].tool_calls[0]',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'c1',
        tool: 'book',
        args: { n: 1 },
      },
      {
        path: 'items[2].tool_calls[1]',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'c2',
        tool: 'mail',
        args: 'not json',
      },
      { path: 'items[3]', type: 'tool_result', role: 'tool', text: 'booked', call: 'c1' },
      {
        path: 'items[4]',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'c3',
        tool: 'book',
        args: {},
      },
      { path: 'items[5]', type: 'message', role: 'assistant', text: 'I cannot.' },
      { path: 'items[6]', type: 'tool_result', role: 'tool', text: '7', tool: 'old' },
    ])
  })
})

describe('LangChain messages', () => {
  const call = { id: 'call_t1', name: 'transfer', args: { to: 'b' }, type: 'tool_call' }
  const expected = [
    { type: 'message', role: 'user', text: 'broken' },
    {
      id: 'm2',
      type: 'tool_call',
      role: 'assistant',
      author: 'coordinator',
      text: '',
      call: 'call_t1',
      tool: 'transfer',
      args: { to: 'b' },
    },
    { type: 'tool_result', role: 'tool', text: 'ok', call: 'call_t1', tool: 'transfer' },
  ]

  it('live', () => {
    expect(
      read([
        { type: 'human', content: 'broken', additional_kwargs: {}, response_metadata: {} },
        {
          type: 'ai',
          id: 'm2',
          name: 'coordinator',
          content: '',
          tool_calls: [call],
          invalid_tool_calls: [],
        },
        { type: 'tool', name: 'transfer', content: 'ok', tool_call_id: 'call_t1', status: 'success' },
      ]).map(({ path, ...rest }) => rest),
    ).toEqual(expected)
  })

  it('serialised as {type, data}', () => {
    expect(
      read([
        { type: 'human', data: { content: 'broken' } },
        { type: 'ai', data: { id: 'm2', name: 'coordinator', content: '', tool_calls: [call] } },
        { type: 'tool', data: { name: 'transfer', content: 'ok', tool_call_id: 'call_t1' } },
      ]).map(({ path, ...rest }) => rest),
    ).toEqual(expected)
  })

  it('serialised as constructors', () => {
    const lc = (name: string, kwargs: object) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', name],
      kwargs,
    })
    expect(
      read([
        lc('HumanMessage', { content: 'broken' }),
        lc('AIMessageChunk', { id: 'm2', name: 'coordinator', content: '', tool_calls: [call] }),
        lc('ToolMessage', { name: 'transfer', content: 'ok', tool_call_id: 'call_t1' }),
      ]).map(({ path, ...rest }) => rest),
    ).toEqual(expected)
  })

  it('count a call once that stands in the content and beside it', () => {
    const content = [
      { type: 'text', text: 'ok' },
      { type: 'tool_use', id: 'call_t1', name: 'transfer', input: { to: 'b' } },
    ]
    expect(only({ type: 'ai', content, tool_calls: [call] }).map(({ type, call: id }) => [type, id])).toEqual(
      [
        ['message', undefined],
        ['tool_call', 'call_t1'],
      ],
    )
  })

  it('read the calls that older versions keep in additional_kwargs', () => {
    const kwargs = { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] }
    expect(only({ type: 'ai', content: '', additional_kwargs: kwargs })).toEqual([
      { type: 'tool_call', role: 'assistant', text: '', call: 'c', tool: 'f', args: {} },
    ])
  })
})

describe('Anthropic blocks', () => {
  it('are a message, its thoughts, its calls and the results in the next turn', () => {
    expect(
      read([
        {
          role: 'user',
          content: [
            { type: 'text', text: 'go' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'text', text: 'Looking.' },
            { type: 'tool_use', id: 'toolu_1', name: 'look', input: { q: 1 } },
            { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srv_1',
              content: [{ type: 'web_search_result', url: 'https://a.example', title: 'T' }],
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'text', text: 'found' }],
              is_error: false,
            },
          ],
        },
        {
          role: 'assistant',
          id: 'msg_2',
          content: [{ type: 'tool_use', id: 'toolu_2', name: 'look', input: {} }],
        },
      ]),
    ).toEqual([
      { path: 'items[0]', type: 'message', role: 'user', text: 'go' },
      { path: 'items[0].content[1]', type: 'file', role: 'user', text: '' },
      { path: 'items[1]', type: 'message', role: 'assistant', text: 'Looking.' },
      { path: 'items[1].content[0]', type: 'reasoning', role: 'assistant', text: 'hm' },
      {
        path: 'items[1].content[2]',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'toolu_1',
        tool: 'look',
        args: { q: 1 },
      },
      {
        path: 'items[1].content[3]',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'srv_1',
        tool: 'web_search',
        args: { query: 'x' },
      },
      {
        path: 'items[1].content[4]',
        type: 'tool_result',
        role: 'tool',
        text: '{"type":"web_search_result","url":"https://a.example","title":"T"}',
        call: 'srv_1',
      },
      { path: 'items[2]', type: 'tool_result', role: 'tool', text: 'found', call: 'toolu_1' },
      {
        path: 'items[3]',
        id: 'msg_2',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'toolu_2',
        tool: 'look',
        args: {},
      },
    ])
  })

  it('show the text of a document that is text', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'the lease' }
    expect(only({ role: 'user', content: [{ type: 'document', source, title: 'Lease' }] })[1]).toMatchObject({
      text: 'the lease',
    })
  })
})

describe('Gemini contents', () => {
  it('hold calls and results as parts, with or without ids', () => {
    expect(
      read([
        { role: 'user', parts: [{ text: 'For context:' }, { text: '[coordinator] called a tool' }] },
        {
          role: 'model',
          parts: [{ functionCall: { id: 'call_l1', name: 'lookup_order', args: { order_id: 'A-1009' } } }],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'call_l1', name: 'lookup_order', response: { total: 59.9 } } }],
        },
        {
          role: 'model',
          parts: [
            { text: 'let me see', thought: true },
            { text: 'Refunded.' },
            { function_call: { name: 'mail', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
            { fileData: { fileUri: 'gs://b/f' } },
          ],
        },
      ]),
    ).toEqual([
      { path: 'items[0]', type: 'message', role: 'user', text: 'For context:\n[coordinator] called a tool' },
      {
        path: 'items[1]',
        type: 'tool_call',
        role: 'assistant',
        text: '',
        call: 'call_l1',
        tool: 'lookup_order',
        args: { order_id: 'A-1009' },
      },
      {
        path: 'items[2]',
        type: 'tool_result',
        role: 'tool',
        text: '{"total":59.9}',
        call: 'call_l1',
        tool: 'lookup_order',
      },
      { path: 'items[3]', type: 'message', role: 'assistant', text: 'Refunded.' },
      { path: 'items[3].parts[0]', type: 'reasoning', role: 'assistant', text: 'let me see' },
      { path: 'items[3].parts[2]', type: 'tool_call', role: 'assistant', text: '', tool: 'mail', args: {} },
      { path: 'items[4]', type: 'message', role: 'user', text: '' },
      { path: 'items[4].parts[0]', type: 'file', role: 'user', text: '' },
      { path: 'items[4].parts[1]', type: 'file', role: 'user', text: 'gs://b/f' },
    ])
  })

  it('in session events carry the author', () => {
    expect(
      only({ id: 'e1', author: 'refunds', content: { role: 'model', parts: [{ text: 'hi' }] } }),
    ).toEqual([{ id: 'e1', type: 'message', role: 'assistant', author: 'refunds', text: 'hi' }])
  })
})

describe('AI SDK messages', () => {
  const result = (output: unknown) =>
    only({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output }] })[0]

  it('hold calls and results as parts', () => {
    expect(
      read([
        { role: 'system', content: 'Refund orders.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Refund it.' },
            { type: 'file', mediaType: 'application/pdf', filename: 'bill.pdf', data: 'AAAA' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm' },
            { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { id: 1 } },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'd', toolName: 'look', args: { id: 2 } }],
        },
      ]).map(({ path, ...rest }) => rest),
    ).toEqual([
      { type: 'message', role: 'system', text: 'Refund orders.' },
      { type: 'message', role: 'user', text: 'Refund it.' },
      { type: 'file', role: 'user', text: 'bill.pdf' },
      { type: 'reasoning', role: 'assistant', text: 'hm' },
      { type: 'tool_call', role: 'assistant', text: '', call: 'c', tool: 'look', args: { id: 1 } },
      { type: 'tool_call', role: 'assistant', text: '', call: 'd', tool: 'look', args: { id: 2 } },
    ])
  })

  it.each([
    [{ type: 'text', value: 'Refund issued.' }, 'Refund issued.'],
    [{ type: 'json', value: { order_id: 'A-1009', text: 'x' } }, '{"order_id":"A-1009","text":"x"}'],
    [{ type: 'json', value: 'plain' }, 'plain'],
    [{ type: 'json', value: null }, 'null'],
    [{ type: 'error-text', value: 'SMTP 451' }, 'SMTP 451'],
    [{ type: 'error-json', value: { code: 4 } }, '{"code":4}'],
    [{ type: 'execution-denied', reason: 'no' }, 'no'],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'media', data: 'AAAA', mediaType: 'image/png' },
        ],
      },
      'a',
    ],
  ])('tool output %j reads %j', (output, text) => {
    expect(result(output)).toEqual({ type: 'tool_result', role: 'tool', text, call: 'c', tool: 'look' })
  })

  it('before version 5 give the result bare', () => {
    expect(
      only({
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 'look', result: { text: 'a', key: 'k9' } },
        ],
      }),
    ).toEqual([
      { type: 'tool_result', role: 'tool', text: '{"text":"a","key":"k9"}', call: 'c', tool: 'look' },
    ])
  })

  it('in the user interface form hold call and answer in one part', () => {
    const part = { toolCallId: 'c', state: 'output-available', input: { q: 1 }, output: { n: 2 } }
    const expected = [
      { id: 'm', type: 'message', role: 'assistant', text: 'so' },
      { type: 'tool_call', role: 'assistant', text: '', call: 'c', tool: 'look', args: { q: 1 } },
      { type: 'tool_result', role: 'tool', text: '{"n":2}', call: 'c', tool: 'look' },
    ]
    const message = (tool: object) =>
      only({ id: 'm', role: 'assistant', parts: [{ type: 'text', text: 'so' }, tool] })
    expect(message({ type: 'tool-look', ...part })).toEqual(expected)
    expect(message({ type: 'dynamic-tool', toolName: 'look', ...part })).toEqual(expected)
    const old = { state: 'result', toolCallId: 'c', toolName: 'look', args: { q: 1 }, result: { n: 2 } }
    expect(message({ type: 'tool-invocation', toolInvocation: old })).toEqual(expected)
    expect(message({ type: 'tool-look', toolCallId: 'c', state: 'input-available', input: {} })).toHaveLength(
      2,
    )
  })

  it('ask for a yes in a part', () => {
    expect(
      only({
        role: 'assistant',
        content: [{ type: 'tool-approval-request', approvalId: 'ap', toolCallId: 'c' }],
      }),
    ).toEqual([{ type: 'approval', role: 'assistant', text: '', call: 'c' }])
  })
})

describe('other runtimes', () => {
  it('Bedrock and Strands name blocks by their field or type', () => {
    expect(
      read([
        { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'look', input: { a: 1 } } }] },
        {
          role: 'user',
          content: [
            {
              type: 'toolResultBlock',
              toolUseId: 't',
              status: 'success',
              content: [{ type: 'textBlock', text: 'ok' }],
            },
          ],
        },
      ]).map(({ path, ...rest }) => rest),
    ).toEqual([
      { type: 'tool_call', role: 'assistant', text: '', call: 't', tool: 'look', args: { a: 1 } },
      { type: 'tool_result', role: 'tool', text: 'ok', call: 't' },
    ])
  })

  it('A2A parts', () => {
    expect(
      only({
        messageId: 'm',
        role: 'ROLE_AGENT',
        parts: [{ content: { $case: 'text', value: 'hi' } }, { kind: 'data', data: { n: 1 } }],
      }),
    ).toEqual([{ id: 'm', type: 'message', role: 'assistant', text: 'hi\n{"kind":"data","data":{"n":1}}' }])
  })

  it('transcript lines with the message inside', () => {
    expect(
      only({
        type: 'assistant',
        uuid: 'u',
        message: { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
      }),
    ).toEqual([{ id: 'u', type: 'message', role: 'assistant', text: 'x' }])
  })
})

describe('a mixed list', () => {
  it('is read item by item, and positions are those of the verbatim list', () => {
    const list = [
      'hi',
      { type: 'ai', content: 'a', tool_calls: [{ id: 'c', name: 't', args: {} }] },
      null,
      7,
      [1, 'x'],
      { parts: [{ text: 'z' }], role: 'model' },
    ]
    const items = readItems(list)
    expect(items.map(({ path, position, type, text }) => [path, position, type, text])).toEqual([
      ['items[0]', 0, 'message', 'hi'],
      ['items[1]', 1, 'message', 'a'],
      ['items[1].tool_calls[0]', 1, 'tool_call', ''],
      ['items[2]', 2, 'unknown', ''],
      ['items[3]', 3, 'unknown', '7'],
      ['items[4]', 4, 'unknown', '1\nx'],
      ['items[5]', 5, 'message', 'z'],
    ])
    for (const item of items) expect(item.raw).toBe(list[item.position])
  })
})

describe('data', () => {
  it('is never shortened to one of its fields', () => {
    expect(textOfContent({ text: 'short', order: 'A-7' })).toBe('{"text":"short","order":"A-7"}')
    expect(textOfContent({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } })).toBe('a')
    expect(textOfContent([{ type: 'text', text: 'a' }, 'b', { n: 1 }, null, ''])).toBe('a\nb\n{"n":1}')
  })
})

describe('whatever comes', () => {
  const word = fc.constantFrom(
    ...[
      'type',
      'role',
      'content',
      'parts',
      'tool_calls',
      'id',
      'kwargs',
      'data',
      'function',
      'functionCall',
      'output',
    ],
    ...[
      'rawItem',
      'message',
      'toolInvocation',
      'source',
      'text',
      'value',
      'covers',
      'origin',
      'args',
      '__proto__',
      'constructor',
    ],
    ...['kind', 'action', 'observation', 'llm_message', 'payload', 'info', 'state', 'tool_name', 'thought'],
    ...['tool_responses', 'images', 'files', 'textMessage', '__typename', 'not_read', 'tool_call_metadata'],
  )
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(
        'tool_call',
        'tool_result',
        'ai',
        'user',
        'image',
        'json',
        'tool-x',
        'constructor',
        '__proto__',
        '',
        'x',
        ...[
          'response_item',
          'compacted',
          'tool',
          'message',
          'MessageEvent',
          'ActionEvent',
          'ObservationEvent',
        ],
        ...['AgentStateMessage', 'AgentStateMessageOutput', 'ActionExecutionMessage', 'ResultMessage'],
      ),
      fc.constantFrom(null, 0, -1, true),
      fc.array(tie('node'), { maxLength: 4 }),
      fc
        .array(fc.tuple(word, tie('node')), { maxLength: 5 })
        .map((pairs) =>
          JSON.parse(
            `{${pairs.map(([key, inner]) => `${JSON.stringify(key)}:${JSON.stringify(inner)}`).join(',')}}`,
          ),
        ),
    ),
  })).node

  it('no JSON throws; paths are unique and every text is text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(value), value, fc.array(fc.jsonValue())), (list) => {
        const items = readItems(list)
        expect(new Set(items.map(({ path }) => path)).size).toBe(items.length)
        for (const item of items) {
          expect(typeof item.text).toBe('string')
          expect(typeof item.type).toBe('string')
          for (const field of ['id', 'role', 'author', 'call', 'tool', 'op', 'claims'] as const) {
            expect(['string', 'undefined']).toContain(typeof item[field])
          }
        }
        if (Array.isArray(list)) expect(new Set(items.map(({ position }) => position)).size).toBe(list.length)
      }),
      { numRuns: 2000 },
    )
  })

  it('10,000 levels do not end it, wherever they stand', () => {
    const list = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)
    const object = JSON.parse(`${'{"content":'.repeat(10_000)}"deep"${'}'.repeat(10_000)}`)
    for (const deep of [list, object]) {
      const items = readItems([
        deep,
        { role: 'user', content: deep },
        { type: 'tool_result', call: 'c', output: deep },
        { type: 'tool_call', call: 'c', tool: 't', args: deep },
        { type: 'odd', content: deep },
        { role: 'model', parts: [deep, { functionResponse: { response: deep } }] },
      ])
      expect(items.length).toBeGreaterThanOrEqual(6)
    }
  })

  it('50,000 items and a message of 50,000 parts are read whole', () => {
    expect(
      readItems(Array.from({ length: 50_000 }, (_, n) => ({ role: 'user', content: `m${n}` }))),
    ).toHaveLength(50_000)
    const parts = Array.from({ length: 50_000 }, (_, n) => ({
      type: 'tool-call',
      toolCallId: `c${n}`,
      toolName: 't',
      input: {},
    }))
    expect(readItems([{ role: 'assistant', content: parts }])).toHaveLength(50_000)
  })
})
