import { describe, expect, it } from 'vitest'
import { readItems } from '../../model/items.ts'

/* What the forms of coding agents and of CopilotKit, AG2, Agno and LlamaIndex hold besides what every runtime writes. */

const outline = (...entries: object[]) =>
  readItems(entries).map(({ type, role, text, call, tool, args, author, unread }) => ({
    ...{ type, role, text, call, tool, args, author, unread },
  }))

describe('the events of the SDK of OpenHands', () => {
  const event = (kind: string, fields: object) => ({ kind, id: 'e1', source: 'agent', ...fields })

  it('hold what was thought and said before a call, and the arguments as the model wrote them', () => {
    const action = event('ActionEvent', {
      thought: [{ type: 'text', text: 'The log first.', cache_prompt: false }],
      thinking_blocks: [{ type: 'thinking', thinking: 'It may be a crash.' }],
      action: { kind: 'TerminalAction', command: 'tail server.log', is_input: false },
      tool_call: { id: 'c1', name: 'terminal', arguments: '{"command":"tail server.log"}' },
      ...{ tool_name: 'terminal', tool_call_id: 'c1' },
    })
    expect(outline(action)).toMatchObject([
      { type: 'reasoning', text: 'It may be a crash.' },
      { type: 'message', role: 'assistant', text: 'The log first.' },
      { type: 'tool_call', call: 'c1', tool: 'terminal', args: { command: 'tail server.log' } },
    ])
    const { tool_call: _, ...bare } = action as Record<string, unknown>
    expect(outline(bare)[2]?.args).toEqual({ command: 'tail server.log', is_input: false })
  })

  it('hold answers of every kind', () => {
    const of = { tool_name: 'terminal', tool_call_id: 'c1' }
    const told = [
      event('ObservationEvent', {
        observation: {
          kind: 'TerminalObservation',
          content: [{ type: 'text', text: 'panic' }],
          is_error: false,
        },
        extended_content: [{ type: 'text', text: 'Rule: never restart.' }],
        ...of,
      }),
      event('ObservationEvent', { observation: { kind: 'Files', exit_code: 0, path: 'a.ts' }, ...of }),
      event('AgentErrorEvent', { error: 'no such tool', ...of }),
      event('UserRejectObservation', { rejection_reason: 'not on Fridays', ...of }),
    ]
    expect(outline(...told).map(({ text }) => text)).toEqual([
      'panic\nRule: never restart.',
      '{"exit_code":0,"path":"a.ts"}',
      'no such tool',
      'Action rejected: not on Fridays',
    ])
    for (const item of outline(...told))
      expect(item).toMatchObject({ type: 'tool_result', ...{ call: 'c1' } })
  })

  it('hold words, images, the system prompt and a summary', () => {
    const read = outline(
      event('SystemPromptEvent', {
        system_prompt: { type: 'text', text: 'You are terse.' },
        dynamic_context: { type: 'text', text: 'Host: box' },
        tools: [{ name: 'terminal' }],
      }),
      event('MessageEvent', {
        source: 'user',
        llm_message: {
          role: 'user',
          content: [
            { type: 'text', text: 'Look at this.' },
            { type: 'image', image_urls: ['https://x.example/a.png'] },
          ],
        },
      }),
      event('CondensationSummaryEvent', { summary: 'They look for a crash.' }),
    )
    expect(read).toMatchObject([
      { type: 'message', role: 'system', text: 'You are terse.\nHost: box' },
      { type: 'message', role: 'user', text: 'Look at this.' },
      { type: 'file', text: 'https://x.example/a.png' },
      { type: 'summary', text: 'They look for a crash.' },
    ])
  })

  it('say nothing where the kit keeps them for itself, and are not read where nobody knows their kind', () => {
    expect(outline(event('ConversationStateUpdateEvent', { key: 'state', value: 'running' }))).toMatchObject([
      { type: 'ConversationStateUpdateEvent', text: '', unread: undefined },
    ])
    expect(outline(event('AskUserEvent', { question: { text: 'Which branch?' } }))).toMatchObject([
      { text: 'agent\nWhich branch?', unread: true },
    ])
  })
})

