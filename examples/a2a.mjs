// Two agents that talk over HTTP on 127.0.0.1. The card is charged, the client waits no longer for the answer, and the task is
// sent again under the same message id: the SDK makes two tasks of it.
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
import { start } from 'handspan'
import { instrumentClient, instrumentExecutor } from 'handspan/a2a'

const handspan = start({ service: 'orders' })

const patience = new AbortController()
const chargeCard = async ({ order }) => `charged order ${order}`
const billing = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const status = (state) => ({ state, timestamp: new Date().toISOString(), message: undefined })
    const task = { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: undefined }
    bus.publish(AgentEvent.task({ ...task, status: status(TaskState.TASK_STATE_WORKING) }))
    await handspan.current().tool(chargeCard, { name: 'charge_card' })({ order: 9 })
    patience.abort(new DOMException('no answer within 8 s', 'TimeoutError'))
    const completed = status(TaskState.TASK_STATE_COMPLETED)
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: completed, metadata: undefined }))
    bus.finished()
  },
  async cancelTask() {},
}

const card = {
  name: 'billing',
  description: 'Bills orders.',
  version: '1',
  provider: undefined,
  capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false, extensions: [] },
  supportedInterfaces: [{ url: '', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' }],
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
}
const rpc = new JsonRpcTransportHandler(
  new DefaultRequestHandler(card, new InMemoryTaskStore(), instrumentExecutor(billing, { agent: 'billing' })),
)
const server = createServer(async (request, response) => {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
  const answer = await rpc.handle(body, new ServerCallContext())
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
card.supportedInterfaces[0].url = `http://127.0.0.1:${server.address().port}/`

const client = instrumentClient(await new ClientFactory().createFromAgentCard(card), { agent: 'orders' })
const message = {
  messageId: randomUUID(),
  role: Role.ROLE_USER,
  parts: [{ content: { $case: 'text', value: 'Bill order 9.' }, filename: '', mediaType: 'text/plain' }],
  contextId: '',
  taskId: '',
  extensions: [],
  referenceTaskIds: [],
}
await handspan.run({ principal: { kind: 'human', id: 'u-17' } }, async () => {
  await client.sendMessage({ tenant: '', message }, { signal: patience.signal }).catch(() => {})
  const task = await client.sendMessage({ tenant: '', message })
  console.log(`The task is ${TaskState[task.status.state]}.`)
})
server.close()
server.closeAllConnections()
await handspan.shutdown()
