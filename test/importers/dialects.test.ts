import { describe, expect, it } from 'vitest'
import { importSpans } from '../../importers/index.ts'
import { isKind } from '../../model/run-log.ts'
import { genAIMessages, idOf, spansOf } from './build-spans.ts'
import { edgesIn, handoffsIn, operationsIn, substance } from './handoffs.ts'

/*
 * Dialects of which no export is recorded here: spans built by the names that their sources document.
 */

const llm = (who: string, words: string) => ({
  'openinference.span.kind': 'LLM',
  'llm.input_messages.0.message.role': 'system',
  'llm.input_messages.0.message.content': `You are ${who}.`,
  'llm.input_messages.1.message.role': 'user',
  'llm.input_messages.1.message.content': words,
  'llm.output_messages.0.message.role': 'assistant',
  'llm.output_messages.0.message.content': `done by ${who}`,
})

const chat = (words: string, more = {}) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.input.messages': genAIMessages(['system', 'Be brief.'], ['user', words]),
  'gen_ai.output.messages': genAIMessages(['assistant', 'done']),
  ...more,
})

const invoke = (name: string) => ({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name })

describe('OpenTelemetry GenAI', () => {
  it('reads the proposal of transfers: control passes', () => {
    const { events } = importSpans(
      spansOf('any', [
        { name: 'invoke_agent triage', id: 'triage', attributes: invoke('triage') },
        { name: 'chat', under: 'triage', attributes: chat('help') },
        {
          name: 'execute_tool route refunds',
          under: 'triage',
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': 'route',
            'gen_ai.tool.call.id': 'c1',
            'gen_ai.transfer.mode': 'pass_control',
            'gen_ai.transfer.target.name': 'refunds',
          },
        },
        { name: 'invoke_agent refunds', id: 'refunds', attributes: invoke('refunds') },
        { name: 'chat 2', under: 'refunds', attributes: chat('help, routed') },
      ]),
    )
    expect(edgesIn(events)).toEqual(['triage → refunds (transfer, explicit)'])
    const [handoff] = handoffsIn(events)
    expect(handoff!.call).toBe('c1')
    expect(substance(handoff!.received[0]!.items)).toEqual(['user: help, routed'])
    expect(operationsIn(events)).toEqual({})
  })

  it('reads the proposal of transfers: control returns, and the nested run is the same handoff', () => {
    const { events } = importSpans(
      spansOf('any', [
        { name: 'invoke_agent boss', id: 'boss', attributes: invoke('boss'), until: 500 },
        { name: 'chat', under: 'boss', attributes: chat('help') },
        {
          name: 'execute_tool ask helper',
          id: 'tool',
          under: 'boss',
          until: 100,
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': 'ask',
            'gen_ai.tool.call.id': 'c1',
            'gen_ai.tool.call.arguments': '{"task":"look"}',
            'gen_ai.tool.call.result': 'found',
            'gen_ai.transfer.mode': 'return_to_caller',
            'gen_ai.transfer.target.name': 'helper',
          },
        },
        { name: 'invoke_agent helper', id: 'helper', under: 'tool', attributes: invoke('helper') },
        { name: 'chat 2', under: 'helper', attributes: chat('look') },
        { name: 'chat 3', under: 'boss', at: 200, attributes: chat('help, and found') },
      ]),
    )
    expect(edgesIn(events)).toEqual([
      'boss → helper (delegate, explicit)',
      'helper → boss (return, explicit)',
    ])
    const [there, back] = handoffsIn(events)
    expect(there!.sent).toMatchObject({ brief: { task: 'look' }, call: 'c1' })
    expect(back!.sent).toMatchObject({ brief: 'found' })
    expect(substance(back!.received[0]!.items)).toEqual(['user: help, and found'])
  })

  it('reads the rival proposal, and the attributes of contrib', () => {
    const rival = importSpans(
      spansOf('any', [
        {
          name: 'execute_tool handoff',
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': 'handoff',
            'gen_ai.agent.handoff.source.name': 'a',
            'gen_ai.agent.handoff.target.name': 'b',
          },
        },
      ]),
    )
    expect(edgesIn(rival.events)).toEqual(['a → b (transfer, explicit)'])
    const contrib = importSpans(
      spansOf('opentelemetry.instrumentation.openai_agents', [
        {
          name: 'agent_handoff a b',
          attributes: {
            'gen_ai.operation.name': 'agent_handoff',
            'gen_ai.handoff.from_agent': 'a',
            'gen_ai.handoff.to_agent': 'b',
          },
        },
        { name: 'handoff to c', attributes: { 'gen_ai.handoff.from_agent': 'b' } },
      ]),
    )
    expect(edgesIn(contrib.events)).toEqual(['a → b (transfer, explicit)', 'b → c (transfer, explicit)'])
  })

  it('takes messages from the event of the inference, and results under either name', () => {
    const { events } = importSpans(
      spansOf('any', [
        { name: 'invoke_agent a', id: 'a', attributes: invoke('a') },
        {
          name: 'chat',
          under: 'a',
          attributes: { 'gen_ai.operation.name': 'chat' },
          events: [
            [
              'gen_ai.client.inference.operation.details',
              {
                'gen_ai.input.messages': genAIMessages(
                  ['user', 'hi'],
                  ['assistant', { type: 'tool_call', id: 'c', name: 'look', arguments: { x: 1 } }],
                  ['tool', { type: 'tool_call_response', id: 'c', response: 'one' }],
                  ['tool', { type: 'tool_call_response', id: 'd', result: 'two' }],
                ),
                'gen_ai.system_instructions': '[{"type":"text","content":"Be brief."}]',
              },
            ],
          ],
        },
      ]),
    )
    const input = events.find((event) => isKind(event, 'model.input'))!
    expect(substance(input.items)).toEqual([
      'user: hi',
      'call look c {"x":1}',
      'result c one',
      'result d two',
    ])
    expect(input.instructions).toBe('Be brief.')
  })

  it('never takes a tool called transfer_to_… for a transfer', () => {
    const { events } = importSpans(
      spansOf('autogen-core', [
        { name: 'invoke_agent a', id: 'a', attributes: { ...invoke('a'), 'gen_ai.system': 'autogen' } },
        {
          name: 'execute_tool transfer_to_b',
          under: 'a',
          attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'transfer_to_b' },
        },
        { name: 'invoke_agent b', attributes: { ...invoke('b'), 'gen_ai.system': 'autogen' } },
      ]),
    )
    expect(edgesIn(events)).toEqual([])
    expect(operationsIn(events)).toEqual({ 'a transfer_to_b -': 'sent, settled' })
  })
})

