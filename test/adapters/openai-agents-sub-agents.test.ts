import { describe, expect, test } from 'vitest'
import { ofKind } from '../instrumentation/captures.ts'
import {
  Agent,
  call,
  found,
  observed,
  realInputs,
  type Story,
  say,
  script,
  states,
  storedInputs,
  toolOf,
} from './scripted-agents.ts'

describe('an agent as a tool', () => {
  const nested = (): Story => {
    const models = {
      A: script(
        [call('ask_inner', { input: 'do it' }, 't1'), call('ask_other', { input: 'look' }, 't2')],
        [say('fin')],
      ),
      Inner: script([call('charge', { amount: 5 }, 'c1'), call('transfer_to_B', {}, 'h2')]),
      B: script([say('charged five')]),
      Other: script([say('seen')]),
    }
    const b = new Agent({ name: 'B', instructions: 'B', model: models.B })
    const inner = new Agent({
      name: 'Inner',
      instructions: 'I',
      model: models.Inner,
      tools: [toolOf('charge', () => 'yes')],
      handoffs: [b],
    })
    const other = new Agent({ name: 'Other', instructions: 'O', model: models.Other })
    const tools = [
      inner.asTool({ toolName: 'ask_inner', toolDescription: 'i' }),
      other.asTool({ toolName: 'ask_other', toolDescription: 'o' }),
    ]
    const a = new Agent({ name: 'A', instructions: 'A', model: models.A, tools })
    return { models, play: (runner) => runner.run(a, 'a long story') }
  }

  test('is a delegation with a return; what it hands over inside belongs to it', async () => {
    const { events, models } = await observed(nested)
    const sent = ofKind(events, 'handoff.sent').map(
      ({ mode, from, to, call }) => `${mode} ${from} ${to} ${call}`,
    )
    expect(sent.sort()).toEqual([
      'delegate A Inner t1',
      'delegate A Other t2',
      'return B A t1',
      'return Other A t2',
      'transfer Inner B h2',
    ])
    expect(new Set(events.map(({ run }) => run)).size).toBe(1)
    const received = ofKind(events, 'handoff.received')
    expect(received).toHaveLength(5)
    for (const name of ['Inner', 'B', 'Other'])
      expect(storedInputs(events, name)).toEqual(realInputs(models[name]!))
    const reports = received.filter(({ by }) => by === 'A').map(({ items }) => JSON.stringify(items))
    expect(reports).toEqual([realInputs(models.A!)[1], realInputs(models.A!)[1]])
    // The delegation itself is no effect; the charge inside of it is.
    expect(ofKind(events, 'operation').map(({ tool, agent, state }) => [tool, agent, state])).toEqual([
      ['charge', 'Inner', 'sent'],
      ['charge', 'Inner', 'settled'],
    ])
    expect(found(events).filter((check) => /^(op-|item-|handoff-|side)/.test(check))).toEqual([])
  })

  test('that waits for a yes goes on with the same delegation after it', async () => {
    const { events } = await observed(() => {
      const models = {
        A: script([call('ask_inner', { input: 'do it' }, 't1')], [say('fin')]),
        Inner: script([call('wire', { amount: 5 }, 'c1')], [say('wired')]),
      }
      const tools = [toolOf('wire', () => 'yes', { needsApproval: true })]
      const inner = new Agent({ name: 'Inner', instructions: 'I', model: models.Inner, tools })
      const ask = inner.asTool({ toolName: 'ask_inner', toolDescription: 'i' })
      const a = new Agent({ name: 'A', instructions: 'A', model: models.A, tools: [ask] })
      return {
        models,
        play: async (runner) => {
          const first = await runner.run(a, 'hi')
          first.state.approve(first.state.getInterruptions()[0]!)
          return runner.run(a, first.state)
        },
      }
    })
    expect(ofKind(events, 'handoff.sent').map(({ mode }) => mode)).toEqual(['delegate', 'return'])
    expect(ofKind(events, 'approval').map(({ state, agent }) => [state, agent])).toEqual([
      ['pending', 'Inner'],
      ['approved', 'Inner'],
      ['consumed', 'Inner'],
    ])
    expect(states(events, 'wire')).toEqual(['proposed', 'sent', 'settled'])
  })

  test('that breaks down is a delegation of unknown outcome', async () => {
    const { events } = await observed(() => {
      const models = {
        A: script([call('ask_inner', { input: 'do it' }, 't1')], [say('fin')]),
        Inner: script(),
      }
      const inner = new Agent({ name: 'Inner', instructions: 'I', model: models.Inner })
      const ask = inner.asTool({ toolName: 'ask_inner', toolDescription: 'i' })
      const a = new Agent({ name: 'A', instructions: 'A', model: models.A, tools: [ask] })
      return { models, play: (runner) => runner.run(a, 'hi') }
    })
    expect(ofKind(events, 'handoff.failed')).toMatchObject([{ handoff: 'h-1', outcome: 'unknown' }])
    expect(ofKind(events, 'run.end')).toHaveLength(1)
  })
})
