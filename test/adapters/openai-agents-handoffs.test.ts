import { handoff, MemorySession, Usage } from '@openai/agents'
import { ScriptedModel } from '@openai/agents/testing'
import { removeAllTools } from '@openai/agents-core/extensions'
import { describe, expect, test } from 'vitest'
import { analyse } from '../../replay/index.ts'
import { ofKind } from '../instrumentation/captures.ts'
import {
  Agent,
  byRun,
  call,
  found,
  later,
  observed,
  Runner,
  realInputs,
  refund,
  runFor,
  type Story,
  say,
  script,
  states,
  storedInputs,
  toolOf,
} from './scripted-agents.ts'

describe('one handoff', () => {
  test('keeps what the sender had and what the receiver got after the filter, byte for byte', async () => {
    const { events, models } = await observed(() => refund(removeAllTools))
    expect(storedInputs(events, 'Triage')).toEqual(realInputs(models.Triage!))
    expect(storedInputs(events, 'Refunds')).toEqual(realInputs(models.Refunds!))
    const [sent] = ofKind(events, 'handoff.sent')
    const asked = models.Triage!.calls[1]!.request.input as unknown[]
    expect(sent).toMatchObject({
      from: 'Triage',
      to: 'Refunds',
      call: 'h1',
      policy: { filter: 'removeAllTools' },
    })
    expect(sent!.items_before).toEqual([
      ...asked,
      expect.objectContaining({ type: 'function_call', callId: 'h1' }),
    ])
    const [received] = ofKind(events, 'handoff.received')
    expect(received).toMatchObject({ by: 'Refunds', instructions: 'You do refunds' })
    expect(received!.items).toHaveLength(1)
  })

  test('tells the states of calls apart: settled, failed, given up and settled late', async () => {
    const { events } = await observed(() => refund())
    expect(states(events, 'charge')).toEqual(['sent', 'settled'])
    expect(states(events, 'mail')).toEqual(['sent', 'failed'])
    expect(states(events, 'ship')).toEqual(['sent', 'unknown', 'settled'])
    const kinds = events.map(({ kind, state, tool }) => `${kind} ${tool ?? ''} ${state ?? ''}`)
    expect(kinds.indexOf('operation ship unknown')).toBeLessThan(
      kinds.findIndex((kind) => kind.startsWith('handoff.sent')),
    )
    expect(ofKind(events, 'operation').at(-1)).toMatchObject({
      tool: 'ship',
      state: 'settled',
      result: 'shipped',
      by: 'awaited',
    })
    expect(found(events)).toContain('op-in-doubt-key-missing')
  })

  test('keeps what a filter erased from the conversation: the late call leaves no trace but the one in the log', async () => {
    const { events, result } = await observed(() => refund(removeAllTools))
    expect(JSON.stringify((result as { history: unknown }).history)).not.toContain('charge')
    const { findings } = analyse(events)
    const lost = findings.find(({ check }) => check === 'op-in-doubt-key-missing')!
    expect(lost.message).toContain('nothing it got hints at the call')
    expect(ofKind(events, 'operation')).toContainEqual(
      expect.objectContaining({ call: 'c1', result: 'charged 42' }),
    )
  })

  test('shows that a filter which drops results makes the framework drop their calls as well', async () => {
    const withoutResults: typeof removeAllTools = (data) => ({
      ...data,
      preHandoffItems: data.preHandoffItems.filter(({ rawItem }) => rawItem?.type !== 'function_call_result'),
    })
    const { events, models } = await observed(() => refund(withoutResults))
    expect(storedInputs(events, 'Refunds')).toEqual(realInputs(models.Refunds!))
    expect(ofKind(events, 'handoff.sent')[0]!.policy).toEqual({ filter: 'withoutResults' })
    const [diff] = analyse(events).diffs
    const dropped = diff!.items.fates
      .filter(({ after }) => after === undefined)
      .map(({ before }) => before?.call)
    expect(dropped.sort()).toEqual(['c1', 'c1', 'c2', 'c2', 'c3', 'c3'])
  })

  test('is captured the same from a stream', async () => {
    const { events, models } = await observed(() => refund(undefined, true))
    expect(models.Refunds!.calls[0]!.streamed).toBe(true)
    expect(storedInputs(events, 'Refunds')).toEqual(realInputs(models.Refunds!))
    expect(events.at(-1)).toMatchObject({ kind: 'operation', state: 'settled' })
    expect(ofKind(events, 'run.end')).toHaveLength(1)
  })

  test('finds nothing wrong where all results cross', async () => {
    const story = (): Story => {
      const models = {
        A: script([call('charge', { amount: 1 }, 'c1'), call('transfer_to_B', { reason: 'a refund' }, 'h1')]),
        B: script([say('ok')]),
      }
      const b = new Agent({ name: 'B', instructions: 'B', model: models.B })
      const a = new Agent({
        name: 'A',
        instructions: 'A',
        model: models.A,
        tools: [toolOf('charge', () => 'yes')],
        handoffs: [b],
      })
      return { models, play: (runner) => runner.run(a, 'hi') }
    }
    const { events } = await observed(story, { principal: 'user' })
    const [sent] = ofKind(events, 'handoff.sent')
    expect(sent!.items_before).toContainEqual({
      type: 'function_call_result',
      name: 'charge',
      callId: 'c1',
      status: 'completed',
      output: { type: 'text', text: 'yes' },
    })
    expect(sent).toMatchObject({ reason: 'a refund', principal: 'user' })
    expect(found(events).filter((check) => /^op-|item-|approval-|handoff-/.test(check))).toEqual([])
  })
})

