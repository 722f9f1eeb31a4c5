import { describe, expect, test, vi } from 'vitest'
import { instrumentClient, type MCPClientOptions } from '../../instrumentation/adapters/mcp.ts'
import { start } from '../../instrumentation/index.ts'
import { decodeEnvelope } from '../../model/envelope.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { capture, ofKind } from '../instrumentation/captures.ts'
import {
  type Bank,
  bank,
  type Connected,
  inMemory,
  overHttp,
  overStdio,
  stubborn,
  text,
} from './mcp-servers.ts'
import { byRun, found, runFor, states } from './scripted-agents.ts'

type Act = (connected: Connected, bank: Bank) => Promise<unknown>

/** Plays against an observed client, inside a run of the program. */
function observed(act: Act, options: MCPClientOptions = {}, made: Bank = bank()): Promise<RunEvent[]> {
  return capture(() =>
    inMemory(made.server, (connected) =>
      runFor(() => {
        instrumentClient(connected.client, { agent: 'shop', ...options })
        return act(connected, made)
      }),
    ),
  )
}

const operations = (events: RunEvent[], name: string) =>
  ofKind(events, 'operation').filter(({ tool }) => tool === name)

describe.each([
  ['in memory', inMemory],
  ['a child process over stdio', overStdio],
  ['HTTP on 127.0.0.1', overHttp],
])('over %s', (_name, connect) => {
  const story = async ({ client, messages }: Connected) => {
    const results = [
      await client.listTools(),
      await client.callTool({ name: 'charge_card', arguments: { order: 9 } }),
      await client.callTool({ name: 'decline', arguments: {} }),
      await client.callTool({ name: 'slow' }, undefined, { timeout: 30 }).catch(String),
      ...(await Promise.all(
        [1, 2].map((order) => client.callTool({ name: 'charge_card', arguments: { order } })),
      )),
    ]
    return { results: JSON.stringify(results), messages: messages.map((each) => JSON.parse(each)) }
  }

  test('the program gets what it gets without, byte for byte; nothing more leaves than the envelope', async () => {
    let alone: unknown
    let watched: { results: string; messages: { params?: { _meta?: object } }[] } | undefined
    await connect(bank().server, async (connected) => {
      alone = await story(connected)
    })
    const events = await capture(() =>
      connect(bank().server, (connected) =>
        runFor(async () => {
          instrumentClient(connected.client, { agent: 'shop' })
          watched = await story(connected)
        }),
      ),
    )
    const fields = watched!.messages.flatMap(({ params }) => Object.keys(params?._meta ?? {}))
    expect(new Set(fields)).toEqual(new Set(['handspan/operation']))
    for (const { params } of watched!.messages) delete params?._meta
    expect(watched).toEqual(alone)
    expect(states(events, 'charge_card').sort()).toEqual([
      ...['sent', 'sent', 'sent'],
      ...['settled', 'settled', 'settled'],
    ])
    expect(states(events, 'decline')).toEqual(['sent', 'failed'])
    expect(states(events, 'slow').slice(0, 2)).toEqual(['sent', 'unknown'])
    expect(new Set(events.map(({ run }) => run))).toEqual(new Set(['run-of-the-program']))
  })
})

