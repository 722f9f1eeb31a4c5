// A server in a process of its own, without handspan: it charges, and says so.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'bank', version: '1' })
const text = (words) => ({ content: [{ type: 'text', text: words }] })
const inputSchema = z.object({}).loose()
server.registerTool('charge_card', { description: 'charge_card', inputSchema }, ({ order }) =>
  text(`charged order ${order}`),
)
server.registerTool('slow', { description: 'slow', inputSchema }, async () => {
  await new Promise((done) => setTimeout(done, 120))
  return text('done at last')
})
server.registerTool('decline', { description: 'decline', inputSchema }, () => {
  throw new Error('the card is expired')
})
await server.connect(new StdioServerTransport())
