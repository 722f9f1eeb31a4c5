import { RunState, setTraceProcessors, setTracingDisabled } from '@openai/agents'
import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { ofKind } from '../instrumentation/captures.ts'
import {
  Agent,
  call,
  found,
  later,
  observed,
  type Runner,
  runFor,
  type Story,
  say,
  script,
  states,
  toolOf,
} from './scripted-agents.ts'

describe('an abort', () => {
  /** Gives up with the run, as a request with the signal of the call does. */
  const ship = toolOf(
    'ship',
    ((_args: unknown, _context: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))) as never,
  )
  const shipping = (play: (runner: Runner, agent: Agent) => Promise<unknown>) => (): Story => {
    const models = { A: script([call('ship', {}, 'c1')], [say('never')]) }
    const agent = new Agent({ name: 'A', instructions: 'A', model: models.A, tools: [ship] })
    return { models, play: (runner) => play(runner, agent) }
  }

  test('leaves a call that was on its way in doubt, and the run failed', async () => {
    const story = shipping((runner, agent) => runner.run(agent, 'hi', { signal: AbortSignal.timeout(20) }))
    const { events, result } = await observed(story)
    expect(result).toBeInstanceOf(Error)
    expect(states(events, 'ship')).toEqual(['sent', 'unknown'])
    expect(events.at(-1)!.kind).toBe('run.failed')
  })

  test('of a stream does the same', async () => {
    const { events } = await observed(
      shipping(async (runner, agent) => {
        const stopping = new AbortController()
        const stream = await runner.run(agent, 'hi', { stream: true, signal: stopping.signal })
        setTimeout(() => stopping.abort(), 50)
        for await (const _event of stream);
        await stream.completed.catch(() => {})
      }),
    )
    expect(states(events, 'ship')).toEqual(['sent', 'unknown'])
    expect(events.at(-1)).toMatchObject({ kind: 'run.failed' })
  })

  test('in the middle of a call that does not listen: the framework waits for it, and so does the log', async () => {
    const { events } = await observed(() => {
      const models = { A: script([call('pack', {}, 'c1')], [say('never')]) }
      const tools = [toolOf('pack', () => later(80, 'packed'))]
      const a = new Agent({ name: 'A', instructions: 'A', model: models.A, tools })
      return { models, play: (runner) => runner.run(a, 'hi', { signal: AbortSignal.timeout(20) }) }
    })
    expect(states(events, 'pack')).toEqual(['sent', 'settled'])
    expect(events.at(-1)!.kind).toBe('run.failed')
  })
})

describe('approvals', () => {
  const story =
    (decide: (state: RunState<unknown, Agent>) => void, written = true) =>
    (): Story => {
      const models = {
        Triage: script([call('wire', { amount: 100 }, 'c1'), call('transfer_to_B', {}, 'h1')]),
        B: script([say('ok')]),
      }
      const b = new Agent({ name: 'B', instructions: 'B', model: models.B })
      const triage = new Agent({
        name: 'Triage',
        instructions: 'T',
        model: models.Triage,
        tools: [toolOf('wire', ({ amount }) => `wired ${amount}`, { needsApproval: true })],
        handoffs: [b],
      })
      return {
        models,
        play: async (runner) => {
          const first = await runner.run(triage, 'hi')
          const state = written ? await RunState.fromString(triage, first.state.toString()) : first.state
          decide(state as never)
          return runner.run(triage, state as never)
        },
      }
    }
  const approve = (state: RunState<unknown, Agent>) => state.approve(state.getInterruptions()[0]!)
  const reject = (state: RunState<unknown, Agent>) => state.reject(state.getInterruptions()[0]!)

  test.each([true, false])(
    'one run over the wait, written down or not (%s): asked, given, used once',
    async (written) => {
      const { events } = await observed(story(approve, written))
      expect(new Set(events.map(({ run }) => run)).size).toBe(1)
      expect(ofKind(events, 'approval').map(({ id, state, action }) => [id, state, action])).toEqual([
        ['approval-c1', 'pending', 'wire'],
        ['approval-c1', 'approved', 'wire'],
        ['approval-c1', 'consumed', 'wire'],
      ])
      expect(ofKind(events, 'approval')[0]).toMatchObject({
        scope: { amount: 100 },
        for: 'op-1',
        agent: 'Triage',
      })
      expect(states(events, 'wire')).toEqual(['proposed', 'sent', 'settled'])
      expect(ofKind(events, 'handoff.sent')).toHaveLength(1)
      expect(found(events).filter((check) => /approval|side-effect/.test(check))).toEqual([])
    },
  )

  test('a refusal is recorded, and the call never leaves', async () => {
    const { events } = await observed(story(reject))
    expect(ofKind(events, 'approval').map(({ state }) => state)).toEqual(['pending', 'rejected'])
    expect(states(events, 'wire')).toEqual(['proposed'])
    expect(ofKind(events, 'handoff.received')).toHaveLength(1)
  })

  test('one state resumed twice carries the call out twice, and that is found', async () => {
    const { events } = await observed(() => {
      const { models, play: _play } = story(approve)()
      models.B!.enqueue([say('ok')])
      const b = new Agent({ name: 'B', instructions: 'B', model: models.B! })
      const tools = [toolOf('wire', ({ amount }) => `wired ${amount}`, { needsApproval: true })]
      const triage = new Agent({
        name: 'Triage',
        instructions: 'T',
        model: models.Triage!,
        tools,
        handoffs: [b],
      })
      return {
        models,
        play: (runner) =>
          runFor(async () => {
            const text = (await runner.run(triage, 'hi')).state.toString()
            for (let time = 0; time < 2; time++) {
              const state = await RunState.fromString(triage, text)
              approve(state as never)
              await runner.run(triage, state)
            }
          }),
      }
    })
    expect(states(events, 'wire')).toEqual(['proposed', 'sent', 'settled', 'sent', 'settled'])
    expect(found(events)).toContain('side-effect-repeated')
  })
})

