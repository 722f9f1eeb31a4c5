import { describe, expect, test } from 'vitest'
import {
  instrumentClient,
  instrumentServer,
  type MCPClientOptions,
} from '../../instrumentation/adapters/mcp.ts'
import { start } from '../../instrumentation/index.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { capture, ofKind } from '../instrumentation/captures.ts'
import { type Bank, bank, type Connected, inMemory, overHttp, text } from './mcp-servers.ts'
import { byRun, found, runFor, states } from './scripted-agents.ts'

const agents = { research: 'researcher' }

/** Plays with an observed client and an observed server, over HTTP, inside a run of the program. */
function observed(
  act: (connected: Connected, bank: Bank) => Promise<unknown>,
  options: MCPClientOptions = {},
): Promise<RunEvent[]> {
  const made = bank()
  instrumentServer(made.server, { agents })
  return capture(() =>
    overHttp(made.server, (connected) =>
      runFor(() => {
        instrumentClient(connected.client, { agent: 'desk', agents, ...options })
        return act(connected, made)
      }),
    ),
  )
}

const ask = ({ client }: Connected, task: string, options?: object) =>
  client.callTool({ name: 'research', arguments: { task } }, undefined, options)

describe('an agent behind a tool', () => {
  test('is a delegation with a return; what it does belongs to the run, and the tool itself is no operation', async () => {
    const history = [{ role: 'user', content: 'What do we know of order 9?' }]
    const events = await observed((connected) => ask(connected, 'order 9'), {
      call: () => 'call_r',
      items: () => history,
    })
    expect(byRun(events).size).toBe(1)
    const [sent, back] = ofKind(events, 'handoff.sent')
    expect(sent).toMatchObject({
      from: 'desk',
      to: 'researcher',
      mode: 'delegate',
      call: 'call_r',
      brief: { task: 'order 9' },
      items_before: history,
    })
    expect(sent!.record).toBeUndefined()
    expect(back).toMatchObject({ from: 'researcher', to: 'desk', mode: 'return', call: 'call_r' })
    const [received, home] = ofKind(events, 'handoff.received')
    expect(received).toMatchObject({
      handoff: sent!.handoff,
      by: 'researcher',
      items: [{ role: 'user', content: { task: 'order 9' } }],
    })
    expect(home).toMatchObject({
      handoff: back!.handoff,
      by: 'desk',
      items: [{ role: 'assistant', author: 'researcher', ...text('report on order 9') }],
    })
    expect(ofKind(events, 'handoff.accepted')).toHaveLength(2)
    expect(ofKind(events, 'operation').map(({ tool, agent, state }) => [tool, agent, state])).toEqual([
      ['search', 'researcher', 'sent'],
      ['search', 'researcher', 'settled'],
    ])
    expect(found(events)).toEqual(['origin-lost'])
  })

  test('gets the record only where somebody says so; then the open key crosses', async () => {
    const story = (): ((connected: Connected) => Promise<unknown>) => async (connected) => {
      const operation = start()
        .current()!
        .operation({ tool: 'reserve_stock', args: { sku: 'A-7' }, key: 'o7:2', agent: 'desk' })
      operation.sent()
      operation.unknown({ name: 'TimeoutError', message: 'no answer' })
      return ask(connected, 'order 7')
    }
    expect(found(await observed(story()))).toContain('op-in-doubt-key-missing')
    const full = await observed(story(), { record: true })
    for (const check of ['op-in-doubt-key-missing', 'origin-lost']) expect(found(full)).not.toContain(check)
    const [received] = ofKind(full, 'handoff.received')
    expect(received!.record).toMatchObject({ open_operations: [{ tool: 'reserve_stock', key: 'o7:2' }] })
  })

  test('that fails, is given up on, or is not there: unknown, unknown, refused', async () => {
    const events = await observed(
      async (connected) => {
        await ask(connected, 'nonsense')
        const { client } = connected
        await client.callTool({ name: 'slow' }, undefined, { timeout: 20 }).catch(() => {})
        await connected.transport.close()
        await ask(connected, 'order 9').catch(() => {})
      },
      { agents: { ...agents, slow: 'sleeper' } },
    )
    expect(ofKind(events, 'handoff.failed').map(({ outcome, error }) => [outcome, error])).toEqual([
      ['unknown', { name: 'ToolError', message: 'no idea' }],
      ['unknown', expect.objectContaining({ name: 'McpError' })],
      ['refused-before-effect', expect.objectContaining({ message: 'Not connected' })],
    ])
    expect(ofKind(events, 'handoff.sent').map(({ mode }) => mode)).toEqual([
      'delegate',
      'delegate',
      'delegate',
    ])
  })

  test('of a sender without handspan is received in a run of its own', async () => {
    const made = bank()
    instrumentServer(made.server, { agents })
    const events = await capture(() => inMemory(made.server, (connected) => ask(connected, 'order 9')))
    expect(events.map(({ kind, state }) => state ?? kind)).toEqual([
      'handoff.received',
      'handoff.accepted',
      'sent',
      'settled',
      'run.end',
    ])
    expect(events[0]).toMatchObject({ by: 'researcher', orphan: true })
  })

  test('ten hops, each agent asking the next, are ten delegations and ten returns', async () => {
    const hop = async (level: number): Promise<string> => {
      if (level === 10) return 'there'
      const made = bank()
      const next = `agent-${level + 1}`
      instrumentServer(made.server, { agents: { pass: next } })
      made.server.registerTool('pass', { description: 'pass' }, async () => text(await hop(level + 1)))
      let words = ''
      await inMemory(made.server, async ({ client }) => {
        instrumentClient(client, { agents: { pass: next }, ...(level === 0 ? { agent: 'agent-0' } : {}) })
        const { content } = await client.callTool({ name: 'pass' })
        words = (content as { text: string }[])[0]!.text
      })
      return words
    }
    const events = await capture(() => runFor(async () => expect(await hop(0)).toBe('there')))
    const ways = ofKind(events, 'handoff.sent').map(({ from, to, mode }) => `${mode} ${from} ${to}`)
    const levels = Array.from({ length: 10 }, (_, level) => level)
    expect(ways).toEqual([
      ...levels.map((level) => `delegate agent-${level} agent-${level + 1}`),
      ...levels.map((level) => `return agent-${level + 1} agent-${level}`).reverse(),
    ])
    expect(ofKind(events, 'handoff.received')).toHaveLength(20)
    expect(byRun(events).size).toBe(1)
  })
})

