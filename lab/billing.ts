import type { Carrier, Handspan, OpenOperation, Received, Run } from '../instrumentation/index.ts'
import { converse, type Item, type Tools } from './conversation.ts'
import type { Invoice, Ledger } from './ledger.ts'
import { billingModel } from './models.ts'
import { keyFor, type Wanted } from './order.ts'
import type { Payload } from './orders.ts'
import type { Warehouse } from './warehouse.ts'

export type Services = { warehouse: Warehouse; ledger: Ledger }

export const BILLING_TOOLS = ['find_reservation', 'reserve_stock', 'send_invoice']

/** `billing` takes the order over: its runtime settles what is open, then its model plans. Gives its last words. */
export async function billingTurn(
  handspan: Handspan,
  carrier: Carrier,
  payload: Payload,
  services: Services,
): Promise<string> {
  const received = receiveOrder(handspan, carrier, payload)
  const settled = await settleOpenWork(received, services.warehouse)
  const items = [...payload.items, ...settled]
  // What the runtime found out is the model's to read, so its first request is no longer what was handed over.
  if (settled.length > 0) received.run.modelInput({ items })
  const last = await converse(billingModel, billingTools(received.run, services), items)
  received.run.message({ role: 'assistant', content: last })
  return last
}

/** Takes the payload in exactly as it came. */
export function receiveOrder(handspan: Handspan, carrier: Carrier, { items, record }: Payload): Received {
  const received = handspan.receive(carrier, {
    by: 'billing',
    items,
    record,
    instructions: 'You finish orders and bill them.',
    tools: BILLING_TOOLS,
  })
  received.accept()
  return received
}

/** Closes every operation in doubt by its key. What had landed is reported to the model, without the key. */
async function settleOpenWork(received: Received, warehouse: Warehouse): Promise<Item[]> {
  const notes: Item[] = []
  for (const operation of received.record.open_operations) {
    const landed = await received.settle(operation, () => warehouse.close(operation.key!), { by: 'closed' })
    if (landed !== undefined) notes.push(noteOf(operation, landed.id))
  }
  return notes
}

export function noteOf({ tool }: OpenOperation, result: string): Item {
  return { type: 'note', content: `${tool} had landed: ${result}` }
}

/** The tools of `billing`, each call of which stands in the operations log. */
export function billingTools(run: Run, { warehouse, ledger }: Services): Tools {
  const reservationKey = keyFor('billing', 'reserve')
  const invoiceKey = keyFor('billing', 'invoice')
  return {
    find_reservation: run.tool((details: Wanted) => warehouse.findByDetails(details), {
      name: 'find_reservation',
      effect: 'read',
    }),
    reserve_stock: run.tool((wanted: Wanted) => warehouse.reserve(wanted, reservationKey), {
      name: 'reserve_stock',
      key: reservationKey,
    }),
    send_invoice: run.tool((invoice: Invoice) => ledger.send(invoice, invoiceKey), {
      name: 'send_invoice',
      key: invoiceKey,
    }),
  }
}
