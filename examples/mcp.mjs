// A client, and a server in a process of its own that it talks to over stdio. The card is charged, the client waits no longer for
// the answer, and the model calls the tool again: the protocol has no key by which the server could tell that both are one.
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { start } from 'handspan'
import { instrumentClient, instrumentServer } from 'handspan/mcp'
import { z } from 'zod'

async function serve() {
  start({ service: 'bank' })
  const server = instrumentServer(new McpServer({ name: 'bank', version: '1' }))
  const inputSchema = z.object({ order: z.number() })
  server.registerTool('charge_card', { description: 'Charges a card.', inputSchema }, async ({ order }) => {
    await new Promise((done) => setTimeout(done, 300))
    return { content: [{ type: 'text', text: `charged order ${order}` }] }
  })
  const annotations = { readOnlyHint: true }
  server.registerTool('look_up', { description: 'Looks up an order.', inputSchema, annotations }, () => ({
    content: [{ type: 'text', text: 'not paid' }],
  }))
  await server.connect(new StdioServerTransport())
}

async function ask() {
  const handspan = start({ service: 'support' })
  const client = instrumentClient(new Client({ name: 'support', version: '1' }), { agent: 'support' })
  const args = [fileURLToPath(import.meta.url), 'serve']
  await client.connect(new StdioClientTransport({ command: process.execPath, args }))
  await handspan.run({ principal: { kind: 'human', id: 'u-17' } }, async () => {
    await client.listTools()
    await client.callTool({ name: 'look_up', arguments: { order: 9 } })
    const charge = { name: 'charge_card', arguments: { order: 9 } }
    await client.callTool(charge, undefined, { timeout: 100 }).catch(() => {})
    const { content } = await client.callTool(charge)
    console.log(content[0].text)
  })
  await client.close()
  await handspan.shutdown()
}

await (process.argv[2] === 'serve' ? serve() : ask())
