import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CancelledNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { start } from '../../instrumentation/index.ts'
import { later } from './scripted-agents.ts'

export const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

const any = z.object({}).loose()

export type Bank = {
  server: McpServer
  seen: unknown[]
  /** Resolves a moment after `slow` has finished. */
  slowIsDone: Promise<void>
}

/** A server with a tool for each way to end; `seen` holds the `_meta` of every call. */
export function bank(): Bank {
  const server = new McpServer({ name: 'bank', version: '1' })
  let finish = () => {}
  const slowIsDone = new Promise<void>((done) => {
    finish = () => setTimeout(done, 20)
  })
  const made: Bank = { server, seen: [], slowIsDone }
  const add = (name: string, act: (args: Record<string, unknown>) => unknown, config: object = {}) =>
    server.registerTool(name, { description: name, inputSchema: any, ...config }, (async (
      args: Record<string, unknown>,
      extra: { _meta?: unknown },
    ) => {
      made.seen.push(extra._meta)
      return act(args)
    }) as never)
  add('charge_card', ({ order }) => text(`charged order ${order}`))
  add('look_up', () => text('paid'), { annotations: { readOnlyHint: true, idempotentHint: true } })
  add('decline', () => Promise.reject(new Error('the card is expired')))
  add('slow', async () => {
    await later(120, undefined)
    finish()
    return text('done at last')
  })
  add('misshapen', () => ({ ...text('charged'), structuredContent: { receipt: 7 } }), {
    outputSchema: { receipt: z.number() },
  })
  add('research', async ({ task }) => {
    const run = start().current()
    const search = async (args: { task: unknown }) => `found ${args.task}`
    await (run === undefined ? search : run.tool(search, { name: 'search', effect: 'read' }))({ task })
    return task === 'nonsense' ? { ...text('no idea'), isError: true } : text(`report on ${task}`)
  })
  return made
}

/** A server that goes on after it was told to stop, and answers all the same. */
export function stubborn(): Bank {
  const made = bank()
  made.server.server.setNotificationHandler(CancelledNotificationSchema, () => {})
  return made
}

/** Everything that went over a transport, as JSON. */
export function tapped<T extends Transport>(transport: T): { transport: T; messages: string[] } {
  const messages: string[] = []
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    messages.push(JSON.stringify(message))
    return send(message, options)
  }
  return { transport, messages }
}

export type Connected = { client: Client; messages: string[]; transport: Transport }
type Connect = (server: McpServer, act: (connected: Connected) => Promise<unknown>) => Promise<void>

async function connected(raw: Transport, act: (connected: Connected) => Promise<unknown>): Promise<void> {
  const { transport, messages } = tapped(raw)
  const client = new Client({ name: 'shop', version: '1' })
  await client.connect(transport)
  try {
    await act({ client, messages, transport })
  } finally {
    await client.close()
  }
}

export const inMemory: Connect = async (server, act) => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(theirs)
  await connected(ours, act)
}

/** The server of `mcp-stdio-server.mjs` in a process of its own; the one that is given stays unused. */
export const overStdio: Connect = (_server, act) =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, 'mcp-stdio-server.mjs')],
    }),
    act,
  )

export const overHttp: Connect = async (server, act) => {
  const theirs = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID })
  await server.connect(theirs as Transport)
  const http = createServer((request, response) => void theirs.handleRequest(request, response))
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  const { port } = http.address() as AddressInfo
  try {
    await connected(
      new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)) as Transport,
      act,
    )
  } finally {
    await server.close()
    http.close()
    http.closeAllConnections()
  }
}
