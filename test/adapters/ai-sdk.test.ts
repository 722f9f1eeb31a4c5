import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { ofKind } from '../instrumentation/captures.ts'
import {
  call,
  model,
  observed,
  real,
  type Scripted,
  SEVEN,
  SIX,
  say,
  stored,
  tool,
  watched,
} from './ai-sdk-models.ts'
import { byRun, found, later, runFor, states } from './scripted-agents.ts'

const kinds = (events: RunEvent[], kind: string, ...fields: string[]) =>
  ofKind(events, kind).map((event) => fields.map((field) => event[field]))

describe.each([SIX, SEVEN])('ai $version', (sdk) => {
  /** Triage charges, and hands over to refunds: another model under other instructions, without the calls of tools. */
  const refund = (stream = false) => {
    const models = {
      triage: model(sdk, 'triage-model', [
        [call('charge', { eur: 5, idempotency_key: 'k-1' }, 'call_a'), call('mail', {}, 'call_b')],
        [call('transfer_to_refunds', { reason: 'a refund' }, 'call_c')],
      ]),
      refunds: model(sdk, 'refunds-model', [[call('look_up', {}, 'call_d')], say('refunded')]),
    }
    let active = 'triage'
    const options = {
      model: watched(sdk, models.triage),
      [sdk.instructions]: 'You triage',
      prompt: 'refund order 9',
      stopWhen: sdk.stop,
      tools: {
        charge: tool(sdk, () => 'charged'),
        mail: tool(sdk, () => Promise.reject(new Error('SMTP 451'))),
        look_up: tool(sdk, () => 'paid'),
        transfer_to_refunds: tool(sdk, () => {
          active = 'refunds'
          return 'transferred'
        }),
      },
      prepareStep: async ({ messages }: { messages: { role: string }[] }) =>
        active === 'triage'
          ? undefined
          : {
              model: watched(sdk, models.refunds),
              [sdk.instructions]: 'You do refunds',
              activeTools: ['look_up'],
              messages: messages.filter(({ role }) => role === 'user'),
            },
    }
    const play = async () => {
      if (!stream) return sdk.generateText(options)
      for await (const _part of sdk.streamText(options).fullStream);
    }
    return { models, play }
  }
  const requests = (models: Record<string, Scripted>) => Object.values(models).map(real)

  test.each([false, true])('a handoff by a tool and prepareStep (stream: %s)', async (stream) => {
    const { models, play } = refund(stream)
    const events = await observed(play)
    expect(stored(events, 'triage-model')).toEqual(real(models.triage))
    expect(stored(events, 'refunds')).toEqual(real(models.refunds))
    const [sent, ...others] = ofKind(events, 'handoff.sent')
    expect(others).toEqual([])
    expect(sent).toMatchObject({
      from: 'triage-model',
      to: 'refunds',
      call: 'call_c',
      reason: 'a refund',
      evidence: 'tool_argument',
    })
    expect(JSON.stringify(sent!.items_before)).toContain('call_a')
    const [received] = ofKind(events, 'handoff.received')
    expect(received).toMatchObject({
      by: 'refunds',
      instructions: 'You do refunds',
      evidence: 'tool_argument',
    })
    expect(JSON.stringify(received!.items)).not.toContain('call_a')
    expect(ofKind(events, 'handoff.accepted')).toHaveLength(1)
    expect(states(events, 'charge')).toEqual(['sent', 'settled'])
    expect(states(events, 'mail')).toEqual(['sent', 'failed'])
    expect(ofKind(events, 'operation')[0]).toMatchObject({
      key: 'k-1',
      call: 'call_a',
      agent: 'triage-model',
    })
    expect(states(events, 'transfer_to_refunds')).toEqual([])
    expect(found(events)).toContain('op-result-missing')
    expect(events.at(-1)!.kind).toBe('run.end')
  })

  type Story = { models: Record<string, Scripted>; play: () => Promise<unknown> }

  test.each<[string, () => Story]>([
    ['a handoff', () => refund()],
    ['a stream', () => refund(true)],
    ['two at once', () => both(refund(), refund(true))],
    ['sub-agents side by side', () => nested(['call_h', 'call_i'])],
    ['an error in the middle', () => failing()],
    ['an abort', () => aborted()],
    ['ten hops', () => hops()],
  ])('nothing changes for the models: %s', async (_name, story) => {
    const alone = story()
    await alone.play().catch(() => {})
    const seen = story()
    await observed(() => seen.play().catch(() => {}))
    expect(requests(alone.models).flat().length).toBeGreaterThan(0)
    expect(requests(seen.models)).toEqual(requests(alone.models))
  })

  function both(one: Story, two: Story): Story {
    const named = Object.entries(two.models).map(([name, each]) => [`${name} 2`, each])
    return {
      models: { ...one.models, ...Object.fromEntries(named) },
      play: () => Promise.all([one.play(), two.play()]),
    }
  }

  /** A model that fails after its first call of a tool. */
  function failing(): Story {
    const m = model(sdk, 'm', [[call('charge', {}, 'call_a')]])
    const tools = { charge: tool(sdk, () => 'yes') }
    const options = { model: m, prompt: 'x', maxRetries: 0, stopWhen: sdk.stop, tools }
    return { models: { m }, play: () => sdk.generateText(options) }
  }

  /** The program gives up while a tool is at work. */
  function aborted(): Story {
    const m = model(sdk, 'm', [[call('ship', {}, 'call_a')], say('never')])
    const stopping = new AbortController()
    const ship = (_input: never, { abortSignal }: { abortSignal: AbortSignal }) => {
      setTimeout(() => stopping.abort(), 10)
      return new Promise((_, fail) => abortSignal.addEventListener('abort', () => fail(abortSignal.reason)))
    }
    const tools = { ship: tool(sdk, ship as never) }
    const options = { model: m, prompt: 'x', stopWhen: sdk.stop, tools, abortSignal: stopping.signal }
    return { models: { m }, play: () => sdk.generateText(options) }
  }

  /** Each model hands over to the next one. */
  function hops(): Story & { order: Scripted[] } {
    const order = Array.from({ length: 11 }, (_, hop) =>
      model(sdk, `m${hop}`, [
        hop === 10 ? say('there') : [call(`transfer_to_m${hop + 1}`, {}, `call_h${hop}`)],
      ]),
    )
    let active = 0
    const options = {
      model: watched(sdk, order[0]!),
      prompt: 'go',
      stopWhen: sdk.stop,
      tools: Object.fromEntries(
        order.slice(1).map((_, hop) => [`transfer_to_m${hop + 1}`, tool(sdk, () => ++active)]),
      ),
      prepareStep: () => ({
        model: watched(sdk, order[active]!),
        [sdk.instructions]: `You are ${active}`,
      }),
    }
    const models = Object.fromEntries(order.map((each) => [each.modelId, each]))
    return { models, order, play: () => sdk.generateText(options) }
  }

  test('an abort leaves the call that was on its way in doubt', async () => {
    const { play } = aborted()
    const events = await observed(() => expect(play()).rejects.toThrow())
    expect(states(events, 'ship')).toEqual(['sent', 'unknown'])
    expect(found(events)).toContain('write-without-key')
  })

  /** An agent as the tool of another one, twice at once or alone. */
  const nested = (calls: string[]) => {
    const inner = model(
      sdk,
      'inner-model',
      calls.flatMap(() => [[call('charge', { eur: 5 }, 'call_x')], say('it is done')]),
    )
    const outer = model(sdk, 'outer-model', [
      calls.map((id) => call('refunds', { task: 'refund it' }, id)),
      say('done'),
    ])
    const agent = new sdk.ToolLoopAgent({
      model: watched(sdk, inner),
      instructions: 'You do refunds',
      tools: { charge: tool(sdk, () => later(20, 'charged')) },
    })
    const main = new sdk.ToolLoopAgent({
      model: watched(sdk, outer),
      instructions: 'You triage',
      tools: {
        refunds: tool(
          sdk,
          async ({ task }: { task: string }) => (await agent.generate({ prompt: task })).text,
        ),
      },
    })
    return { inner, outer, models: { inner, outer }, play: () => main.generate({ prompt: 'order 9' }) }
  }

  test('an agent as a tool is a delegation, and its words are the return', async () => {
    const { inner, outer, play } = nested(['call_h'])
    const events = await observed(play)
    expect(kinds(events, 'handoff.sent', 'mode', 'from', 'to', 'call', 'evidence')).toEqual([
      ['delegate', 'outer-model', 'refunds', 'call_h', 'nesting'],
      ['return', 'refunds', 'outer-model', 'call_h', 'nesting'],
    ])
    expect(kinds(events, 'handoff.received', 'by')).toEqual([['refunds'], ['outer-model']])
    expect(stored(events, 'refunds')).toEqual(real(inner))
    expect(stored(events, 'outer-model')).toEqual(real(outer))
    expect(new Set(events.map(({ run }) => run)).size).toBe(1)
    expect(ofKind(events, 'operation').filter(({ tool }) => tool === 'charge')[0]).toMatchObject({
      agent: 'refunds',
    })
    expect(found(events)).not.toContain('op-in-doubt-key-missing')
  })

  test('two of them side by side stay two', async () => {
    const { inner, outer, play } = nested(['call_h', 'call_i'])
    const events = await observed(play)
    expect(kinds(events, 'handoff.sent', 'mode', 'call').map(String).sort()).toEqual([
      'delegate,call_h',
      'delegate,call_i',
      'return,call_h',
      'return,call_i',
    ])
    expect(stored(events, 'refunds')).toHaveLength(real(inner).length)
    expect(stored(events, 'outer-model').at(-1)).toEqual(real(outer).at(-1))
  })

  test('two runs at once do not mix', async () => {
    const [one, two] = [refund(), refund(true)]
    const events = await observed(() => Promise.all([one.play(), two.play()]))
    const logs = [...byRun(events).values()]
    expect(logs).toHaveLength(2)
    for (const log of logs) {
      expect(kinds(log, 'handoff.received', 'by')).toEqual([['refunds']])
      expect(states(log, 'charge')).toEqual(['sent', 'settled'])
    }
  })

  test('a handoff that the program carries out by a second call, in the run of the program', async () => {
    const a = model(sdk, 'a-model', [[call('handoff_to_billing', { reason: 'the bill' }, 'call_h')]])
    const b = model(sdk, 'b-model', [say('billed')])
    const events = await observed(() =>
      runFor(async () => {
        await sdk.generateText({
          model: watched(sdk, a),
          prompt: 'bill order 9',
          tools: { handoff_to_billing: tool(sdk, undefined) },
        })
        await sdk.generateText({ model: watched(sdk, b), prompt: 'order 9' })
      }),
    )
    expect(kinds(events, 'handoff.sent', 'from', 'to', 'reason')).toEqual([
      ['a-model', 'billing', 'the bill'],
    ])
    expect(kinds(events, 'handoff.received', 'by', 'run')).toEqual([['billing', 'run-of-the-program']])
    expect(ofKind(events, 'handoff.received')[0]!.items).toEqual(real(b)[0])
  })

  test('a tool that times out is in doubt; other errors are not', async () => {
    const m = model(sdk, 'm', [[call('slow', {}, 'call_a'), call('bad', {}, 'call_b')], say('well')])
    const events = await observed(
      () =>
        sdk.generateText({
          model: m,
          prompt: 'x',
          stopWhen: sdk.stop,
          tools: {
            slow: tool(sdk, () => Promise.reject(new DOMException('late', 'TimeoutError'))),
            bad: tool(sdk, () => Promise.reject(new Error('no'))),
          },
        }),
      { readOnly: ['bad'] },
    )
    expect(states(events, 'slow')).toEqual(['sent', 'unknown'])
    expect(states(events, 'bad')).toEqual(['sent', 'failed'])
    expect(kinds(events, 'operation', 'tool', 'effect')).toEqual(
      expect.arrayContaining([
        ['slow', 'write'],
        ['bad', 'read'],
      ]),
    )
  })

  test.each([true, false])(
    'an approval: asked, answered (%s), in one run over both calls',
    async (approved) => {
      const m = model(sdk, 'm', [[call('wire', { eur: 9 }, 'call_w')], say('well')])
      const tools = { wire: tool(sdk, () => 'wired', sdk.version === 6 ? { needsApproval: true } : {}) }
      const others = sdk.version === 6 ? {} : { toolApproval: { wire: 'user-approval' } }
      const events = await observed(async () => {
        const options = { model: m, stopWhen: sdk.stop, tools, ...others }
        const asking = await sdk.generateText({ ...options, prompt: 'wire it' })
        const approvalId = asking.content.find(({ type }) => type === 'tool-approval-request')!.approvalId
        await sdk.generateText({
          ...options,
          messages: [
            { role: 'user', content: 'wire it' },
            {
              role: 'assistant',
              content: [
                { type: 'tool-call', toolCallId: 'call_w', toolName: 'wire', input: { eur: 9 } },
                { type: 'tool-approval-request', approvalId, toolCallId: 'call_w' },
              ],
            },
            { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] },
          ],
        })
      })
      expect(byRun(events).size).toBe(1)
      expect(kinds(events, 'approval', 'state').flat()).toEqual(
        approved ? ['pending', 'approved', 'consumed'] : ['pending', 'rejected'],
      )
      expect(states(events, 'wire')).toEqual(approved ? ['proposed', 'sent', 'settled'] : ['proposed'])
      expect(events.at(-1)!.kind).toBe('run.end')
    },
  )

  test('an error of the model in the middle', async () => {
    const { play } = failing()
    const events = await observed(() => expect(play()).rejects.toThrow('no answer left'))
    expect(states(events, 'charge')).toEqual(['sent', 'settled'])
    // Version 6 tells nobody of an error: docs/frameworks.md says so.
    expect(ofKind(events, 'run.failed')).toHaveLength(sdk.version === 6 ? 0 : 1)
  })

  test('ten hops in one call', async () => {
    const { order, play } = hops()
    const events = await observed(play)
    expect(kinds(events, 'handoff.received', 'by').flat()).toEqual(
      order.slice(1).map(({ modelId }) => modelId),
    )
    for (const each of order) expect(stored(events, each.modelId)).toEqual(real(each))
  })
})

