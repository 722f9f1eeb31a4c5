import { HumanMessage } from '@langchain/core/messages'
import { Command, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { createSupervisor } from '@langchain/langgraph-supervisor'
import { createHandoffTool, createSwarm } from '@langchain/langgraph-swarm'
import { ChatOpenAI } from '@langchain/openai'
import { describe, expect, test } from 'vitest'
import { start } from '../../instrumentation/index.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { ofKind } from '../instrumentation/captures.ts'
import {
  agentOf,
  chat,
  found,
  KINDS,
  observed,
  type ScriptedChat,
  type Story,
  states,
  storedInputs,
  toolOf,
} from './scripted-graphs.ts'

const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
const hi = { messages: [new HumanMessage('hi')] }
const sentOf = (events: RunEvent[]) =>
  ofKind(events, 'handoff.sent').map(({ mode, from, to }) => `${mode} ${from} ${to}`)

describe('hand-written nodes', () => {
  type State = typeof MessagesAnnotation.State
  /** `names` hand over to one another in order; those without a model only route. */
  const chain = (names: string[], models: Record<string, ScriptedChat>) => {
    let graph = new StateGraph(MessagesAnnotation) as never as {
      addNode(name: string, node: unknown, options: unknown): typeof graph
      addEdge(from: string, to: string): typeof graph
      compile(): {
        invoke(input: unknown, config: unknown): Promise<unknown>
        stream(input: unknown, config: unknown): Promise<AsyncIterable<unknown>>
      }
    }
    for (const [index, name] of names.entries()) {
      const goto = names[index + 1] ?? '__end__'
      const node = async ({ messages }: State) => {
        const model = models[name]
        const answer =
          model === undefined ? [] : [await model.invoke([['system', name], ...messages.slice(-2)] as never)]
        return new Command({ goto, update: { messages: answer } })
      }
      graph = graph.addNode(name, node, { ends: [goto] })
    }
    return graph.addEdge(START, names[0]!).compile()
  }

  test('a command to a node that asks a model is a handoff; one to a node that does not, or to the end, is none', async () => {
    const story = (): Story => {
      const models = { a: chat('from a'), b: chat('from b') }
      const graph = chain(['a', 'b', 'sort'], models)
      return { models, play: (config) => graph.invoke(hi, config) }
    }
    const { events, models } = await observed(story)
    expect(sentOf(events)).toEqual(['transfer a b'])
    for (const name of ['a', 'b']) expect(storedInputs(events, name)).toEqual(models[name]!.asked)
    expect(JSON.stringify(ofKind(events, 'handoff.sent')[0]!.items_before)).toContain('from a')
  })

  test('ten hops are ten records', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `agent${index}`)
    const { events, models } = await observed(() => {
      const models = Object.fromEntries(names.map((name) => [name, chat(`from ${name}`)]))
      const graph = chain(names, models)
      return { models, play: (config) => graph.invoke(hi, config) }
    })
    expect(sentOf(events)).toEqual(names.slice(1).map((name, index) => `transfer ${names[index]} ${name}`))
    for (const name of names) expect(storedInputs(events, name)).toEqual(models[name]!.asked)
  })

  test('streamed', async () => {
    const { events, models } = await observed(() => {
      const models = { a: chat('from a'), b: chat('from b') }
      const graph = chain(['a', 'b'], models)
      return {
        models,
        play: async (config) => {
          for await (const _update of await graph.stream(hi, { ...config, streamMode: 'updates' }));
        },
      }
    })
    expect(sentOf(events)).toEqual(['transfer a b'])
    expect(storedInputs(events, 'b')).toEqual(models.b!.asked)
    expect(events.at(-1)!.kind).toBe('run.end')
  })

  test('a model that fails ends the run; the receipt stands', async () => {
    const { events, result } = await observed(() => {
      const models = { a: chat('from a'), b: chat(new Error('overloaded')) }
      return { models, play: (config) => chain(['a', 'b'], models).invoke(hi, config) }
    })
    expect(result).toBeInstanceOf(Error)
    expect(ofKind(events, 'handoff.received')).toHaveLength(1)
    expect(ofKind(events, 'handoff.accepted')).toEqual([])
    expect(events.at(-1)).toMatchObject({ kind: 'run.failed', error: { message: 'overloaded' } })
  })
})

