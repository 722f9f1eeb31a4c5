// Calls the warehouse at the given address and waits for an answer that never comes; it is killed while it waits.
import { start } from '../../dist/index.js'

const [, , url, runId] = process.argv
const handspan = start({ service: 'orders' })

await handspan.run({ id: runId, principal: { kind: 'human', id: 'u-17' } }, async (run) => {
  const reserve = run.tool((body) => fetch(url, { method: 'POST', body: JSON.stringify(body) }), {
    name: 'reserve_stock',
    agent: 'orders',
    key: 'order-4711:reserve',
  })
  await reserve({ sku: 'A-7', count: 40 })
})
