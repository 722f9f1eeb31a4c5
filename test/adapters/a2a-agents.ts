import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type Message, type Part, Role, type SendMessageRequest, TaskState } from '@a2a-js/sdk'
import {
  type CallInterceptor,
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import { start } from '../../instrumentation/index.ts'

// The package has no types of its own here.
const express = createRequire(import.meta.url)('express')

export function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' }
}

/** A request with a new message. */
export function request(
  text: string,
  fields: Partial<Message> = {},
): SendMessageRequest & { message: Message } {
  return {
    tenant: '',
    metadata: undefined,
    configuration: undefined,
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...fields,
    },
  }
}

const STATES: Record<string, TaskState> = {
  ask: TaskState.TASK_STATE_INPUT_REQUIRED,
  reject: TaskState.TASK_STATE_REJECTED,
}

/** Charges a card, and does what the first word of the message says: ask, reject, boom, slow, deliver. */
export class Billing implements AgentExecutor {
  readonly got: Message[] = []
  #charged = 0

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { userMessage, taskId, contextId } = context
    this.got.push(userMessage)
    const word = String(userMessage.parts[0]?.content?.value).split(' ')[0]!
    const status = (state: TaskState, text: string) => ({
      state,
      timestamp: new Date().toISOString(),
      message: { ...request(text, { role: Role.ROLE_AGENT, contextId, taskId }).message },
    })
    const state = STATES[word] ?? TaskState.TASK_STATE_COMPLETED
    const first = state === TaskState.TASK_STATE_REJECTED ? state : TaskState.TASK_STATE_WORKING
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
        ...context.task,
        status: status(first, word === 'reject' ? 'not mine' : 'on it'),
      }),
    )
    if (word === 'boom') throw new Error('the ledger is gone')
    if (word === 'slow') await new Promise((done) => setTimeout(done, 150))
    if (word === 'charge') await charge({ order: 9 }, () => `charged ${++this.#charged}`)
    if (word === 'deliver') {
      for (const page of [1, 2]) {
        const artifact = {
          artifactId: 'report',
          name: '',
          description: '',
          parts: [textPart(`page ${page}`)],
        }
        bus.publish(
          AgentEvent.artifactUpdate({
            taskId,
            contextId,
            artifact: { ...artifact, metadata: undefined, extensions: [] },
            append: page > 1,
            lastChunk: page === 2,
            metadata: undefined,
          }),
        )
      }
    }
    if (first !== state)
      bus.publish(
        AgentEvent.statusUpdate({ taskId, contextId, status: status(state, 'told'), metadata: undefined }),
      )
    bus.finished()
  }

  async cancelTask(): Promise<void> {}

  get charged(): number {
    return this.#charged
  }
}

async function charge(args: unknown, act: (args: unknown) => unknown): Promise<void> {
  const run = start().current()
  await (run === undefined ? act : run.tool(act, { name: 'charge_card' }))(args)
}

export type Served = {
  url: string
  /** Every body that came in, as it was read from the wire. */
  bodies: { method: string; params: { message: Record<string, unknown> } }[]
  connect(options?: {
    interceptors?: CallInterceptor[]
    fetchImpl?: typeof fetch
    /** Name in the card. */
    name?: string
  }): Promise<Client>
}

/** Serves an executor on 127.0.0.1 for as long as the function takes. */
export async function serving<T>(executor: AgentExecutor, act: (served: Served) => Promise<T>): Promise<T> {
  const card = agentCard()
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor)
  const bodies: Served['bodies'] = []
  const app = express()
  app.use(express.json())
  app.use((asked: { method: string; body: never }, _answer: unknown, next: () => void) => {
    if (asked.method === 'POST') bodies.push(asked.body)
    next()
  })
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: handler }))
  app.use('/a2a', jsonRpcHandler({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }))
  const server: Server = app.listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  card.supportedInterfaces[0]!.url = `${url}/a2a`
  const connect: Served['connect'] = ({ interceptors = [], fetchImpl, name = 'billing' } = {}) => {
    card.name = name
    return new ClientFactory({
      ...ClientFactoryOptions.default,
      ...(fetchImpl === undefined ? {} : { transports: [new JsonRpcTransportFactory({ fetchImpl })] }),
      clientConfig: { interceptors },
    }).createFromUrl(url)
  }
  try {
    return await act({ url, bodies, connect })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

function agentCard(): ConstructorParameters<typeof DefaultRequestHandler>[0] {
  return {
    name: 'billing',
    description: 'Bills orders.',
    version: '1',
    provider: undefined,
    documentationUrl: '',
    iconUrl: '',
    supportedInterfaces: [{ url: '', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' }],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  }
}
