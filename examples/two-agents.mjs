import { randomUUID } from 'node:crypto'
import { start } from 'handspan'

const handspan = start({ service: 'shop' })

// The warehouse reserves, and its reply gets lost.
const held = new Map()
async function reserveStock({ sku, count, key }) {
  held.set(key, `${count} of ${sku}`)
  throw new DOMException('no answer within 8 s', 'TimeoutError')
}

async function orders(run) {
  const reserve = run.tool(reserveStock, { name: 'reserve_stock', key: ({ key }) => key })
  const items = [{ role: 'user', content: 'Reserve 40 of A-7, then send the invoice.' }]
  await reserve({ sku: 'A-7', count: 40, key: randomUUID() }).catch(() => {})
  items.push({ role: 'assistant', content: 'No answer from the warehouse. Billing goes on from here.' })
  const handoff = run.handoff({ to: 'billing', reason: 'bill the order', items })
  return { headers: handoff.carrier, items: items.slice(0, 1), record: handoff.record }
}

async function billing({ headers, items, record }) {
  const received = handspan.receive(headers, { by: 'billing', items, record })
  received.accept()
  for (const operation of received.record.open_operations) {
    // A real warehouse would also refuse this key from now on.
    const landed = await received.settle(operation, () => held.get(operation.key), { by: 'closed' })
    console.log(landed ? `${landed} are reserved: nothing is sent twice` : 'nothing was reserved')
  }
  received.verdict('approve', 'reserved once')
}

await handspan.run({ principal: { kind: 'human', id: 'u-17' } }, async (run) =>
  billing(await orders(run.as('orders'))),
)
await handspan.shutdown()