describe('what else happens at a handoff', () => {
  const pair = (answers: unknown[][], options: { filter?: typeof removeAllTools; tools?: never[] } = {}) => {
    const models = { A: script(...answers), B: script([say('ok')]), C: script() }
    const b = new Agent({ name: 'B', instructions: 'B', model: models.B })
    const c = new Agent({ name: 'C', instructions: 'C', model: models.C })
    const first = options.filter === undefined ? b : handoff(b, { inputFilter: options.filter })
    const a = new Agent({
      name: 'A',
      instructions: 'A',
      model: models.A,
      tools: options.tools ?? [],
      handoffs: [first, c],
    })
    return { models, a }
  }

  test('several in one turn: the first is carried out, the second is recorded as dropped', async () => {
    const { events } = await observed(() => {
      const { models, a } = pair([[call('transfer_to_B', {}, 'h1'), call('transfer_to_C', {}, 'h2')]])
      return { models, play: (runner) => runner.run(a, 'hi') }
    })
    expect(ofKind(events, 'handoff.sent').map(({ to, call }) => [to, call])).toEqual([
      ['B', 'h1'],
      ['C', 'h2'],
    ])
    expect(ofKind(events, 'handoff.failed')).toMatchObject([{ outcome: 'refused-before-effect' }])
    expect(found(events)).toContain('handoff-dropped')
  })

  test('history that the provider holds is marked, and works with no filter installed', async () => {
    const story = (): Story => {
      const { models, a } = pair([[call('transfer_to_B', {}, 'h1')]])
      return { models, play: (runner) => runner.run(a, 'hi', { conversationId: 'conv_1' }) }
    }
    const { events, models, result } = await observed(story)
    expect((result as { finalOutput: string }).finalOutput).toBe('ok')
    expect(ofKind(events, 'handoff.sent')[0]!.policy).toEqual({ history: 'server-managed' })
    expect(storedInputs(events, 'B')).toEqual(realInputs(models.B!))
    expect(ofKind(events, 'handoff.received')[0]!.items).toHaveLength(1)
  })

  test('a session keeps its items, and the receiver gets what it holds', async () => {
    const story = (): Story => {
      const { models, a } = pair([[call('transfer_to_B', {}, 'h1')]])
      return {
        models,
        play: async (runner) => {
          const session = new MemorySession()
          await session.addItems([{ type: 'message', role: 'user', content: 'an earlier turn' }])
          await runner.run(a, 'hi', { session })
          return session.getItems()
        },
      }
    }
    const alone = await story().play(new Runner())
    const { events, models, result } = await observed(story)
    expect(result).toEqual(alone)
    expect(storedInputs(events, 'B')).toEqual(realInputs(models.B!))
    expect(JSON.stringify(ofKind(events, 'handoff.received')[0]!.items)).toContain('an earlier turn')
  })

  test('a filter that throws: the handoff failed before any effect, and so did the run', async () => {
    const filter: typeof removeAllTools = () => {
      throw new Error('no such field')
    }
    const { events, result } = await observed(() => {
      const { models, a } = pair([[call('transfer_to_B', {}, 'h1')]], { filter })
      return { models, play: (runner) => runner.run(a, 'hi') }
    })
    expect(result).toBeInstanceOf(Error)
    expect(ofKind(events, 'handoff.failed')).toMatchObject([
      { outcome: 'refused-before-effect', handoff: 'h-1' },
    ])
    expect(ofKind(events, 'run.failed')).toHaveLength(1)
  })

  test('a model that fails after it was asked: the receipt stands, nothing is accepted', async () => {
    const { events, result } = await observed(() => {
      const { models, a } = pair([[call('transfer_to_B', {}, 'h1')]])
      const broken = { ...models, B: new ScriptedModel([]) }
      ;(a.handoffs[0] as Agent).model = broken.B
      return { models: broken, play: (runner) => runner.run(a, 'hi') }
    })
    expect(result).toBeInstanceOf(Error)
    expect(ofKind(events, 'handoff.received')).toHaveLength(1)
    expect(ofKind(events, 'handoff.accepted')).toEqual([])
    expect(events.at(-1)!.kind).toBe('run.failed')
  })

  test('ten hops are ten records, each closed by its own receiver', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `Agent${index}`)
    const { events, models } = await observed(() => {
      const scripts = Object.fromEntries(
        names.map((name, index) => [
          name,
          index === 10
            ? script([say('there')])
            : script([call(`transfer_to_Agent${index + 1}`, {}, `h${index}`)]),
        ]),
      )
      const agents = names.map((name) => new Agent({ name, instructions: name, model: scripts[name]! }))
      for (const [index, agent] of agents.slice(0, -1).entries()) agent.handoffs = [agents[index + 1]!]
      return { models: scripts, play: (runner) => runner.run(agents[0]!, 'go', { maxTurns: 20 }) }
    })
    expect(ofKind(events, 'handoff.sent').map(({ from, to }) => `${from} ${to}`)).toEqual(
      names.slice(1).map((name, index) => `${names[index]} ${name}`),
    )
    for (const name of names) expect(storedInputs(events, name)).toEqual(realInputs(models[name]!))
  })
})