describe('a call', () => {
  test('is an operation with its arguments, key and result; it is on disk before it leaves, and its name crosses', async () => {
    const asked = {
      name: 'charge_card',
      arguments: { order: 9, idempotency_key: 'order-9' },
      _meta: { mine: 1 },
    }
    const before = structuredClone(asked)
    let meta: Record<string, string> = {}
    const events = await observed(
      async ({ client }, { seen }) => {
        await client.callTool(asked)
        meta = seen[0] as Record<string, string>
      },
      { call: ({ args }) => `call-${(args as { order: number }).order}` },
    )
    expect(asked).toEqual(before)
    expect(meta.mine).toBe(1)
    const { op } = operations(events, 'charge_card')[0]!
    expect(decodeEnvelope(meta['handspan/operation'])).toMatchObject({
      run: 'run-of-the-program',
      handoff: op,
      attempt: 1,
    })
    expect(operations(events, 'charge_card')).toMatchObject([
      {
        state: 'sent',
        args: asked.arguments,
        effect: 'write',
        key: 'order-9',
        call: 'call-9',
        agent: 'shop',
      },
      { state: 'settled', op, result: text('charged order 9') },
    ])
    expect(found(events)).toEqual([])
  })

  test('may have an effect, unless the server says that it reads; the word of the program counts more', async () => {
    const effects = async (options: MCPClientOptions, list = true) => {
      const events = await observed(async ({ client }) => {
        if (list) await client.listTools()
        await client.callTool({ name: 'look_up' })
        await client.callTool({ name: 'charge_card', arguments: { order: 9 } })
      }, options)
      return ['look_up', 'charge_card'].map((name) => operations(events, name)[0]!)
    }
    const [lookUp, charge] = await effects({})
    expect(lookUp).toMatchObject({ effect: 'read', hints: { readOnlyHint: true, idempotentHint: true } })
    expect(charge).toMatchObject({ effect: 'write' })
    expect(charge!.hints).toBeUndefined()
    const words = async (options: MCPClientOptions, list?: boolean) =>
      (await effects(options, list)).map(({ effect }) => effect)
    // Before the tools are listed nobody has said anything.
    expect(await words({}, false)).toEqual(['write', 'write'])
    expect(await words({ readOnly: ['charge_card'] })).toEqual(['read', 'read'])
    expect(await words({ effect: () => 'write', readOnly: ['look_up'] })).toEqual(['write', 'write'])
    expect(await words({ effect: ({ hints }) => (hints?.idempotentHint ? 'write' : 'read') })).toEqual([
      'write',
      'read',
    ])
  })

  test('made again with the same arguments and no key is found', async () => {
    const events = await observed(async ({ client }) => {
      await client
        .callTool({ name: 'slow', arguments: { order: 9 } }, undefined, { timeout: 20 })
        .catch(() => {})
      await client.callTool({ name: 'slow', arguments: { order: 9 } })
    })
    expect(found(events)).toEqual(expect.arrayContaining(['side-effect-repeated', 'write-without-key']))
  })

  test('outside of a run is a run of its own; two at once stay two', async () => {
    const events = await capture(() =>
      inMemory(bank().server, async ({ client }) => {
        instrumentClient(client, { principal: { kind: 'schedule', id: 'nightly' } })
        const orders = [1, 2].map((order) => client.callTool({ name: 'charge_card', arguments: { order } }))
        await Promise.all([
          ...orders,
          client.callTool({ name: 'slow' }, undefined, { timeout: 20 }).catch(() => {}),
        ])
      }),
    )
    const runs = [...byRun(events).values()]
    expect(runs.map((run) => run.map(({ kind, state }) => state ?? kind))).toEqual([
      ['run.start', 'sent', 'settled', 'run.end'],
      ['run.start', 'sent', 'settled', 'run.end'],
      ['run.start', 'sent', 'unknown', 'run.failed'],
    ])
    expect(runs[0]![0]).toMatchObject({ principal: { kind: 'schedule' }, labels: { framework: 'mcp' } })
  })

  test('leaves as it is where captures are switched off', async () => {
    vi.stubEnv('OTEL_SDK_DISABLED', 'true')
    const events = await capture(() =>
      inMemory(bank().server, async ({ client, messages }) => {
        instrumentClient(client)
        await client.callTool({ name: 'charge_card', arguments: { order: 9 } })
        expect(messages.join('')).not.toContain('handspan')
      }),
    )
    vi.unstubAllEnvs()
    expect(events).toEqual([])
  })
})