describe('a plain tool', () => {
  test('that finishes after the client has given up: the log knows that it landed', async () => {
    const events = await observed(async ({ client }, { slowIsDone }) => {
      await client.callTool({ name: 'slow' }, undefined, { timeout: 20 }).catch(() => {})
      await slowIsDone
    })
    expect(states(events, 'slow').slice(0, 2)).toEqual(['sent', 'unknown'])
    const { op } = ofKind(events, 'operation')[0]!
    expect(ofKind(events, 'truth')).toMatchObject([{ op, state: 'settled', run: 'run-of-the-program' }])
  })

  test('works in the run of the client; one that fails tells no truth', async () => {
    const made = bank()
    made.server.registerTool('ship', { description: 'ship' }, async () => {
      await start()
        .current()!
        .tool(async () => 'on its way', { name: 'carrier_api' })()
      return text('shipped')
    })
    instrumentServer(instrumentServer(made.server))
    const events = await capture(() =>
      inMemory(made.server, ({ client }) =>
        runFor(async () => {
          instrumentClient(client)
          await client.callTool({ name: 'ship' })
          await client.callTool({ name: 'decline', arguments: {} })
        }),
      ),
    )
    expect(ofKind(events, 'operation').map(({ tool, state }) => `${tool} ${state}`)).toEqual([
      'ship sent',
      'carrier_api sent',
      'carrier_api settled',
      'ship settled',
      'decline sent',
      'decline failed',
    ])
    expect(ofKind(events, 'truth')).toHaveLength(1)
    expect(byRun(events).size).toBe(1)
  })

  test('answers the same whether the server is observed or not', async () => {
    const answers = async (instrument: boolean) => {
      const made = bank()
      if (instrument) instrumentServer(made.server, { agents })
      const given: unknown[] = []
      await inMemory(made.server, async (connected) => {
        given.push(await connected.client.listTools())
        for (const name of ['charge_card', 'look_up', 'decline', 'misshapen', 'research', 'nothing']) {
          given.push(await connected.client.callTool({ name, arguments: { order: 9 } }).catch(String))
        }
      })
      return JSON.stringify(given)
    }
    const alone = await answers(false)
    let watched = ''
    await capture(async () => {
      watched = await answers(true)
    })
    expect(watched).toBe(alone)
  })
})
