import type { Handoff, Run } from '../instrumentation/index.ts'
import { converse, type Item } from './conversation.ts'
import { FORWARDING, type Style } from './forwarding.ts'
import { ordersModel } from './models.ts'
import { keyFor, ORDER, REQUEST, RULE, type Wanted } from './order.ts'
import type { Warehouse } from './warehouse.ts'

/** What leaves the sender: the words for the next model, the record for its runtime, the carrier for the headers. */
export type Payload = { items: Item[]; record?: unknown }

/** `orders` works on the request until it hands the order to `billing`. */
export async function ordersTurn(
  run: Run,
  warehouse: Warehouse,
  style: Style,
): Promise<{ handoff: Handoff; payload: Payload }> {
  const conversation: Item[] = [{ type: 'message', role: 'user', content: REQUEST }]
  run.message({ role: 'user', content: REQUEST, origin: { kind: 'human', verified: true } })
  run.constraint(RULE.text, RULE.check, { id: RULE.id })

  const key = keyFor('orders', 'reserve')
  await converse(
    ordersModel,
    {
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
    },
    conversation,
  )
  return handOver(run, conversation, style)
}

function handOver(run: Run, conversation: Item[], style: Style): { handoff: Handoff; payload: Payload } {
  const forwarding = FORWARDING[style]
  const items = forwarding.words(conversation)
  const handoff = run.handoff({
    from: 'orders',
    to: 'billing',
    mode: 'transfer',
    reason: `order ${ORDER} is to be billed`,
    items: conversation,
    policy: { filter: style },
    ...(style.startsWith('brief') ? { brief: items[0]?.content } : {}),
    task: `reserve and bill order ${ORDER}`,
    next_action: 'send the invoice',
    stop_condition: 'the invoice is out',
    ...(forwarding.record ? {} : { record: false as const }),
  })
  return { handoff, payload: { items, ...(forwarding.record ? { record: handoff.record } : {}) } }
}
