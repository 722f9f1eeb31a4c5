import { HumanMessage } from '@langchain/core/messages'
import { Command, interrupt, MemorySaver } from '@langchain/langgraph'
import { createSupervisor } from '@langchain/langgraph-supervisor'
import { createHandoffTool, createSwarm } from '@langchain/langgraph-swarm'
import { createAgent, humanInTheLoopMiddleware } from 'langchain'
import { describe, expect, test } from 'vitest'
import { ofKind } from '../instrumentation/captures.ts'
import {
  agentOf,
  chat,
  found,
  KINDS,
  type Kind,
  observed,
  type Story,
  states,
  storedInputs,
  toolOf,
} from './scripted-graphs.ts'

const charge = () => toolOf('charge', ({ eur }) => `charged ${eur}`)
const mail = () =>
  toolOf('mail', () => {
    throw new Error('SMTP 451')
  })

/** A settled effect beside a transfer, in one answer of the model. */
const beside = (kind: Kind) => (): Story => {
  const models = {
    alice: chat([
      ['charge', { eur: 5 }, 'call_c1'],
      ['transfer_to_bob', {}, 'call_h1'],
    ]),
    bob: chat([['mail', {}, 'call_m1']], 'bob here'),
  }
  const alice = agentOf(kind, {
    llm: models.alice,
    tools: [charge(), createHandoffTool({ agentName: 'bob' })],
    name: 'alice',
  })
  const bob = agentOf(kind, {
    llm: models.bob,
    tools: [mail(), createHandoffTool({ agentName: 'alice' })],
    name: 'bob',
  })
  const graph = createSwarm({ agents: [alice, bob], defaultActiveAgent: 'alice' }).compile({
    checkpointer: new MemorySaver(),
  })
  return {
    models,
    play: (config) =>
      graph.invoke(
        { messages: [new HumanMessage('hi')] },
        { ...config, configurable: { thread_id: `beside ${kind}` } },
      ),
  }
}

describe.each(KINDS)('a swarm of %s', (kind) => {
  test('what the models got is what was kept, byte for byte, and nothing else than without', async () => {
    const { events, models } = await observed(beside(kind))
    for (const name of ['alice', 'bob']) {
      expect(models[name]!.asked.length).toBeGreaterThan(0)
      expect(storedInputs(events, name)).toEqual(models[name]!.asked)
    }
    expect(ofKind(events, 'handoff.received')[0]!.tools).toHaveLength(2)
  })

  test('loses the result of a settled effect beside a transfer, and that is found', async () => {
    const { events } = await observed(beside(kind))
    const [sent] = ofKind(events, 'handoff.sent')
    expect(sent).toMatchObject({ from: 'alice', to: 'bob', call: 'call_h1', mode: 'transfer' })
    expect(JSON.stringify(sent!.items_before)).toContain('charged 5')
    expect(JSON.stringify(ofKind(events, 'handoff.received')[0]!.items)).not.toContain('charged 5')
    expect(found(events)).toEqual(expect.arrayContaining(['op-result-missing', 'item-orphaned']))
    expect(states(events, 'charge')).toEqual(['sent', 'settled'])
    // createAgent lets the error of a tool end the run; the others put it before the model.
    expect(states(events, 'mail')).toEqual(['sent', 'failed'])
  })
})

/** A tool that asks a person, beside an effect and a transfer. */
const asking =
  (kind: Kind, answer: unknown = true) =>
  (): Story => {
    const models = {
      alice: chat(
        [
          ['charge', { eur: 5 }, 'call_c1'],
          ['wire', { eur: 9 }, 'call_c2'],
          ['transfer_to_bob', {}, 'call_h1'],
        ],
        'again',
      ),
      bob: chat('bob here'),
    }
    const wire = toolOf('wire', ({ eur }) =>
      interrupt({ approve: 'wire', eur }) ? `wired ${eur}` : 'denied',
    )
    const tools = [charge(), wire, createHandoffTool({ agentName: 'bob' })]
    const alice = agentOf(kind, { llm: models.alice, tools, name: 'alice' })
    const bob = agentOf(kind, { llm: models.bob, tools: [], name: 'bob' })
    const graph = createSwarm({ agents: [alice, bob], defaultActiveAgent: 'alice' }).compile({
      checkpointer: new MemorySaver(),
    })
    return {
      models,
      play: async (config) => {
        const own = { ...config, configurable: { thread_id: `asking ${kind}` } }
        const first = await graph.invoke({ messages: [new HumanMessage('hi')] }, own)
        return '__interrupt__' in first ? graph.invoke(new Command({ resume: answer }), own) : first
      },
    }
  }