describe('sub-agents', () => {
  test.each(KINDS)('%s in a tool is a delegation with a return, two of them side by side', async (kind) => {
    const story = (): Story => {
      const models = {
        main: chat(
          [
            ['ask', { eur: 1 }, 'call_t1'],
            ['look', {}, 'call_t2'],
          ],
          'fin',
        ),
        refunds: chat([['charge', { eur: 1 }, 'call_c1']], 'charged one'),
        archive: chat('nothing there'),
      }
      const refunds = agentOf(kind, {
        llm: models.refunds,
        tools: [toolOf('charge', () => 'yes')],
        name: 'refunds',
      })
      const archive = agentOf(kind, { llm: models.archive, tools: [], name: 'archive' })
      const asking =
        (agent: { invoke(input: unknown): Promise<{ messages: { content: string }[] }> }, words: string) =>
        async () =>
          (await agent.invoke({ messages: [new HumanMessage(words)] })).messages.at(-1)!.content
      const tools = [toolOf('ask', asking(refunds, 'charge one')), toolOf('look', asking(archive, 'look'))]
      const main = agentOf(kind, { llm: models.main, tools, name: 'main' }) as {
        invoke(input: unknown, config: unknown): Promise<unknown>
      }
      return { models, play: (config) => main.invoke(hi, config) }
    }
    const { events, models } = await observed(story, { readOnly: ['ask', 'look'] })
    expect(sentOf(events).sort()).toEqual([
      'delegate main archive',
      'delegate main refunds',
      'return archive main',
      'return refunds main',
    ])
    expect(storedInputs(events, 'refunds')).toEqual(models.refunds!.asked)
    expect(storedInputs(events, 'archive')).toEqual(models.archive!.asked)
    // Both reports come with one request.
    expect(storedInputs(events, 'main')).toEqual([
      models.main!.asked[0],
      models.main!.asked[1],
      models.main!.asked[1],
    ])
    expect(
      ofKind(events, 'operation')
        .filter(({ tool }) => tool === 'charge')
        .map(({ agent, state }) => [agent, state]),
    ).toEqual([
      ['refunds', 'sent'],
      ['refunds', 'settled'],
    ])
    expect(found(events).filter((check) => /^(op-|item-|handoff-|side)/.test(check))).toEqual([])
  })

  test('a supervisor of a supervisor', async () => {
    const { events, models } = await observed(() => {
      const models = {
        top: chat([['transfer_to_team', {}, 'call_h1']], 'all done'),
        lead: chat([['transfer_to_refunds', {}, 'call_h2']], 'team done'),
        refunds: chat('refunded'),
      }
      const refunds = agentOf('createReactAgent v2', { llm: models.refunds, tools: [], name: 'refunds' })
      const team = createSupervisor({
        agents: [refunds],
        llm: models.lead,
        prompt: 'L',
        supervisorName: 'lead',
      }).compile({ name: 'team' })
      const graph = createSupervisor({
        agents: [team as never],
        llm: models.top,
        prompt: 'T',
        supervisorName: 'top',
      }).compile()
      return { models, play: (config) => graph.invoke(hi, config) }
    })
    // From outside, the lead is the team that was asked.
    expect(sentOf(events)).toEqual([
      'transfer top team',
      'transfer team refunds',
      'return refunds team',
      'return team top',
    ])
    expect(storedInputs(events, 'team')).toEqual(models.lead!.asked)
    expect(storedInputs(events, 'refunds')).toEqual(models.refunds!.asked)
    expect(storedInputs(events, 'top')).toEqual(models.top!.asked)
  })
})

