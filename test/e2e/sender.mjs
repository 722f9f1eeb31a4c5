// The sending process: one write in doubt, then a handoff over HTTP. `record` or `words`: what crosses beside the words.
import { start } from '../../dist/index.js'

const [, , url, style] = process.argv
const handspan = start({ service: 'orders' })

await handspan.run({ principal: { kind: 'human', id: 'u-17' } }, async (run) => {
  const reserve = run.tool(
    async () => {
      throw new DOMException('no answer', 'TimeoutError')
    },
    { name: 'reserve_stock', agent: 'orders', key: 'order-4711:reserve' },
  )
  await reserve({ sku: 'A-7', count: 40 }).catch(() => {})
  const items = [
    { role: 'user', content: 'Set 40 of A-7 aside and bill order 4711.' },
    { role: 'assistant', content: 'Reserving 40 now.' },
  ]
  const handoff = run.handoff({
    from: 'orders',
    to: 'billing',
    mode: 'transfer',
    reason: 'bill it',
    items,
    transport: 'http',
  })
  await fetch(url, {
    method: 'POST',
    headers: handoff.carrier,
    body: JSON.stringify({ items, record: style === 'record' ? handoff.record : undefined }),
  })
  process.stdout.write(`${run.id}\n`)
})
await handspan.shutdown()
