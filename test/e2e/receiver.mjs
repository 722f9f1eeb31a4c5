// The receiving process: an HTTP server whose model gets what arrives, and whose runtime settles what is open.
import { createServer } from 'node:http'
import { start } from '../../dist/index.js'

const handspan = start({ service: 'billing' })

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { items, record } = JSON.parse(Buffer.concat(chunks).toString())
  const received = handspan.receive(request.headers, {
    by: 'billing',
    items,
    record,
    instructions: 'You bill orders.',
    tools: ['send_invoice'],
    transport: 'http',
  })
  received.accept()
  for (const operation of received.record.open_operations) {
    await received.settle(operation, async () => 'nothing had landed', { by: 'closed' })
  }
  const invoice = received.run.tool(async (order) => `invoice for ${order.id}`, {
    name: 'send_invoice',
    key: 'invoice-1',
  })
  await invoice({ id: '4711' })
  received.verdict('approve', 'billed')
  await handspan.shutdown()
  response.end('{}')
}).listen(0, '127.0.0.1', function listening() {
  process.stdout.write(`${this.address().port}\n`)
})