test('what the callbacks see is what leaves the process', async () => {
  const bodies: {
    messages: { role: string; content: string; tool_call_id?: string; tool_calls?: { id: string }[] }[]
  }[] = []
  const answers = [
    {
      content: '',
      tool_calls: [
        ['charge', 'call_c1'],
        ['transfer_to_bob', 'call_h1'],
      ].map(([name, id]) => ({ id, type: 'function', function: { name, arguments: '{}' } })),
    },
    { content: 'bob here' },
  ]
  const script: object[] = []
  const fetch = async (_url: unknown, init: { body: string }) => {
    bodies.push(JSON.parse(init.body))
    const message = { role: 'assistant', ...script.shift() }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const body = {
      id: `c${bodies.length}`,
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, finish_reason: 'stop', message }],
      usage,
    }
    return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
  }
  const llm = () =>
    new ChatOpenAI({
      apiKey: 'none',
      model: 'm',
      maxRetries: 0,
      configuration: { fetch: fetch as never },
    }) as never
  const { events } = await observed(() => {
    bodies.length = 0
    script.push(...answers)
    const alice = agentOf('createReactAgent v2', {
      llm: llm(),
      tools: [toolOf('charge', () => 'yes'), createHandoffTool({ agentName: 'bob' })],
      name: 'alice',
    })
    const bob = agentOf('createReactAgent v2', { llm: llm(), tools: [], name: 'bob' })
    const graph = createSwarm({ agents: [alice, bob], defaultActiveAgent: 'alice' }).compile()
    return { models: {}, play: (config) => graph.invoke(hi, config) }
  })
  const role: Record<string, string> = {
    SystemMessage: 'system',
    HumanMessage: 'user',
    AIMessage: 'assistant',
    AIMessageChunk: 'assistant',
    ToolMessage: 'tool',
  }
  type Stored = {
    id: string[]
    kwargs: { content: string; tool_call_id?: string; tool_calls?: { id: string }[] }
  }
  const stored = (ofKind(events, 'handoff.received')[0]!.items as Stored[]).map(({ id, kwargs }) => [
    role[id.at(-1)!],
    kwargs.content,
    kwargs.tool_call_id,
    (kwargs.tool_calls ?? []).map((call) => call.id),
  ])
  const left = bodies[1]!.messages.map(({ role, content, tool_call_id, tool_calls }) => [
    role,
    content,
    tool_call_id,
    (tool_calls ?? []).map(({ id }) => id),
  ])
  expect(left).toHaveLength(4)
  expect(stored).toEqual(left)
})

test('an abort leaves a call in doubt, and its late answer settles it', async () => {
  const { events, result } = await observed(() => {
    const models = { alice: chat([['ship', {}, 'call_s1']], 'never') }
    const ship = toolOf('ship', () => later(120).then(() => 'shipped'))
    const alice = agentOf('createReactAgent v2', { llm: models.alice, tools: [ship], name: 'alice' }) as {
      invoke(input: unknown, config: unknown): Promise<unknown>
    }
    return {
      models,
      play: async (config) => {
        const ended = await alice
          .invoke(hi, { ...config, signal: AbortSignal.timeout(40) })
          .catch((error) => error)
        await later(160)
        return ended
      },
    }
  })
  expect(result).toBeInstanceOf(Error)
  expect(states(events, 'ship').slice(0, 2)).toEqual(['sent', 'unknown'])
  expect(ofKind(events, 'run.failed')).toHaveLength(1)
})

test('two runs at once through one handler do not mix, and a run of the program is joined', async () => {
  const { events } = await observed(() => {
    const models: Record<string, ScriptedChat> = {}
    const pause = toolOf('pause', () => later(10))
    const ask = (word: string, config: Record<string, unknown>) => {
      const [first, second] = [
        chat([['pause', {}, `call_p_${word}`]], [['transfer_to_bob', {}, `call_h_${word}`]]),
        chat(`${word} done`),
      ]
      Object.assign(models, { [`alice ${word}`]: first, [`bob ${word}`]: second })
      const alice = agentOf('createReactAgent v2', {
        llm: first,
        tools: [pause, createHandoffTool({ agentName: 'bob' })],
        name: 'alice',
      })
      const bob = agentOf('createReactAgent v2', { llm: second, tools: [], name: 'bob' })
      const graph = createSwarm({ agents: [alice, bob], defaultActiveAgent: 'alice' }).compile()
      return graph.invoke({ messages: [new HumanMessage(`${word} please`)] }, config)
    }
    const play = (config: Record<string, unknown>) =>
      Promise.all([
        ask('scarlet', config),
        ask('azure', config),
        start().run({ id: 'own' }, () => ask('ochre', config)),
      ])
    return { models, play }
  })
  const runs = [...new Set(events.map(({ run }) => run))]
  expect(runs).toHaveLength(3)
  for (const run of runs) {
    const log = events.filter((event) => event.run === run)
    const text = JSON.stringify(log)
    expect(['scarlet', 'azure', 'ochre'].filter((word) => text.includes(word))).toHaveLength(1)
    expect(ofKind(log, 'handoff.received')).toHaveLength(1)
    expect(ofKind(log, 'run.end')).toHaveLength(1)
    expect(text.includes('ochre')).toBe(run === 'own')
  }
})