test('another model under other instructions is an inferred handoff, even without a tool; one of both alone is not', async () => {
  const run = async (second: object) => {
    const m = model(SEVEN, 'first-model', [[call('charge', {}, 'call_a')], say('done')])
    return observed(() =>
      SEVEN.generateText({
        model: m,
        instructions: 'You triage',
        prompt: 'x',
        stopWhen: SEVEN.stop,
        tools: { charge: tool(SEVEN, () => 'yes') },
        prepareStep: ({ stepNumber }: { stepNumber: number }) => (stepNumber === 0 ? undefined : second),
      }),
    )
  }
  const other = () => model(SEVEN, 'second-model', [say('done')])
  const both = await run({ model: other(), instructions: 'You do refunds' })
  expect(kinds(both, 'handoff.sent', 'from', 'to', 'evidence')).toEqual([
    ['first-model', 'second-model', 'next_span'],
  ])
  expect(ofKind(await run({ model: other() }), 'handoff.sent')).toEqual([])
  expect(ofKind(await run({ instructions: 'Be brief' }), 'handoff.sent')).toEqual([])
})

test('version 6 without the middleware: the messages that the prompt is made of', async () => {
  const m = model(SIX, 'm', [say('hello')])
  const events = await observed(() => SIX.generateText({ model: m, system: 'Be kind', prompt: 'hi' }))
  expect(ofKind(events, 'model.input')[0]).toMatchObject({
    agent: 'm',
    instructions: 'Be kind',
    items: [{ role: 'user', content: 'hi' }],
  })
})