describe('a tool that asks a person beside a transfer', () => {
  test.each(['createReactAgent v2', 'createAgent'] as const)('%s: the question is lost', async (kind) => {
    const { events } = await observed(asking(kind))
    expect(ofKind(events, 'approval').map(({ state, action, scope }) => [state, action, scope])).toEqual([
      ['pending', 'wire', { eur: 9 }],
    ])
    expect(found(events)).toEqual(expect.arrayContaining(['approval-pending-lost', 'op-result-missing']))
    expect(states(events, 'wire')).toEqual(['sent', 'failed'])
  })

  test('createReactAgent v1: the question survives, and the effect beside it is carried out twice', async () => {
    const { events } = await observed(asking('createReactAgent v1'))
    expect(new Set(events.map(({ run }) => run)).size).toBe(1)
    expect(ofKind(events, 'run.end')).toHaveLength(1)
    expect(ofKind(events, 'approval').map(({ state }) => state)).toEqual(['pending', 'approved', 'consumed'])
    const charges = ofKind(events, 'operation').filter(({ tool }) => tool === 'charge')
    expect(charges.map(({ op, call, state, attempt }) => [op, call, state, attempt])).toEqual([
      ['op-1', 'call_c1', 'sent', undefined],
      ['op-1', 'call_c1', 'settled', undefined],
      ['op-1', 'call_c1', 'sent', 2],
      ['op-1', 'call_c1', 'settled', 2],
    ])
    expect(found(events)).toContain('side-effect-repeated')
    expect(found(events)).not.toContain('approval-pending-lost')
    // The transfer was signalled twice and is one.
    expect(ofKind(events, 'handoff.sent').map(({ handoff, attempt }) => [handoff, attempt])).toEqual([
      ['h-1', undefined],
      ['h-1', 2],
    ])
    expect(ofKind(events, 'handoff.received')).toHaveLength(1)
  })

  test('a no is a no', async () => {
    const { events } = await observed(asking('createReactAgent v1', false))
    expect(ofKind(events, 'approval').map(({ state }) => state)).toEqual(['pending', 'rejected'])
  })
})

describe('a middleware that asks before the tools run', () => {
  const story = (decision: string) => (): Story => {
    const models = { alice: chat([['wire', { eur: 9 }, 'call_c1']], 'done') }
    const wire = toolOf('wire', ({ eur }) => `wired ${eur}`)
    const middleware = [humanInTheLoopMiddleware({ interruptOn: { wire: true } })]
    const agent = createAgent({
      model: models.alice,
      tools: [wire],
      name: 'alice',
      middleware,
      checkpointer: new MemorySaver(),
    })
    return {
      models,
      play: async (config) => {
        const own = { ...config, configurable: { thread_id: 'asked' } }
        await agent.invoke({ messages: [new HumanMessage('hi')] }, own)
        return agent.invoke(new Command({ resume: { decisions: [{ type: decision }] } }), own)
      },
    }
  }

  test('is recorded with its call before it leaves, and with the yes', async () => {
    const { events } = await observed(story('approve'))
    expect(new Set(events.map(({ run }) => run)).size).toBe(1)
    expect(ofKind(events, 'approval').map(({ state, action, agent }) => [state, action, agent])).toEqual([
      ['pending', 'wire', 'alice'],
      ['approved', 'wire', 'alice'],
      ['consumed', 'wire', 'alice'],
    ])
    expect(states(events, 'wire')).toEqual(['proposed', 'sent', 'settled'])
    expect(new Set(ofKind(events, 'operation').map(({ op }) => op)).size).toBe(1)
  })

  test('and with the no', async () => {
    const { events } = await observed(story('reject'))
    expect(ofKind(events, 'approval').map(({ state }) => state)).toEqual(['pending', 'rejected'])
    expect(states(events, 'wire')).toEqual(['proposed'])
  })
})

describe('a supervisor', () => {
  const story = (kind: 'createReactAgent v1' | 'createReactAgent v2') => (): Story => {
    const models = {
      supervisor: chat(
        [
          ['charge', { eur: 5 }, 'call_c1'],
          ['mail', {}, 'call_c2'],
          ['transfer_to_refunds', {}, 'call_h1'],
        ],
        'all done',
      ),
      refunds: chat([['charge', { eur: -5 }, 'call_w1']], 'refunded'),
    }
    const refunds = agentOf(kind, { llm: models.refunds, tools: [charge()], name: 'refunds' })
    const graph = createSupervisor({
      agents: [refunds],
      llm: models.supervisor,
      tools: [charge(), mail()],
      prompt: 'S',
    }).compile()
    return {
      models,
      play: (config) => graph.invoke({ messages: [new HumanMessage('refund order 9')] }, config),
    }
  }

  test.each(['createReactAgent v1', 'createReactAgent v2'] as const)(
    '%s: there and, without a signal, back',
    async (kind) => {
      const { events, models } = await observed(story(kind))
      expect(ofKind(events, 'handoff.sent').map(({ mode, from, to }) => `${mode} ${from} ${to}`)).toEqual([
        'transfer supervisor refunds',
        'return refunds supervisor',
      ])
      expect(ofKind(events, 'handoff.sent')[1]!.reason).toContain('inferred')
      for (const name of ['supervisor', 'refunds'])
        expect(storedInputs(events, name)).toEqual(models[name]!.asked)
      expect(found(events)).toEqual(expect.arrayContaining(['op-result-missing', 'item-orphaned']))
    },
  )
})

test('a call that was given up on before a transfer is in doubt at the receiver', async () => {
  const { events } = await observed(() => {
    const models = {
      alice: chat([['ship', {}, 'call_s1']], [['transfer_to_bob', {}, 'call_h1']]),
      bob: chat('bob here'),
    }
    const ship = toolOf('ship', async () => {
      throw new DOMException('no answer within 30 ms', 'TimeoutError')
    })
    const alice = agentOf('createReactAgent v2', {
      llm: models.alice,
      tools: [ship, createHandoffTool({ agentName: 'bob' })],
      name: 'alice',
    })
    const bob = agentOf('createReactAgent v2', { llm: models.bob, tools: [], name: 'bob' })
    const graph = createSwarm({ agents: [alice, bob], defaultActiveAgent: 'alice' }).compile()
    return { models, play: (config) => graph.invoke({ messages: [new HumanMessage('hi')] }, config) }
  })
  expect(states(events, 'ship')).toEqual(['sent', 'unknown'])
  expect(found(events)).toContain('op-in-doubt-key-missing')
})
