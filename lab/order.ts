// The case of the lab: one order, what the customer asked for, and the rule that comes with it.

/** What one reservation holds. Two customers may want the same. */
export type Wanted = { sku: string; count: number }

export const ORDER = '4711'
export const WANTED: Wanted = { sku: 'A-7', count: 40 }
export const CUSTOMER = { kind: 'human', id: 'u-17' }

export const REQUEST =
  'Please set 40 of A-7 aside for order 4711 and send the invoice, but only once they are reserved.'

/** The obligation in the request, as the runtime keeps it. */
export const RULE = {
  id: 'invoice-after-reservation',
  text: 'invoice only what is reserved',
  check: { order: ['reserve_stock', 'send_invoice'] },
}

/** The idempotency key that an agent's runtime gives to its request. No model ever sees one. */
export function keyFor(agent: string, request: string): string {
  return `order-${ORDER}/${agent}/${request}`
}

/** True for a key of this order, whichever agent sent the request. */
export function isOurKey(key: string): boolean {
  return key.startsWith(`order-${ORDER}/`)
}