describe('runs', () => {
  test('two at once on one runner, with the same agents, do not mix', async () => {
    const { events } = await observed(() => {
      const calls: unknown[] = []
      // A model that answers by what it is asked, so that both runs can share it.
      const model = {
        getResponse: async (request: { input: { content?: string }[] }) => {
          calls.push({ request: structuredClone({ ...request, signal: undefined, _internal: undefined }) })
          await later(5, undefined)
          const text = JSON.stringify(request.input)
          const name = text.includes('scarlet') ? 'scarlet' : 'azure'
          const answer =
            !text.includes('paint_result') && !text.includes('function_call_result')
              ? [call('paint', { colour: name }, `c-${name}`)]
              : text.includes('transfer_to_B')
                ? [say(`done ${name}`)]
                : [call('transfer_to_B', {}, `h-${name}`)]
          return { usage: new Usage(), output: answer }
        },
        getStreamedResponse: () => {
          throw new Error('not used')
        },
        calls,
      }
      const b = new Agent({ name: 'B', instructions: 'B', model: model as never })
      const tools = [toolOf('paint', ({ colour }) => later(10, `painted ${colour}`))]
      const a = new Agent({ name: 'A', instructions: 'A', model: model as never, tools, handoffs: [b] })
      return {
        models: { shared: model as never },
        play: (runner) => Promise.all([runner.run(a, 'scarlet please'), runner.run(a, 'azure please')]),
      }
    })
    const runs = byRun(events)
    expect(runs.size).toBe(2)
    for (const log of runs.values()) {
      const text = JSON.stringify(log)
      expect(text.includes('scarlet')).not.toBe(text.includes('azure'))
      expect(ofKind(log, 'handoff.received')).toHaveLength(1)
      expect(ofKind(log, 'run.end')).toHaveLength(1)
    }
  })

  test('join the run of the program, which ends it itself', async () => {
    const { events } = await observed(() => {
      const { models, play } = refund()
      return { models, play: (runner) => runFor(() => play(runner)) }
    })
    expect(ofKind(events, 'run.start')).toMatchObject([
      { run: 'run-of-the-program', principal: { id: 'u-17' } },
    ])
    expect(new Set(events.map(({ run }) => run)).size).toBe(1)
    expect(ofKind(events, 'run.end')).toHaveLength(1)
  })
})
