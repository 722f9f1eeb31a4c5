import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, test } from 'vitest'
import { instrumentClient as instrumentA2A } from '../../instrumentation/adapters/a2a.ts'
import { instrumentClient } from '../../instrumentation/adapters/mcp.ts'
import { instrumentRunner } from '../../instrumentation/adapters/openai-agents.ts'
import { ofKind } from '../instrumentation/captures.ts'
import { Billing, request, serving } from './a2a-agents.ts'
import { SEVEN, say as saidBySDK, model as sdkModel, observed as underSDK } from './ai-sdk-models.ts'
import { bank, text } from './mcp-servers.ts'
import {
  Agent,
  byRun,
  call,
  found,
  observed,
  Runner,
  type Story,
  say,
  script,
  states,
  toolOf,
} from './scripted-agents.ts'

/** An agent of @openai/agents with one tool, called once. */
function oneTool(
  name: string,
  args: Record<string, unknown>,
  execute: (args: Record<string, unknown>) => unknown,
) {
  return (): Story => {
    const models = { Desk: script([call(name, args, 'call_1')], [say('done')]) }
    const agent = new Agent({
      name: 'Desk',
      instructions: 'Help.',
      model: models.Desk,
      tools: [toolOf(name, execute)],
    })
    return { models, play: (runner) => runner.run(agent, 'please') }
  }
}

/** A client in memory. Nothing of its tools is listed: the agent has its own definitions. */
async function connected(): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await bank().server.connect(theirs)
  const client = new Client({ name: 'desk', version: '1' })
  await client.connect(ours)
  return client
}

describe('a tool of an agent that calls a tool over MCP', () => {
  test.each(['charge_card', 'bank__charge_card'])(
    'is one operation, under the call of the model (%s)',
    async (name) => {
      const client = instrumentClient(await connected())
      const { events } = await observed(
        oneTool(name, { order: 9 }, (args) => client.callTool({ name: 'charge_card', arguments: args })),
      )
      expect(ofKind(events, 'operation')).toMatchObject([
        { state: 'sent', tool: name, call: 'call_1', agent: 'Desk' },
        { state: 'settled', result: text('charged order 9') },
      ])
      expect(found(events)).toEqual([])
      expect(byRun(events).size).toBe(1)
      expect(events.at(-1)!.kind).toBe('run.end')
    },
  )

  test('says what became of it, not what the framework makes of that', async () => {
    const client = instrumentClient(await connected())
    const slow = async () => {
      await client.callTool({ name: 'slow', arguments: {} }, undefined, { timeout: 20 }).catch(() => {})
      return 'The bank is slow today.'
    }
    expect(states((await observed(oneTool('slow', {}, slow))).events, 'slow')).toEqual(['sent', 'unknown'])
    const declined = async () => {
      const { isError } = await client.callTool({ name: 'decline', arguments: {} })
      return isError ? 'They will not.' : 'They will.'
    }
    expect(states((await observed(oneTool('decline', {}, declined))).events, 'decline')).toEqual([
      'sent',
      'failed',
    ])
  })

  test('with other arguments than the model gave is a call of its own', async () => {
    const client = instrumentClient(await connected())
    const { events } = await observed(
      oneTool('settle', { order: 9 }, () =>
        client.callTool({ name: 'charge_card', arguments: { order: 9, eur: 5 } }),
      ),
    )
    expect(ofKind(events, 'operation').map(({ tool, agent, state }) => [tool, agent, state])).toEqual([
      ['settle', 'Desk', 'sent'],
      ['charge_card', undefined, 'sent'],
      ['charge_card', undefined, 'settled'],
      ['settle', 'Desk', 'settled'],
    ])
  })

  test('behind which an agent works is a delegation by that agent, under the call of the model', async () => {
    const client = instrumentClient(await connected(), { agents: { research: 'researcher' } })
    const { events } = await observed(
      oneTool('research', { task: 'order 9' }, (args) =>
        client.callTool({ name: 'research', arguments: args }),
      ),
    )
    expect(ofKind(events, 'handoff.sent')).toMatchObject([
      { mode: 'delegate', from: 'Desk', to: 'researcher', call: 'call_1' },
      { mode: 'return', from: 'researcher', to: 'Desk', call: 'call_1' },
    ])
  })
})

describe('a run of one framework inside of another one', () => {
  test('A2A: the run goes on after the task is done', async () => {
    await serving(new Billing(), async ({ connect }) => {
      const client = instrumentA2A(await connect(), { agent: 'Desk' })
      const { events } = await observed(
        oneTool('bill', {}, async () => {
          await client.sendMessage(request('bill order 9'))
          return 'billed'
        }),
      )
      expect(byRun(events).size).toBe(1)
      expect(ofKind(events, 'run.end')).toHaveLength(1)
      expect(events.at(-1)!.kind).toBe('run.end')
    })
  })

  test('AI SDK: the run of the agent whose tool asks another model', async () => {
    const inner = sdkModel(SEVEN, 'inner', [saidBySDK('yes')])
    const { play } = oneTool('judge', {}, async () => {
      return (await SEVEN.generateText({ model: inner, prompt: 'Is it right?' })).text
    })()
    const events = await underSDK(() => play(instrumentRunner(new Runner())))
    expect(ofKind(events, 'model.input').map(({ agent }) => agent)).toEqual(['Desk', 'inner', 'Desk'])
    expect(ofKind(events, 'run.end')).toHaveLength(1)
    expect(events.at(-1)!.kind).toBe('run.end')
  })

  test('@openai/agents: a guardrail that runs an agent does not end the run', async () => {
    const story = (): Story => {
      const models = { Guard: script([say('fine')]), Desk: script([say('done')]) }
      const guard = new Agent({ name: 'Guard', instructions: 'Guard.', model: models.Guard })
      const agent = new Agent({
        name: 'Desk',
        instructions: 'Help.',
        model: models.Desk,
        inputGuardrails: [
          {
            name: 'polite',
            runInParallel: false,
            execute: async ({ input }) => {
              await new Runner().run(guard, input)
              return { tripwireTriggered: false, outputInfo: {} }
            },
          },
        ],
      })
      return { models, play: (runner) => runner.run(agent, 'please') }
    }
    const { events } = await observed(story)
    expect(byRun(events).size).toBe(1)
    expect(ofKind(events, 'model.input').map(({ agent }) => agent)).toEqual(['Guard', 'Desk'])
    expect(events.findIndex(({ kind }) => kind === 'run.end')).toBe(events.length - 1)
  })
})