describe('OpenLLMetry', () => {
  it('reads where a command of LangGraph goes, and takes no edge of the graph for one', () => {
    const { events } = importSpans(
      spansOf('opentelemetry.instrumentation.langchain', [
        {
          name: 'invoke_agent graph',
          id: 'graph',
          until: 900,
          attributes: {
            ...invoke('graph'),
            'gen_ai.workflow.nodes': '["a","b","c"]',
            'gen_ai.workflow.edges': '[["a","c"]]',
          },
        },
        {
          name: 'goto b',
          under: 'graph',
          attributes: {
            'gen_ai.operation.name': 'goto',
            'langgraph.command.source_node': 'a',
            'langgraph.command.goto_node': 'b',
            'langgraph.command.goto_nodes': '["b"]',
          },
        },
      ]),
    )
    expect(edgesIn(events)).toEqual(['a → b (transfer, explicit)'])
    const start = events.find((event) => isKind(event, 'run.start'))!
    expect(start.agents?.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('reads agents of CrewAI and no handoff', () => {
    const { events } = importSpans(
      spansOf('opentelemetry.instrumentation.crewai', [
        { name: 'crewai.workflow', id: 'crew', attributes: invoke('crew'), until: 900 },
        { name: 'Researcher.agent', id: 'r', under: 'crew', attributes: invoke('Researcher') },
        { name: 'Write it.task', under: 'crew', attributes: invoke('Write it') },
        { name: 'Writer.agent', id: 'w', under: 'crew', attributes: invoke('Writer') },
      ]),
    )
    expect(edgesIn(events)).toEqual([])
    const start = events.find((event) => isKind(event, 'run.start'))!
    expect(start.agents?.map(({ name }) => name)).toEqual(['Researcher', 'Writer'])
  })
})

describe('OpenInference', () => {
  it('keeps the order of a CrewAI list as topology and never as a handoff', () => {
    const { events, notes } = importSpans(
      spansOf('openinference.instrumentation.crewai', [
        { name: 'Crew.kickoff', id: 'crew', attributes: { 'openinference.span.kind': 'CHAIN' }, until: 900 },
        {
          name: 'Researcher',
          id: 'r',
          under: 'crew',
          attributes: { 'openinference.span.kind': 'AGENT', 'graph.node.id': 'Researcher' },
        },
        {
          name: 'Writer',
          id: 'w',
          under: 'crew',
          attributes: {
            'openinference.span.kind': 'AGENT',
            'graph.node.id': 'Writer',
            'graph.node.parent_id': 'Researcher',
          },
        },
      ]),
    )
    expect(edgesIn(events)).toEqual([])
    expect(events.filter(({ kind }) => kind === 'topology')).toMatchObject([
      { from: 'Researcher', to: 'Writer', evidence: 'topology' },
    ])
    expect(notes.map(({ text }) => text).join()).toContain('no handoff')
  })

  it('reads turns of AutoGen AgentChat by the source of the last message', () => {
    const turn = (name: string, from: string) => ({
      'openinference.span.kind': 'AGENT',
      'graph.node.id': name,
      'graph.node.parent_id': from,
    })
    const { events } = importSpans(
      spansOf('openinference.instrumentation.autogen_agentchat', [
        { name: 'planner.on_messages_stream', id: 'p', attributes: turn('planner', 'start') },
        { name: 'llm 1', under: 'p', attributes: llm('planner', 'plan') },
        { name: 'writer.on_messages_stream', id: 'w', attributes: turn('writer', 'planner') },
        { name: 'llm 2', under: 'w', attributes: llm('writer', 'the plan') },
        { name: 'planner.on_messages_stream', id: 'p2', attributes: turn('planner', 'writer') },
        { name: 'llm 3', under: 'p2', attributes: llm('planner', 'the text') },
      ]),
    )
    expect(edgesIn(events)).toEqual([
      'planner → writer (transfer, explicit)',
      'writer → planner (transfer, explicit)',
    ])
    expect(handoffsIn(events).map(({ received }) => substance(received[0]!.items))).toEqual([
      ['user: the plan'],
      ['user: the text'],
    ])
  })

  it('reads a chat of AG2: who began it, and each turn by its sender', () => {
    const { events } = importSpans(
      spansOf('openinference.instrumentation.ag2', [
        {
          name: 'user_proxy.initiate_chat',
          id: 'chat',
          until: 900,
          attributes: {
            'openinference.span.kind': 'AGENT',
            'agent.name': 'user_proxy',
            'ag2.recipient.name': 'solver',
            'input.value': '{"message":"two and two","sender":"user_proxy","recipient":"solver"}',
            'output.value': 'four',
          },
        },
        {
          name: 'solver.generate_reply',
          id: 'reply',
          under: 'chat',
          attributes: {
            'openinference.span.kind': 'AGENT',
            'agent.name': 'solver',
            'ag2.sender.name': 'user_proxy',
          },
        },
        { name: 'llm', under: 'reply', attributes: llm('solver', 'two and two') },
      ]),
    )
    expect(edgesIn(events)).toEqual([
      'user_proxy → solver (delegate, explicit)',
      'solver → user_proxy (return, explicit)',
    ])
    const [there] = handoffsIn(events)
    expect(there!.sent).toMatchObject({ brief: 'two and two' })
    expect(substance(there!.received[0]!.items)).toEqual(['user: two and two'])
  })

  it('reads sub-agents of the Claude Agent SDK by the argument, not by the name of the span', () => {
    const { events } = importSpans(
      spansOf('openinference.instrumentation.claude_agent_sdk', [
        {
          name: 'ClaudeAgentSDK.query',
          id: 'query',
          until: 900,
          attributes: { 'openinference.span.kind': 'AGENT', 'agent.name': 'ClaudeAgentSDK.query' },
        },
        {
          name: 'Task',
          id: 'task',
          under: 'query',
          until: 500,
          attributes: {
            'openinference.span.kind': 'TOOL',
            'tool.name': 'Task',
            'tool.id': 'toolu_1',
            'input.value': '{"subagent_type":"reviewer","prompt":"Read it."}',
            'output.value': 'It is fine.',
          },
        },
        {
          name: 'ClaudeAgentSDK.Task',
          id: 'sub',
          under: 'task',
          attributes: { 'openinference.span.kind': 'AGENT', 'agent.name': 'Task' },
        },
        {
          name: 'Read',
          under: 'sub',
          attributes: { 'openinference.span.kind': 'TOOL', 'tool.name': 'Read', 'tool.id': 'toolu_2' },
        },
      ]),
    )
    expect(edgesIn(events)).toEqual([
      'ClaudeAgentSDK.query → reviewer (delegate, tool_argument)',
      'reviewer → ClaudeAgentSDK.query (return, tool_argument)',
    ])
    expect(handoffsIn(events)[0]!.sent).toMatchObject({ call: 'toolu_1', brief: 'Read it.' })
    expect(operationsIn(events)).toEqual({ 'reviewer Read toolu_2': 'sent, settled' })
  })

  it('reads a handoff of Google ADK in its older form and in Python', () => {
    const { events } = importSpans(
      spansOf('openinference.instrumentation.google_adk', [
        {
          name: 'agent_run [root]',
          id: 'root',
          until: 900,
          attributes: { 'openinference.span.kind': 'AGENT', 'agent.name': 'root' },
        },
        {
          name: 'execute_tool transfer_to_agent',
          under: 'root',
          attributes: {
            'openinference.span.kind': 'TOOL',
            'gen_ai.tool.name': 'transfer_to_agent',
            'gcp.vertex.agent.tool_call_args': '{"agent_name":"billing"}',
            'gen_ai.tool.call.id': '<not specified>',
          },
        },
        {
          name: 'agent_run [billing]',
          id: 'b',
          under: 'root',
          attributes: { 'openinference.span.kind': 'AGENT' },
        },
      ]),
    )
    expect(edgesIn(events)).toEqual(['root → billing (transfer, tool_argument)'])
    expect(handoffsIn(events)[0]!.call).toBeUndefined()
    expect(handoffsIn(events)[0]!.received).toHaveLength(1)
  })
})

describe('Microsoft Agent Framework', () => {
  const executor = (id: string) => ({ 'executor.id': id, 'executor.type': 'AgentExecutor' })
  it('follows the links of an executor to the message that brought it to work', () => {
    const { events } = importSpans(
      spansOf('agent_framework', [
        { name: 'workflow.run', id: 'run', until: 900 },
        { name: 'executor.process writer', id: 'e1', under: 'run', attributes: executor('writer-id') },
        { name: 'invoke_agent writer', under: 'e1', attributes: invoke('writer') },
        { name: 'message.send', id: 'sent', under: 'e1', attributes: { 'message.source_id': 'writer-id' } },
        {
          name: 'executor.process critic',
          id: 'e2',
          under: 'run',
          links: ['sent'],
          attributes: executor('critic-id'),
        },
        { name: 'invoke_agent critic', under: 'e2', attributes: invoke('critic') },
        { name: 'executor.process idle', id: 'e3', under: 'run', attributes: executor('idle-id') },
        { name: 'invoke_agent idle', under: 'e3', attributes: invoke('idle') },
      ]),
    )
    expect(edgesIn(events)).toEqual(['writer → critic (transfer, explicit)'])
  })

  it('takes an edge that delivered nothing for none', () => {
    const { events } = importSpans(
      spansOf('agent_framework', [
        { name: 'executor.process writer', id: 'e1', attributes: executor('w') },
        { name: 'invoke_agent writer', under: 'e1', attributes: invoke('writer') },
        {
          name: 'edge_group.process Single',
          id: 'edge',
          attributes: { 'message.source_id': 'w', 'edge_group.delivered': false },
        },
        { name: 'executor.process critic', id: 'e2', links: ['edge'], attributes: executor('c') },
        { name: 'invoke_agent critic', under: 'e2', attributes: invoke('critic') },
      ]),
    )
    expect(edgesIn(events)).toEqual([])
  })
})

describe('LangSmith and Langfuse', () => {
  const node = (name: string) => ({ 'langsmith.metadata.langgraph_node': name })
  it('takes the command of a LangSmith tool run, and a name only where the node runs after it', () => {
    const tool = (name: string, more = {}) => ({
      'langsmith.span.kind': 'tool',
      'gen_ai.operation.name': 'execute_tool',
      ...node('triage'),
      'gen_ai.tool.name': name,
      ...more,
    })
    const { events } = importSpans(
      spansOf('langsmith', [
        { name: 'graph', id: 'g', attributes: { 'langsmith.span.kind': 'chain' }, until: 900 },
        { name: 'transfer_to_ghost', under: 'g', attributes: tool('transfer_to_ghost') },
        {
          name: 'transfer_to_refunds',
          under: 'g',
          attributes: tool('transfer_to_refunds', {
            'gen_ai.completion': '{"output":{"lg_name":"Command","goto":["refunds"]}}',
            'gen_ai.tool.call.id': 'c1',
          }),
        },
        {
          name: 'ChatModel',
          under: 'g',
          attributes: {
            'langsmith.span.kind': 'llm',
            ...node('refunds'),
            'gen_ai.prompt': '{"messages":[[{"role":"user","content":"refund"}]]}',
            'gen_ai.completion': '{"generations":[[{"message":{"role":"assistant","content":"ok"}}]]}',
          },
        },
      ]),
    )
    expect(edgesIn(events)).toEqual(['triage → refunds (transfer, tool_argument)'])
    const [handoff] = handoffsIn(events)
    expect(handoff!.call).toBe('c1')
    expect(substance(handoff!.received[0]!.items)).toEqual(['user: refund'])
    expect(operationsIn(events)).toEqual({ 'triage transfer_to_ghost -': 'sent, settled' })
  })

  it('reads an agent inside of a tool of Langfuse as a delegation', () => {
    const of = (type: string, more = {}) => ({ 'langfuse.observation.type': type, ...more })
    const { events } = importSpans(
      spansOf('langfuse-sdk', [
        { name: 'boss', id: 'boss', attributes: of('agent'), until: 900 },
        {
          name: 'ask_helper',
          id: 'tool',
          under: 'boss',
          attributes: of('tool', { 'langfuse.observation.output': 'yes' }),
          until: 500,
        },
        { name: 'helper', id: 'helper', under: 'tool', attributes: of('agent') },
        {
          name: 'call',
          under: 'helper',
          attributes: of('generation', {
            'langfuse.observation.input': '[{"role":"user","content":"is it?"}]',
            'langfuse.observation.output': '{"role":"assistant","content":"yes"}',
          }),
        },
      ]),
    )
    expect(edgesIn(events)).toEqual(['boss → helper (delegate, nesting)', 'helper → boss (return, nesting)'])
    expect(substance(handoffsIn(events)[0]!.received[0]!.items)).toEqual(['user: is it?'])
  })
})

describe('handspan', () => {
  const side = (name: 'sent' | 'received', more = {}) => ({
    'handspan.schema.version': '1',
    'handspan.run.id': 'run-7',
    'handspan.handoff.id': 'h-1',
    'handspan.side': name,
    'handspan.attempt': 1,
    'handspan.source.name': 'orders',
    'handspan.target.name': 'billing',
    'handspan.handoff.mode': 'transfer',
    [`handspan.${name}.item.count`]: name === 'sent' ? 5 : 3,
    ...more,
  })

  it('joins both sides of a handoff over two traces, on its id', () => {
    const { events } = importSpans([
      ...spansOf('handspan', [{ name: 'handoff billing', attributes: side('sent') }]),
      ...spansOf(
        'handspan',
        [
          {
            name: 'receive_handoff billing',
            at: 30,
            attributes: side('received', { 'handspan.outcome': 'accepted' }),
          },
        ],
        'b'.repeat(32),
      ),
    ])
    expect([...new Set(events.map(({ run }) => run))]).toEqual(['run-7'])
    expect(edgesIn(events)).toEqual(['orders → billing (transfer, explicit)'])
    const [handoff] = handoffsIn(events)
    expect(handoff!.id).toBe('h-1')
    expect(handoff!.sent).toMatchObject({
      payload: { 'handspan.sent.item.count': 5 },
      trace: { id: 'a'.repeat(32), span: idOf('handoff billing') },
    })
    expect(handoff!.received).toMatchObject([{ payload: { 'handspan.received.item.count': 3 } }])
    expect(events.filter(({ kind }) => kind === 'handoff.accepted')).toHaveLength(1)
  })

  it('takes the payload from another instrumentation of the same trace', () => {
    const { events } = importSpans([
      ...spansOf('handspan', [
        { name: 'handoff billing', attributes: side('sent', { 'gen_ai.tool.call.id': 'c1' }), at: 20 },
        { name: 'receive_handoff billing', at: 22, attributes: side('received') },
      ]),
      ...spansOf('any', [
        { name: 'invoke_agent billing', id: 'b', attributes: invoke('billing'), at: 30 },
        { name: 'chat', under: 'b', attributes: chat('bill it'), at: 31 },
      ]),
    ])
    const handoffs = handoffsIn(events)
    expect(handoffs).toHaveLength(1)
    expect(substance(handoffs[0]!.received[0]!.items)).toEqual(['user: bill it'])
  })

  it('tells of a sender whose span never came, since the receiver names it', () => {
    const { events } = importSpans(spansOf('handspan', [{ name: 'receive', attributes: side('received') }]))
    expect(edgesIn(events)).toEqual(['orders → billing (transfer, explicit)'])
  })
})
