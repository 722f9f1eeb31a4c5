import { type Task, TaskState } from '@a2a-js/sdk'
import { AgentEvent, type AgentExecutor } from '@a2a-js/sdk/server'
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { describe, expect, test } from 'vitest'
import {
  type A2AClientOptions,
  clientInterceptor,
  HANDSPAN_EXTENSION,
  instrumentClient,
  instrumentExecutor,
} from '../../instrumentation/adapters/a2a.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { analyse, readItems } from '../../replay/index.ts'
import { capture, ofKind } from '../instrumentation/captures.ts'
import { Billing, request, type Served, serving, textPart } from './a2a-agents.ts'
import { byRun, found, later, runFor } from './scripted-agents.ts'

/** Serves the observed agent, and gives what was captured. */
async function observed(
  act: (
    served: Served & { client: Awaited<ReturnType<Served['connect']>>; billing: Billing },
  ) => Promise<unknown>,
  options: A2AClientOptions & { fetchImpl?: typeof fetch } = {},
): Promise<RunEvent[]> {
  const { fetchImpl, ...rest } = options
  const billing = new Billing()
  return capture(() =>
    serving(instrumentExecutor(billing, { agent: 'billing' }), async (served) => {
      const client = instrumentClient(await served.connect({ fetchImpl }), { agent: 'orders', ...rest })
      await act({ ...served, client, billing })
    }),
  )
}

const statesOf = (events: RunEvent[], agent: string) =>
  ofKind(events, 'task.state').flatMap((event) => (event.agent === agent ? [event.state] : []))

/** Events of the handoffs that messages are, without the returns that their answers are. */
function outward(events: RunEvent[], kind: string): RunEvent[] {
  const back = new Set(returns(events).map(({ handoff }) => handoff))
  return ofKind(events, kind).filter(({ handoff }) => !back.has(handoff))
}

function returns(events: RunEvent[]): RunEvent[] {
  return ofKind(events, 'handoff.sent').filter(({ mode }) => mode === 'return')
}

describe('a message', () => {
  test('is kept as it was on the wire, at both ends, in one run', async () => {
    let wire: Record<string, unknown> = {}
    const events = await observed(({ client, bodies }) =>
      runFor(async () => {
        const asked = request('charge order 9')
        asked.message.parts.push(
          {
            content: { $case: 'data', value: { order: 9 } },
            metadata: { source: 'shop' },
            filename: '',
            mediaType: 'application/json',
          },
          {
            content: { $case: 'raw', value: Buffer.from('PDF') },
            metadata: undefined,
            filename: 'i.pdf',
            mediaType: 'application/pdf',
          },
        )
        await client.sendMessage(asked)
        wire = bodies[0]!.params.message
      }),
    )
    const { metadata, ...message } = wire
    expect(Object.keys(metadata as object)).toEqual([HANDSPAN_EXTENSION])
    const [sent] = outward(events, 'handoff.sent')
    const [received] = outward(events, 'handoff.received')
    // The server names the new task in the message before anybody sees it.
    const { id: taskId, context: contextId } = received!.task as { id: string; context: string }
    expect(received!.items).toEqual([{ ...message, taskId, contextId }])
    expect(sent!.brief).toEqual(message.parts)
    const [words, file] = readItems(received!.items as unknown[])
    expect(words!.text.split('\n')[0]).toBe('charge order 9')
    expect([words!.text.includes('UERG'), file!.type, file!.text]).toEqual([false, 'file', 'i.pdf'])
    expect(sent).toMatchObject({ from: 'orders', to: 'billing', mode: 'delegate', run: 'run-of-the-program' })
    expect(received).toMatchObject({ by: 'billing', run: sent!.run, handoff: sent!.handoff })
    expect(sent!.record).toBeUndefined()
    expect(outward(events, 'handoff.accepted')).toHaveLength(1)
    expect(ofKind(events, 'operation').map(({ state, agent }) => [state, agent])).toEqual([
      ['sent', 'billing'],
      ['settled', 'billing'],
    ])
    // Without a record nothing tells the other side who started it.
    expect(found(events).filter((check) => check !== 'write-without-key')).toEqual(['origin-lost'])
  })

  test('reaches the other side as without handspan, but for the envelope; what the program holds stays as it was', async () => {
    const asked = request('charge order 9', { metadata: { caller: 'r1' } })
    const before = structuredClone(asked)
    const plain = new Billing()
    const alone = await serving(plain, async ({ connect, bodies }) => {
      await (await connect()).sendMessage(asked)
      return bodies[0]!
    })
    let watched: unknown
    let got: unknown
    await observed(async ({ client, bodies, billing }) => {
      await client.sendMessage(asked)
      watched = bodies[0]
      got = billing.got[0]
    })
    const without = (value: unknown) => {
      const copy = structuredClone(value) as { metadata: Record<string, unknown> }
      expect(copy.metadata[HANDSPAN_EXTENSION]).toBeDefined()
      delete copy.metadata[HANDSPAN_EXTENSION]
      return copy
    }
    const body = watched as Served['bodies'][number]
    expect({ ...body, params: { ...body.params, message: without(body.params.message) } }).toEqual(alone)
    // Ids of tasks and contexts are the server's own, and new each time.
    const own = (message: unknown) => ({ ...(message as object), taskId: '', contextId: '' })
    expect(own(without(got))).toEqual(own(plain.got[0]))
    expect(asked).toEqual(before)
  })

  test('carries the record only where somebody says so; then the open key crosses', async () => {
    const story =
      (record: boolean) =>
      async ({ client }: { client: { sendMessage(params: ReturnType<typeof request>): Promise<unknown> } }) =>
        runFor(async () => {
          const { start } = await import('../../instrumentation/index.ts')
          const operation = start()
            .current()!
            .operation({ tool: 'reserve_stock', args: { sku: 'A-7' }, key: 'o7:2', agent: 'orders' })
          operation.sent()
          operation.unknown({ name: 'TimeoutError', message: 'no answer' })
          await client.sendMessage(request(`bill order 7 ${record}`))
        })
    const bare = await observed(story(false))
    expect(found(bare)).toContain('op-in-doubt-key-missing')
    const full = await observed(story(true), { record: true })
    for (const check of ['op-in-doubt-key-missing', 'origin-lost']) expect(found(full)).not.toContain(check)
    const [received] = outward(full, 'handoff.received')
    expect(received!.record).toMatchObject({ open_operations: [{ tool: 'reserve_stock', key: 'o7:2' }] })
  })

  test('keeps what the sender had where the program gives it', async () => {
    const history = [
      { role: 'user', content: 'Bill order 9, by invoice only.' },
      { role: 'assistant', content: 'I will.' },
    ]
    const events = await observed(({ client }) => client.sendMessage(request('bill order 9')), {
      items: () => history,
    })
    expect(outward(events, 'handoff.sent')[0]!.items_before).toEqual(history)
  })
})

