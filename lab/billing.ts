import type { Carrier, Handspan, Received } from '../instrumentation/index.ts'
import { converse, type Model, type Tools } from './conversation.ts'
import type { Payload } from './hand-over.ts'
import type { Invoice, Ledger } from './ledger.ts'
import { billingModel } from './models.ts'
import { keyFor, type Wanted } from './order.ts'
import { closeByKey, reportWork, type Settle } from './settling.ts'
import type { Warehouse } from './warehouse.ts'

export type Services = { warehouse: Warehouse; ledger: Ledger }

export const BILLING_TOOLS = ['find_reservation', 'reserve_stock', 'send_invoice']

/** How this `billing` differs from a sound one. */
export type BillingOptions = {
  settle?: Settle
  model?: Model
  tools?: (received: Received, services: Services) => Tools
}

/** `billing` takes the order over: its runtime settles what is open, then its model plans. Gives its last words. */
export async function billingTurn(
  handspan: Handspan,
  carrier: Carrier,
  payload: Payload,
  services: Services,
  { settle = closeByKey, model = billingModel, tools = billingTools }: BillingOptions = {},
): Promise<string> {
  const received = handspan.receive(carrier, {
    by: 'billing',
    items: payload.items,
    record: payload.record,
    instructions: 'You finish orders and bill them.',
    tools: BILLING_TOOLS,
  })
  received.accept()

  const notes = await reportWork(received, settle, services.warehouse)
  const items = [...payload.items, ...notes]
  // What the runtime found out is the model's to read, so its first request is no longer what was handed over.
  if (notes.length > 0) received.run.modelInput({ items })

  const last = await converse(model, tools(received, services), items)
  received.run.message({ role: 'assistant', content: last })
  return last
}

/** The tools of `billing`, each call of which stands in the operations log. */
export function billingTools({ run }: Received, { warehouse, ledger }: Services) {
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
