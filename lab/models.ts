import type { Act, Item } from './conversation.ts'
import { ORDER, WANTED } from './order.ts'

/*
 * The scripted models: the same words in, the same act out. Whatever differs between two runs of the lab was carried, or
 * left behind, at the handoff.
 */

/** `orders`: looks at the stock, reserves, and passes the order on whether or not the warehouse answers. */
export function ordersModel(items: readonly Item[]): Act {
  if (!calls(items, 'check_stock')) return CHECK
  if (!calls(items, 'reserve_stock')) {
    return {
      say: 'Enough of A-7 on the shelves. Reserving 40 now.',
      call: { tool: 'reserve_stock', args: WANTED },
    }
  }
  return passOn(
    items,
    reservationIn(items) === undefined ? 'No word from the warehouse yet.' : 'It is reserved.',
  )
}

/** Another `orders`: looks at the stock and leaves the reservation to `billing`. */
export function checkingModel(items: readonly Item[]): Act {
  return calls(items, 'check_stock') ? passOn(items, 'Enough of A-7 on the shelves.') : CHECK
}

const CHECK: Act = { call: { tool: 'check_stock', args: { sku: WANTED.sku } } }

function passOn(items: readonly Item[], news: string): Act {
  if (calls(items, 'transfer_to_billing')) return {}
  const say = `${news} Order ${ORDER}, 40 of A-7, goes on to billing.`
  return { say, call: { tool: 'transfer_to_billing', args: {} } }
}

/**
 * `billing`: reserves, unless it reads of an earlier try; then it searches first and reserves only if the search comes
 * back empty. Bills if it reads of an invoice.
 */
export function billingModel(items: readonly Item[]): Act {
  const reservation = reservationIn(items)
  if (reservation === undefined) {
    const look = suggestsAnAttempt(items) && !calls(items, 'find_reservation')
    return { call: { tool: look ? 'find_reservation' : 'reserve_stock', args: WANTED } }
  }
  const held = `40 of A-7 are reserved for order ${ORDER} (${reservation}).`
  if (!wantsAnInvoice(items)) return { say: held }
  if (!calls(items, 'send_invoice')) {
    return { call: { tool: 'send_invoice', args: { order: ORDER, reservation } } }
  }
  return { say: `${held} Invoice: ${answerTo(items, 'send_invoice')}.` }
}

/** Another `billing`, in a hurry: sends the invoice first, whatever the rule says, and sees to the rest after that. */
export function hastyModel(items: readonly Item[]): Act {
  if (calls(items, 'send_invoice')) return billingModel(items)
  return { call: { tool: 'send_invoice', args: { order: ORDER, reservation: 'to follow' } } }
}

function calls(items: readonly Item[], tool: string): boolean {
  return items.some((item) => item.type === 'tool_call' && item.tool === tool)
}

/** What a tool answered to the first call of it. */
function answerTo(items: readonly Item[], tool: string): string | undefined {
  const call = items.find((item) => item.type === 'tool_call' && item.tool === tool)?.call
  return items.find((item) => item.type === 'tool_result' && item.call === call)?.content
}

/** The id of a reservation that a tool or the runtime reported. */
function reservationIn(items: readonly Item[]): string | undefined {
  const reports = items.filter(({ type }) => type === 'tool_result' || type === 'note')
  return reports.map(({ content }) => content?.match(/\bR-\d+\b/)?.[0]).find((id) => id !== undefined)
}

/** A call, or words that tell of one. What the customer wishes is no attempt. */
function suggestsAnAttempt(items: readonly Item[]): boolean {
  return (
    calls(items, 'reserve_stock') ||
    items.some(({ type, content }) => type === 'message' && TELLS_OF_A_CALL.test(content ?? ''))
  )
}

const TELLS_OF_A_CALL = /\breserving\b|\bno (word|answer)\b/i

function wantsAnInvoice(items: readonly Item[]): boolean {
  return items.some(({ type, content }) => type === 'message' && /\binvoice\b/i.test(content ?? ''))
}