describe('a call without an answer', () => {
  test('is in doubt, and a late answer settles it', async () => {
    const events = await observed(
      async ({ client }, { slowIsDone }) => {
        await expect(client.callTool({ name: 'slow' }, undefined, { timeout: 20 })).rejects.toThrow(
          'timed out',
        )
        await slowIsDone
      },
      {},
      stubborn(),
    )
    expect(operations(events, 'slow')).toMatchObject([
      { state: 'sent' },
      { state: 'unknown' },
      { state: 'settled', by: 'awaited', result: text('done at last') },
    ])
  })

  test('because it was aborted, or the connection was closed, is in doubt', async () => {
    const events = await observed(async ({ client, transport }) => {
      const signal = AbortSignal.timeout(20)
      await expect(
        client.callTool({ name: 'slow', arguments: { n: 1 } }, undefined, { signal }),
      ).rejects.toThrow()
      const stopped = AbortSignal.abort(new Error('stop'))
      await expect(
        client.callTool({ name: 'slow', arguments: { n: 2 } }, undefined, { signal: stopped }),
      ).rejects.toThrow()
      const waiting = expect(client.callTool({ name: 'slow', arguments: { n: 3 } })).rejects.toThrow('closed')
      await transport.close()
      await waiting
      await expect(client.callTool({ name: 'slow', arguments: { n: 4 } })).rejects.toThrow('Not connected')
    })
    const ends = operations(events, 'slow').filter(({ state }) => state !== 'sent')
    // The second and the last never left.
    expect(ends.map(({ state }) => state)).toEqual(['unknown', 'failed', 'unknown', 'failed'])
  })

  test('behind a gateway that gave up is in doubt; where nobody listens, nothing has left', async () => {
    const events = await capture(() =>
      overHttp(bank().server, ({ client, transport }) =>
        runFor(async () => {
          instrumentClient(client)
          const send = fetch
          const answer = (made: () => Promise<Response>) => {
            Object.assign(transport, { _fetch: made })
          }
          answer(async () => new Response('bad gateway', { status: 502 }))
          await expect(client.callTool({ name: 'charge_card', arguments: { order: 1 } })).rejects.toThrow(
            'bad gateway',
          )
          answer(() => send('http://127.0.0.1:1/'))
          await expect(client.callTool({ name: 'charge_card', arguments: { order: 2 } })).rejects.toThrow()
          answer(send as never)
        }),
      ),
    )
    expect(states(events, 'charge_card')).toEqual(['sent', 'unknown', 'sent', 'failed'])
  })
})

test('an answer that the SDK refuses to hand on was an answer: the effect is there', async () => {
  const made = bank()
  const events = await observed(
    async ({ client }) => {
      await client.listTools()
      // The server changes its mind about the form of its answers, as one of another version would.
      const tools = (
        made.server as unknown as { _registeredTools: Record<string, { outputSchema?: unknown }> }
      )._registeredTools
      tools.misshapen!.outputSchema = undefined
      await expect(client.callTool({ name: 'misshapen' })).resolves.toBeDefined()
      const cached = client as unknown as { _cachedToolOutputValidators: Map<string, unknown> }
      cached._cachedToolOutputValidators.set('misshapen', () => ({
        valid: false,
        errorMessage: 'no receipt',
      }))
      await expect(client.callTool({ name: 'misshapen', arguments: { again: 1 } })).rejects.toThrow(
        'no receipt',
      )
    },
    {},
    made,
  )
  expect(states(events, 'misshapen')).toEqual(['sent', 'settled', 'sent', 'settled'])
})

test('the run of the code that calls is the one that counts, whoever made the client', async () => {
  const events = await capture(() =>
    inMemory(bank().server, async ({ client }) => {
      instrumentClient(instrumentClient(client))
      const handspan = start()
      await Promise.all(
        ['one', 'two'].map((id) =>
          handspan.run({ id }, (run) =>
            run.as(`agent ${id}`).within(() => client.callTool({ name: 'look_up' })),
          ),
        ),
      )
    }),
  )
  expect(
    ofKind(events, 'operation')
      .map(({ run, agent, state }) => `${run} ${agent} ${state}`)
      .sort(),
  ).toEqual(['one agent one sent', 'one agent one settled', 'two agent two sent', 'two agent two settled'])
})