describe('the events of OpenHands before', () => {
  it('tie an answer to what caused it where the model made no call', () => {
    const read = outline(
      { id: 4, source: 'user', action: 'run', args: { command: 'ls', thought: '' } },
      { id: 5, source: 'environment', observation: 'run', content: 'a.ts', cause: 4, extras: {} },
    )
    expect(read).toMatchObject([
      { type: 'tool_call', call: 'step 4', tool: 'run', args: { command: 'ls' } },
      { type: 'tool_result', call: 'step 4', text: 'a.ts' },
    ])
  })

  it('hold thoughts, last words, images and what was recalled', () => {
    const known = { function_name: 'execute_bash', tool_call_id: 'c1' }
    const read = outline(
      {
        id: 1,
        source: 'user',
        action: 'message',
        args: { content: 'See.', image_urls: ['https://x.example/a.png'] },
      },
      { id: 2, source: 'agent', action: 'recall', args: { query: 'See.' } },
      {
        id: 3,
        source: 'environment',
        observation: 'recall',
        content: 'Added',
        extras: { repo_instructions: 'Use pnpm.' },
      },
      {
        id: 4,
        source: 'agent',
        action: 'run',
        args: { command: 'ls', thought: 'First look.' },
        tool_call_metadata: known,
      },
      {
        id: 5,
        source: 'environment',
        observation: 'agent_state_changed',
        content: '',
        extras: { agent_state: 'x' },
      },
      { id: 6, source: 'agent', action: 'finish', args: { thought: 'Done.', final_thought: 'All green.' } },
    )
    expect(read).toMatchObject([
      { type: 'message', role: 'user', text: 'See.' },
      { type: 'file', text: 'https://x.example/a.png' },
      { type: 'recall', text: '' },
      { type: 'note', text: expect.stringContaining('Use pnpm.') },
      { type: 'message', role: 'assistant', text: 'First look.' },
      { type: 'tool_call', call: 'c1', tool: 'execute_bash', args: { command: 'ls' } },
      { type: 'agent_state_changed', text: '' },
      { type: 'message', role: 'assistant', text: 'Done.\nAll green.' },
    ])
  })
})

describe('the sessions of opencode', () => {
  const tool = (state: object) => ({
    info: { id: 'm2', role: 'assistant', agent: 'build' },
    parts: [
      { id: 'p1', type: 'tool', callID: 'c9', tool: 'bash', state: { input: { command: 'ls' }, ...state } },
    ],
  })
  const asked = { type: 'tool_call', call: 'c9', tool: 'bash', args: { command: 'ls' }, author: 'build' }

  it.each([
    ['completed', { status: 'completed', output: 'a.ts', time: { start: 1, end: 2 } }, 'a.ts'],
    [
      'thrown away',
      { status: 'completed', output: 'a.ts', time: { start: 1, compacted: 3 } },
      '[Old tool result content cleared]',
    ],
    ['failed', { status: 'error', error: 'denied' }, 'denied'],
    ['cut off', { status: 'error', error: 'aborted', metadata: { interrupted: true, output: 'a.' } }, 'a.'],
  ])('tell what became of a call that was %s', (_, state, text) => {
    expect(outline(tool(state))).toMatchObject([asked, { type: 'tool_result', call: 'c9', text }])
  })

  it('have no answer to a call that runs', () => {
    expect(outline(tool({ status: 'running' }))).toMatchObject([asked])
  })

  it('leave out what no model gets, and tell a summary from words', () => {
    const parts = [
      { type: 'text', text: 'What next?', id: 'p1', sessionID: 's', messageID: 'm1' },
      { type: 'text', text: 'for the screen only', ignored: true },
      { type: 'snapshot', snapshot: 'abc' },
      { type: 'step-finish', reason: 'stop', cost: 0.1 },
    ]
    expect(outline({ info: { id: 'm1', role: 'user' }, parts })).toMatchObject([
      { type: 'message', role: 'user', text: 'What next?' },
    ])
    const summary = { id: 'm3', role: 'assistant', summary: true }
    expect(outline({ info: summary, parts: [{ type: 'text', text: 'So far so good.' }] })).toMatchObject([
      { type: 'summary', text: 'So far so good.' },
    ])
  })
})

