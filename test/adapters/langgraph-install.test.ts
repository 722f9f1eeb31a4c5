import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HumanMessage } from '@langchain/core/messages'
import { createHandoffTool, createSwarm } from '@langchain/langgraph-swarm'
import { expect, test } from 'vitest'
import { handspanCallbacks, install } from '../../instrumentation/adapters/langgraph.ts'
import { capture, ofKind } from '../instrumentation/captures.ts'
import { agentOf, chat, storedInputs } from './scripted-graphs.ts'

function story() {
  const models = { alice: chat([['transfer_to_bob', {}, 'call_h1']]), bob: chat('bob here') }
  const alice = agentOf('createAgent', {
    llm: models.alice,
    tools: [createHandoffTool({ agentName: 'bob' })],
    name: 'alice',
  })
  const bob = agentOf('createAgent', { llm: models.bob, tools: [], name: 'bob' })
  return { models, graph: createSwarm({ agents: [alice, bob], defaultActiveAgent: 'alice' }).compile() }
}

test('install() observes every graph, in whatever context it runs, and one with the callbacks once', async () => {
  const before = createServer(async (_request, response) => {
    await inServer.graph.invoke({ messages: [new HumanMessage('hi')] })
    response.end('ok')
  })
  const inServer = story()
  await new Promise<void>((done) => before.listen(0, '127.0.0.1', done))
  await install({ principal: 'user' })
  await install()

  const events = await capture(() => fetch(`http://127.0.0.1:${(before.address() as AddressInfo).port}`))
  before.close()
  expect(ofKind(events, 'handoff.received')).toHaveLength(1)
  for (const name of ['alice', 'bob'] as const)
    expect(storedInputs(events, name)).toEqual(inServer.models[name].asked)

  const both = story()
  const twice = await capture(() =>
    both.graph.invoke({ messages: [new HumanMessage('hi')] }, { callbacks: [handspanCallbacks()] }),
  )
  expect(ofKind(twice, 'run.start')).toHaveLength(1)
  expect(ofKind(twice, 'handoff.received')).toHaveLength(1)
})

test('a model that is asked outside of any graph is none of its business', async () => {
  expect(await capture(() => chat('hello').invoke([new HumanMessage('hi')]))).toEqual([])
})
