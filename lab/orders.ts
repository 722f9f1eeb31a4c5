import type { Run } from '../instrumentation/index.ts'
import { converse, type Item, type Model } from './conversation.ts'
import { ordersModel } from './models.ts'
import { keyFor, REQUEST, RULE, type Wanted } from './order.ts'
import type { Warehouse } from './warehouse.ts'

export const ORDERS_TOOLS = ['check_stock', 'reserve_stock', 'transfer_to_billing']

/** The customer's request, as the first item of the conversation. */
export const CUSTOMER_ASKS: Item = { type: 'message', role: 'user', content: REQUEST }

/** `orders` works on a request until it passes the order on. Gives the conversation. */
export async function ordersTurn(
  run: Run,
  warehouse: Warehouse,
  { request = CUSTOMER_ASKS, model = ordersModel }: { request?: Item; model?: Model } = {},
): Promise<Item[]> {
  const { role, content, origin = { kind: 'human', verified: true } } = request
  run.message({ role, content, origin })
  run.constraint(RULE.text, RULE.check, { id: RULE.id })
  const conversation = [request]
  await converse(model, ordersTools(run, warehouse), conversation)
  return conversation
}

/** The tools of `orders`. The key is the runtime's: it goes out with the request, and no model sees it. */
function ordersTools(run: Run, warehouse: Warehouse) {
  const key = keyFor('orders', 'reserve')
  return {
    check_stock: run.tool((about: { sku: string }) => warehouse.stock(about), {
      name: 'check_stock',
      agent: 'orders',
      effect: 'read',
    }),
    reserve_stock: run.tool((wanted: Wanted) => warehouse.reserve(wanted, key), {
      name: 'reserve_stock',
      agent: 'orders',
      key,
    }),
    transfer_to_billing: async () => 'billing takes over',
  }
}