describe('the lines of a Codex rollout', () => {
  it('are the items that the model gets; the others are kept, and say nothing', () => {
    const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] }
    const read = outline(
      { type: 'session_meta', payload: { id: 's1', cwd: '/repo' } },
      { type: 'response_item', payload: message },
      { type: 'event_msg', payload: { type: 'user_message', message: 'Fix it.' } },
      {
        type: 'response_item',
        payload: {
          type: 'local_shell_call',
          call_id: 'c1',
          status: 'completed',
          action: { type: 'exec', command: ['ls'] },
        },
      },
      { type: 'compacted', payload: { message: 'They want it fixed.' } },
      { type: 'compacted', payload: { message: '', replacement_history: [message] } },
    )
    expect(read).toMatchObject([
      { type: 'session_meta', text: '' },
      { type: 'message', role: 'user', text: 'Fix it.' },
      { type: 'event_msg', text: '' },
      { type: 'tool_call', call: 'c1', tool: 'local_shell' },
      { type: 'summary', text: 'They want it fixed.' },
      { type: 'message', role: 'user', text: 'Fix it.' },
    ])
    expect(read.some(({ unread }) => unread)).toBe(false)
  })
})

describe('CopilotKit', () => {
  const read = [
    { type: 'message', role: 'user', text: 'How much?' },
    { type: 'tool_call', call: 'c1', tool: 'price', args: { sku: 7 } },
    { type: 'tool_result', call: 'c1', tool: 'price', text: '812.40 EUR' },
    { text: '' },
  ]
  const answer = { actionExecutionId: 'c1', actionName: 'price', result: '812.40 EUR' }
  const state = { agentName: 'sales', state: '{"step":2}', running: true }

  it('is read as it goes over the wire', () => {
    expect(
      outline(
        { id: 'g1', createdAt: '2026-01-01', textMessage: { content: 'How much?', role: 'user' } },
        {
          id: 'c1',
          createdAt: '2026-01-01',
          actionExecutionMessage: { name: 'price', arguments: '{"sku":7}' },
        },
        { id: 'g3', createdAt: '2026-01-01', resultMessage: answer },
        { id: 'g4', createdAt: '2026-01-01', agentStateMessage: state },
      ),
    ).toMatchObject(read)
  })

  it('is read as it comes back in pieces', () => {
    expect(
      outline(
        { __typename: 'TextMessageOutput', id: 'g1', content: ['How ', 'much?'], role: 'user' },
        { __typename: 'ActionExecutionMessageOutput', id: 'c1', name: 'price', arguments: ['{"sku"', ':7}'] },
        { __typename: 'ResultMessageOutput', id: 'g3', ...answer },
        { __typename: 'AgentStateMessageOutput', id: 'g4', ...state },
      ),
    ).toMatchObject(read)
  })
})

describe('several answers in one message', () => {
  it('are answers of their own in AG2, also beside what a person says', () => {
    const answers = [
      { tool_call_id: 'c1', role: 'tool', content: '812.40 EUR' },
      { role: 'function', name: 'stock', content: 'USER INTERRUPTED' },
    ]
    expect(outline({ role: 'user', content: 'Stop that.', tool_responses: answers })).toMatchObject([
      { type: 'tool_result', call: 'c1', text: '812.40 EUR' },
      { type: 'tool_result', call: undefined, tool: 'stock', text: 'USER INTERRUPTED' },
      { type: 'message', role: 'user', text: 'Stop that.' },
    ])
  })

  it('stand in the field for calls in Agno', () => {
    const answers = [
      { tool_call_id: 'c1', tool_name: 'price', content: '812.40 EUR' },
      { tool_call_id: 'c2', tool_name: 'stock', content: '3' },
    ]
    expect(outline({ role: 'tool', content: ['812.40 EUR', '3'], tool_calls: answers })).toMatchObject([
      { type: 'tool_result', call: 'c1', tool: 'price', text: '812.40 EUR' },
      { type: 'tool_result', call: 'c2', tool: 'stock', text: '3' },
    ])
  })
})

describe('files beside the content', () => {
  it.each([
    ['Agno', { images: [{ id: 'i1', url: 'https://x.example/list.png' }] }, 'https://x.example/list.png'],
    ['Agno, from a disk', { audio: [{ id: 'a1', filepath: '/tmp/call.wav' }] }, '/tmp/call.wav'],
    ['Ollama', { images: ['iVBORw0KGgo'] }, ''],
  ])('are files of the message (%s)', (_, files, text) => {
    expect(outline({ role: 'user', content: 'Check the list.', ...files })).toMatchObject([
      { type: 'message', text: 'Check the list.' },
      { type: 'file', role: 'user', text },
    ])
  })
})
