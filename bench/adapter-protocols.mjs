// The runs of `adapters.mjs` on protocols: HTTP on 127.0.0.1, and a transport in memory.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Role, TaskState } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { start } from 'handspan'
import { instrumentClient as instrumentA2A, instrumentExecutor } from 'handspan/a2a'
import { instrumentClient, instrumentServer } from 'handspan/mcp'
import { z } from 'zod'
import { AGENTS, CALLS } from './adapter-agents.mjs'

/** What A2A and MCP have in the place of a model: five calls of a plain function, and a task for the next agent. */
async function work(index, save, next) {
  for (let call = 0; call < CALLS; call++) await save({ amount: call, agent: AGENTS[index] })
  if (index + 1 < AGENTS.length) await next(index + 1)
}

const saved = async ({ amount }) => `saved ${amount}`

export async function a2a(observed) {
  const servers = []
  const save = (args) => (observed ? start().current().tool(saved, { name: 'save' }) : saved)(args)
  const send = async (index) => {
    const rpc = new JsonRpcTransportHandler(
      new DefaultRequestHandler(card(AGENTS[index], ''), new InMemoryTaskStore(), executor(index)),
    )
    const server = createServer(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(await rpc.handle(body, new ServerCallContext())))
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    const url = `http://127.0.0.1:${server.address().port}/`
    const plain = await new ClientFactory().createFromAgentCard(card(AGENTS[index], url))
    const client = observed ? instrumentA2A(plain, { agent: AGENTS[index - 1] }) : plain
    const message = { messageId: randomUUID(), role: Role.ROLE_USER, contextId: '', taskId: '' }
    const parts = [{ content: { $case: 'text', value: 'go' }, filename: '', mediaType: 'text/plain' }]
    await client.sendMessage({
      tenant: '',
      message: { ...message, parts, extensions: [], referenceTaskIds: [] },
    })
  }
  const executor = (index) => {
    const plain = {
      async execute({ taskId, contextId, userMessage }, bus) {
        await work(index, save, send)
        const status = { state: TaskState.TASK_STATE_COMPLETED, timestamp: new Date().toISOString() }
        const task = { id: taskId, contextId, artifacts: [], history: [userMessage] }
        bus.publish(
          AgentEvent.task({ ...task, metadata: undefined, status: { ...status, message: undefined } }),
        )
        bus.finished()
      },
      async cancelTask() {},
    }
    return observed ? instrumentExecutor(plain, { agent: AGENTS[index] }) : plain
  }
  const act = () => work(0, save, send)
  await (observed ? start().run({}, act) : act())
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
}

function card(name, url) {
  return {
    name,
    description: name,
    version: '1',
    provider: undefined,
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' }],
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  }
}

export async function mcp(observed) {
  /** Calls its tools and the next agent over one connection. The last one has nobody to ask. */
  const turn = async (index) => {
    const [name, next = name] = AGENTS.slice(index)
    const server = new McpServer({ name: next, version: '1' })
    const text = (words) => ({ content: [{ type: 'text', text: words }] })
    const inputSchema = z.object({}).loose()
    server.registerTool('save', { description: 'Saves.', inputSchema }, async (args) =>
      text(await saved(args)),
    )
    server.registerTool('ask', { description: 'Asks.', inputSchema }, async () => {
      await turn(index + 1)
      return text('done')
    })
    const client = new Client({ name, version: '1' })
    if (observed) {
      const agents = { ask: next }
      instrumentServer(server, { agents })
      instrumentClient(client, { agents, agent: name })
    }
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(theirs), client.connect(ours)])
    const save = (args) => client.callTool({ name: 'save', arguments: args })
    await work(index, save, () => client.callTool({ name: 'ask', arguments: {} }))
    await client.close()
  }
  const act = () => turn(0)
  await (observed ? start().run({}, act) : act())
}