describe('with and without handspan', () => {
  /** Answers and errors of every kind, one after another, at once, and as a stream. */
  async function answers(instrument: boolean): Promise<string> {
    const executor = new Billing()
    const served = instrument ? instrumentExecutor(executor, { agent: 'billing' }) : executor
    const given: unknown[] = []
    await serving(served, async ({ connect }) => {
      const plain = await connect()
      const client = instrument ? instrumentClient(plain, { agent: 'orders' }) : plain
      const send = (text: string, fields: object = {}, options: object = {}) =>
        client.sendMessage(request(text, fields), options).catch(String)
      for (const word of ['charge', 'ask', 'reject', 'boom', 'deliver']) given.push(await send(`${word} it`))
      given.push(...(await Promise.all([send('slow one'), send('charge two')])))
      given.push(await send('slow', {}, { signal: AbortSignal.timeout(30) }))
      given.push(await send('again', { taskId: 'not-there' }))
      for await (const event of client.sendMessageStream(request('deliver it'))) given.push(event)
    })
    const own = /[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z/g
    // A task keeps the message that began it, and with it the envelope.
    const envelope = (key: string, value: unknown) => {
      if (key !== 'metadata' || value === null || typeof value !== 'object') return value
      const { [HANDSPAN_EXTENSION]: _envelope, ...others } = value as Record<string, unknown>
      return Object.keys(others).length === 0 ? undefined : others
    }
    return JSON.stringify(given, envelope).replace(own, '-')
  }

  test('the program gets the same answers, events and errors', async () => {
    const alone = await answers(false)
    let watched = ''
    await capture(async () => {
      watched = await answers(true)
    })
    expect(watched).toBe(alone)
  })
})

test('ten hops over HTTP, each agent asking the next, are ten delegations and ten returns in one run', async () => {
  const ask = async (level: number): Promise<void> => {
    if (level === 10) return
    const next: AgentExecutor = {
      async execute({ taskId, contextId, userMessage }, bus) {
        await ask(level + 1)
        const status = { state: TaskState.TASK_STATE_COMPLETED, timestamp: '', message: undefined }
        const task = { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: undefined }
        bus.publish(AgentEvent.task({ ...task, status }))
        bus.finished()
      },
      async cancelTask() {},
    }
    const name = `agent-${level + 1}`
    await serving(instrumentExecutor(next, { agent: name }), async ({ connect }) => {
      const agent = level === 0 ? 'agent-0' : undefined
      const client = instrumentClient(await connect({ name }), agent === undefined ? {} : { agent })
      await client.sendMessage(request('go on'))
    })
  }
  const events = await capture(() => runFor(() => ask(0)))
  const levels = Array.from({ length: 10 }, (_, level) => level)
  expect(ofKind(events, 'handoff.sent').map(({ mode, from, to }) => `${mode} ${from} ${to}`)).toEqual([
    ...levels.map((level) => `delegate agent-${level} agent-${level + 1}`),
    ...levels.map((level) => `return agent-${level + 1} agent-${level}`).reverse(),
  ])
  expect(ofKind(events, 'handoff.received')).toHaveLength(20)
  expect(byRun(events).size).toBe(1)
})

describe('the answer', () => {
  const returns = (events: RunEvent[]) =>
    ofKind(events, 'handoff.sent').filter(({ mode }) => mode === 'return')

  test('to a delegation is the return: its words and results, as they came', async () => {
    const events = await observed(async ({ client }) => {
      await client.sendMessage(request('deliver order 9'))
      for await (const _event of client.sendMessageStream(request('deliver order 9')));
    })
    expect(returns(events)).toHaveLength(2)
    const words = { text: 'told', mediaType: 'text/plain' }
    const result = [1, 2].map((page) => ({ text: `page ${page}`, mediaType: 'text/plain' }))
    for (const sent of returns(events)) {
      expect(sent).toMatchObject({ from: 'billing', to: 'orders', brief: [...result, words] })
      const received = ofKind(events, 'handoff.received').find(({ handoff }) => handoff === sent.handoff)
      expect(received).toMatchObject({
        by: 'orders',
        items: [
          { role: 'ROLE_AGENT', parts: result },
          { role: 'ROLE_AGENT', parts: [words] },
        ],
      })
    }
    for (const run of byRun(events).values()) {
      expect(found(run)).toEqual([])
      expect(run.at(-1)!.kind).toBe('run.end')
    }
  })

  test('that is a question, a refusal or a failure is none; nor is one that a nameless sender gets', async () => {
    const events = await observed(async ({ client }) => {
      for (const word of ['ask', 'reject', 'boom']) await client.sendMessage(request(`${word} order 9`))
    })
    expect(returns(events)).toEqual([])
    const nameless = await observed(({ client }) => client.sendMessage(request('bill order 9')), {
      agent: undefined as never,
    })
    expect(returns(nameless)).toEqual([])
  })
})

describe('the same message id twice', () => {
  test('sent again by the program: two attempts at one handoff, two tasks, and the doubled effect is found', async () => {
    const ids: string[] = []
    const events = await observed(({ client, billing }) =>
      runFor(async () => {
        const asked = request('charge order 9')
        ids.push(
          ((await client.sendMessage(asked)) as Task).id,
          ((await client.sendMessage(asked)) as Task).id,
        )
        expect(billing.charged).toBe(2)
      }),
    )
    expect(ids[0]).not.toBe(ids[1])
    expect(outward(events, 'handoff.sent').map(({ attempt }) => attempt ?? 1)).toEqual([1, 2])
    expect(new Set(outward(events, 'handoff.received').map(({ handoff }) => handoff)).size).toBe(1)
    expect(found(events)).toContain('side-effect-repeated')
    expect(found(events)).not.toContain('delivered-twice')
  })

  test('delivered twice by the network: one attempt, received twice', async () => {
    const twice: typeof fetch = async (...args) => {
      const body = (args[1] as { body?: unknown } | undefined)?.body
      if (typeof body === 'string' && body.includes('SendMessage')) await fetch(...args)
      return fetch(...args)
    }
    const events = await observed(
      ({ client }) => runFor(() => client.sendMessage(request('charge order 9'))),
      {
        fetchImpl: twice,
      },
    )
    expect(outward(events, 'handoff.sent')).toHaveLength(1)
    expect(found(events)).toEqual(expect.arrayContaining(['delivered-twice', 'side-effect-repeated']))
  })

  test('from a sender without handspan: known again by its content; another message under that id is another', async () => {
    const events = await observed(async ({ connect }) => {
      const plain = await connect()
      const asked = request('charge order 9', { messageId: '1' })
      await plain.sendMessage(asked)
      await plain.sendMessage(asked)
      await plain.sendMessage(request('charge order 10', { messageId: '1' }))
    })
    const runs = [...byRun(events).values()]
    expect(runs.map((run) => ofKind(run, 'handoff.received').length)).toEqual([2, 1])
    expect(found(runs[0]!)).toEqual(expect.arrayContaining(['delivered-twice', 'side-effect-repeated']))
    expect(found(runs[1]!)).not.toContain('delivered-twice')
  })
})

describe('a call that fails', () => {
  test('by a time-out may have arrived: unknown, while the other side goes on and completes; a retry is the second attempt', async () => {
    const events = await observed(async ({ client }) => {
      const asked = request('slow order 9')
      await expect(client.sendMessage(asked, { signal: AbortSignal.timeout(40) })).rejects.toThrow()
      await later(250, undefined)
      await client.sendMessage(asked)
    })
    expect(byRun(events).size).toBe(1)
    expect(ofKind(events, 'handoff.failed')).toMatchObject([{ outcome: 'unknown', attempt: 1 }])
    expect(statesOf(events, 'billing').slice(0, 2)).toEqual(['working', 'completed'])
    expect(outward(events, 'handoff.sent').map(({ attempt }) => attempt ?? 1)).toEqual([1, 2])
    expect(ofKind(events, 'run.failed')).toHaveLength(1)
  })

  test('because the server turned it down, or was not there, had no effect', async () => {
    const events = await observed(async ({ client }) => {
      const done = (await client.sendMessage(request('bill order 9'))) as Task
      await expect(client.sendMessage(request('again', { taskId: done.id }))).rejects.toThrow('terminal')
    })
    expect(ofKind(events, 'handoff.failed')).toMatchObject([{ outcome: 'refused-before-effect' }])

    const gone = await capture(async () => {
      const client = await serving(new Billing(), ({ connect }) => connect())
      await expect(instrumentClient(client).sendMessage(request('hello'))).rejects.toThrow()
    })
    expect(ofKind(gone, 'handoff.failed')).toMatchObject([{ outcome: 'refused-before-effect' }])
  })

  test('behind a gateway that answers 502 is in doubt', async () => {
    let calls = 0
    const events = await observed(
      async ({ client }) => {
        await expect(client.sendMessage(request('bill order 9'))).rejects.toThrow('502')
        calls++
      },
      {
        fetchImpl: async (...args) =>
          String(args[0]).endsWith('/a2a') ? new Response('bad gateway', { status: 502 }) : fetch(...args),
      },
    )
    expect(calls).toBe(1)
    expect(ofKind(events, 'handoff.failed')).toMatchObject([{ outcome: 'unknown' }])
  })

  test('inside of the executor ends in the state failed, on both sides', async () => {
    const events = await observed(({ client }) => client.sendMessage(request('boom order 9')))
    expect(statesOf(events, 'billing')).toEqual(['working', 'failed'])
    expect(statesOf(events, 'orders')).toEqual(['failed'])
    expect(ofKind(events, 'handoff.failed')).toEqual([])
    expect(ofKind(events, 'run.end')).toMatchObject([{ outcome: 'failed' }])
  })

  test('because the agent rejects the task is a refusal with its words', async () => {
    const events = await observed(({ client }) => client.sendMessage(request('reject order 9')))
    expect(outward(events, 'handoff.accepted')).toEqual([])
    expect(ofKind(events, 'handoff.declined')).toMatchObject([
      { by: 'billing', reason: expect.stringContaining('not mine') },
    ])
  })
})

test('a stream: one handoff, each state once, the words once', async () => {
  const events = await observed(async ({ client }) => {
    const seen: string[] = []
    for await (const { payload } of client.sendMessageStream(request('charge order 9'))) {
      seen.push(payload!.$case)
    }
    expect(seen).toEqual(['task', 'statusUpdate'])
  })
  expect(outward(events, 'handoff.sent')).toHaveLength(1)
  expect(statesOf(events, 'orders')).toEqual(['working', 'completed'])
  expect(statesOf(events, 'billing')).toEqual(['working', 'completed'])
  expect(ofKind(events, 'message').map(({ content }) => content)).toEqual([
    [{ text: 'told', mediaType: 'text/plain' }],
  ])
})

test('a stream that is aborted in the middle: the message did arrive, the state of its task is unknown', async () => {
  const events = await observed(async ({ client }) => {
    const stopping = new AbortController()
    const reading = (async () => {
      for await (const _event of client.sendMessageStream(request('slow order 9'), {
        signal: stopping.signal,
      })) {
        stopping.abort()
      }
    })()
    await expect(reading).rejects.toThrow()
    await later(200, undefined)
  })
  expect(ofKind(events, 'handoff.failed')).toEqual([])
  expect(statesOf(events, 'orders')).toEqual(['working', 'unknown'])
  expect(statesOf(events, 'billing')).toEqual(['working', 'completed'])
})

test('a question and its answer: one run, one task, the second message resumes it', async () => {
  const events = await observed(async ({ client }) => {
    const asking = (await client.sendMessage(request('ask for the address'))) as Task
    const answered = await client.sendMessage(
      request('bill order 9', {
        taskId: asking.id,
        contextId: asking.contextId,
        parts: [textPart('Kant street 1')],
      }),
    )
    expect((answered as Task).id).toBe(asking.id)
  })
  expect(byRun(events).size).toBe(1)
  expect(outward(events, 'handoff.sent').map(({ mode }) => mode)).toEqual(['delegate', 'resume'])
  const [, sent] = outward(events, 'handoff.sent')
  const [, received] = outward(events, 'handoff.received')
  expect(sent!.task).toEqual(received!.task)
  expect(found(events)).not.toContain('correlation-lost')
  expect(statesOf(events, 'billing')).toEqual(['working', 'input_required', 'working', 'completed'])
})

test('tasks that a message points to: what was asked for, and what the server found', async () => {
  const events = await observed(({ client }) =>
    runFor(async () => {
      const first = (await client.sendMessage(request('bill order 9'))) as Task
      await client.sendMessage(
        request('and this', { contextId: first.contextId, referenceTaskIds: [first.id, 'not-there'] }),
      )
    }),
  )
  const [first, second] = outward(events, 'handoff.received')
  const { id } = first!.task as { id: string }
  expect(second!.task).toMatchObject({ references: [id, 'not-there'], references_found: [id] })
  expect(outward(events, 'handoff.sent')[1]!.task).toMatchObject({ references: [id, 'not-there'] })
})

test('two at once, each under a run of its own, stay two', async () => {
  const events = await observed(async ({ client }) => {
    await Promise.all([
      client.sendMessage(request('slow first')),
      client.sendMessage(request('charge second')),
    ])
  })
  const runs = [...byRun(events).values()]
  expect(runs).toHaveLength(2)
  for (const run of runs) {
    const text = JSON.stringify(run)
    expect(text.includes('slow first')).not.toBe(text.includes('charge second'))
    expect(run.at(-1)!.kind).toBe('run.end')
    expect(analyse(run).findings.map(({ check }) => check)).not.toContain('received-without-sent')
  }
})

test('the interceptor alone sees messages and answers, whatever other interceptors are there', async () => {
  const seen: string[] = []
  const other = {
    before: async (args: { options?: object }) => {
      args.options = { ...args.options }
      seen.push('before')
    },
    after: async () => {
      seen.push('after')
    },
  }
  const events = await capture(() =>
    serving(instrumentExecutor(new Billing(), { agent: 'billing' }), async ({ connect }) => {
      const client = await connect({ interceptors: [clientInterceptor({ agent: 'orders' }), other] })
      await client.sendMessage(request('bill order 9'))
    }),
  )
  expect(seen).toEqual(['before', 'after'])
  expect(events.map(({ kind }) => kind)).toEqual([
    'run.start',
    'handoff.sent',
    'handoff.received',
    'handoff.accepted',
    'task.state',
    'task.state',
    'message',
    'task.state',
    'handoff.sent',
    'handoff.received',
    'handoff.accepted',
    'run.end',
  ])
})

test('interceptor and client together record a message once, time-outs included; the factory keeps its list', async () => {
  const events = await capture(() =>
    serving(instrumentExecutor(new Billing(), { agent: 'billing' }), async ({ connect }) => {
      const interceptors = [clientInterceptor({ agent: 'orders' })]
      const client = instrumentClient(instrumentClient(await connect({ interceptors })), { agent: 'orders' })
      await client.sendMessage(request('bill order 9'))
      await expect(
        client.sendMessage(request('slow order 9'), { signal: AbortSignal.timeout(40) }),
      ).rejects.toThrow()
      expect(interceptors).toHaveLength(1)
      await later(200, undefined)
    }),
  )
  expect(outward(events, 'handoff.sent')).toHaveLength(2)
  expect(ofKind(events, 'handoff.failed')).toMatchObject([{ outcome: 'unknown' }])
})

test('a client that is none is left alone, with one warning', () => {
  const warnings: string[] = []
  const quiet = () => {}
  diag.setLogger(
    { debug: quiet, info: quiet, verbose: quiet, error: quiet, warn: (text) => warnings.push(text) },
    { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true },
  )
  const none = {} as never
  expect(instrumentClient(none)).toBe(none)
  expect(instrumentClient({} as never)).toEqual({})
  diag.disable()
  expect(warnings).toEqual([expect.stringContaining('the client has no sendMessage')])
})