test('the program says which tools hand over, by a pattern of any flags', async () => {
  const calls = ['pass_to_a', 'pass_to_a'].map((name, index) => [
    call(name, { agent: 'a' }, `call_p${index}`),
  ])
  const m = model(SEVEN, 'm', [...calls, say('hello')])
  const events = await observed(
    () =>
      SEVEN.generateText({
        model: m,
        prompt: 'hi',
        stopWhen: SEVEN.stop,
        tools: { pass_to_a: tool(SEVEN, () => 'yes') },
      }),
    { handoffTools: /pass_to/g },
  )
  expect(kinds(events, 'handoff.sent', 'to')).toEqual([['a'], ['a']])
  expect(ofKind(events, 'operation')).toEqual([])
})

test('agents have the names that the program gives', async () => {
  const m = model(SEVEN, 'm', [say('hello')])
  const named = await observed(() =>
    SEVEN.generateText({ model: m, prompt: 'hi', telemetry: { functionId: 'support' } }),
  )
  expect(ofKind(named, 'model.input')[0]!.agent).toBe('support')
  const n = model(SEVEN, 'm', [say('hello')])
  const chosen = await observed(() => SEVEN.generateText({ model: n, prompt: 'hi' }), { agent: () => 'Ada' })
  expect(ofKind(chosen, 'model.input')[0]!.agent).toBe('Ada')
})
