import { run } from '@openai/agents'
import { expect, test } from 'vitest'
import { install } from '../../instrumentation/adapters/openai-agents.ts'
import { capture, ofKind } from '../instrumentation/captures.ts'
import {
  Agent,
  byRun,
  call,
  realInputs,
  requestsOf,
  say,
  script,
  storedInputs,
  toolOf,
} from './scripted-agents.ts'

function story() {
  const models = {
    A: script([call('ask_inner', { input: 'do it' }, 't1')], [call('transfer_to_B', {}, 'h1')]),
    Inner: script([call('charge', {}, 'c1')], [say('charged')]),
    B: script([say('ok')]),
  }
  const inner = new Agent({
    name: 'Inner',
    instructions: 'I',
    model: models.Inner,
    tools: [toolOf('charge', () => 'yes')],
  })
  const b = new Agent({ name: 'B', instructions: 'B', model: models.B })
  const tools = [inner.asTool({ toolName: 'ask_inner', toolDescription: 'i' })]
  return { models, agent: new Agent({ name: 'A', instructions: 'A', model: models.A, tools, handoffs: [b] }) }
}

test('install() covers run(), whose runner nobody can get at, and the runners of agents as tools', async () => {
  const alone = story()
  await run(alone.agent, 'hi')

  await install({ principal: 'user', readOnly: ['charge'] })
  await install({ principal: 'user', readOnly: ['charge'] })
  const { models, agent } = story()
  const events = await capture(() => run(agent, 'hi'))

  expect(requestsOf(models)).toEqual(requestsOf(alone.models))
  expect(ofKind(events, 'handoff.received').map(({ by }) => by)).toEqual(['Inner', 'A', 'B'])
  expect(ofKind(events, 'run.start')).toMatchObject([
    { principal: 'user', labels: { framework: 'openai-agents' } },
  ])
  expect(ofKind(events, 'operation')).toMatchObject([{ state: 'sent', effect: 'read' }, { state: 'settled' }])
  for (const name of ['A', 'Inner', 'B'] as const) {
    expect(storedInputs(events, name)).toEqual(realInputs(models[name]))
  }
})

test('two runs through run() at once stay two', async () => {
  const [one, two] = [story(), story()]
  const events = await capture(() => Promise.all([run(one.agent, 'first'), run(two.agent, 'second')]))
  const logs = [...byRun(events).values()]
  expect(logs).toHaveLength(2)
  for (const log of logs) {
    const text = JSON.stringify(log)
    expect(text.includes('first')).not.toBe(text.includes('second'))
    expect(ofKind(log, 'handoff.received')).toHaveLength(3)
  }
})