describe('an error that a tool throws', () => {
  const failing = (options: Record<string, unknown>) => (): Story => {
    const models = { A: script([call('charge', {}, 'c1')], [say('sorry')]) }
    const tools = [toolOf('charge', () => Promise.reject(new Error('the bank timed out')), options)]
    const a = new Agent({ name: 'A', instructions: 'A', model: models.A, tools })
    return { models, play: (runner) => runner.run(a, 'hi') }
  }
  const outcome = (events: RunEvent[]) => {
    const { state, error } = ofKind(events, 'operation').at(-1)!
    return [state, (error as { message?: unknown } | undefined)?.message]
  }

  // Vitest sets NODE_ENV=test, and then the framework traces nothing.
  const traced = async (act: () => Promise<void>) => {
    setTraceProcessors([])
    setTracingDisabled(false)
    await act().finally(() => setTracingDisabled(true))
  }

  test('is a failure by its fixed text where the framework hides it', async () => {
    const hidden = 'An error occurred while running the tool. Please try again.'
    expect(outcome((await observed(failing({}))).events)).toEqual(['failed', hidden])
    await traced(async () => {
      expect(outcome((await observed(failing({}))).events)[0]).toBe('failed')
    })
  })

  test('is read from the trace of the call where an error function of the program words it for the model', async () => {
    const errorFunction = () => 'Could not charge.'
    await traced(async () => {
      expect(outcome((await observed(failing({ errorFunction }))).events)).toEqual([
        'unknown',
        'Error: the bank timed out',
      ])
    })
    // Without tracing nothing but the program's own words is left: docs/frameworks.md says so.
    expect(outcome((await observed(failing({ errorFunction }))).events)[0]).toBe('settled')
  })

  test('and that ends the run is seen as it is', async () => {
    const { events, result } = await observed(failing({ errorFunction: null }))
    expect(result).toBeInstanceOf(Error)
    expect(outcome(events)).toEqual(['unknown', 'the bank timed out'])
    expect(events.at(-1)!.kind).toBe('run.failed')
  })

  test('a call that a guardrail refused never left', async () => {
    const inputGuardrails = [
      { name: 'no', run: async () => ({ behavior: { type: 'rejectContent', message: 'not allowed' } }) },
    ]
    const { events } = await observed(failing({ inputGuardrails }))
    expect(outcome(events)).toEqual(['failed', 'not allowed'])
  })
})

describe('options', () => {
  const calls = (tools: string[]) => (): Story => {
    const args = { amount: 1, idempotency_key: 'k-1', headers: { 'Idempotency-Key': 'k-2' }, order: 'o-9' }
    const models = {
      A: script(
        tools.map((name, index) => call(name, args, `call_${name}_${index}`)),
        [say('ok')],
      ),
    }
    const a = new Agent({
      name: 'A',
      instructions: 'A',
      model: models.A,
      tools: tools.map((name) => toolOf(name, () => 'yes')),
    })
    return { models, play: (runner) => runner.run(a, 'hi') }
  }
  const facts = (events: Parameters<typeof ofKind>[0]) =>
    ofKind(events, 'operation').flatMap(({ tool, effect, key, state }) =>
      state === 'sent' ? [[tool, effect, key]] : [],
    )

  test('everything that is not listed as read-only may have an effect', async () => {
    const { events } = await observed(calls(['look_up', 'charge']), { readOnly: ['look_up'] })
    expect(facts(events)).toEqual([
      ['look_up', 'read', 'k-1'],
      ['charge', 'write', 'k-1'],
    ])
  })

  test('a predicate goes before the list; one that throws leaves it to the list', async () => {
    const effect = ({ name }: { name: string }) => {
      if (name === 'look_up') throw new Error('no')
      return name === 'count' ? ('read' as const) : undefined
    }
    const { events } = await observed(calls(['look_up', 'count', 'charge']), {
      effect,
      readOnly: ['look_up'],
    })
    expect(facts(events).map(([, effect]) => effect)).toEqual(['read', 'read', 'write'])
  })

  test.each([
    ['a name', { key: 'order' }, 'o-9'],
    ['a header, in any case', { key: ['missing', 'idempotency-key'] }, 'k-2'],
    [
      'a function',
      {
        key: ({ args, call }: { args: unknown; call?: string }) =>
          `${(args as { order: string }).order}/${call}`,
      },
      'o-9/call_charge_0',
    ],
    ['nothing that is there', { key: 'missing' }, undefined],
  ])('the key comes from %s, never from the id of the call', async (_name, options, key) => {
    const { events } = await observed(calls(['charge']), options as never)
    expect(facts(events)).toEqual([['charge', 'write', key]])
    expect(ofKind(events, 'operation')[0]!.call).toBe('call_charge_0')
  })
})
