import type { OpenOperation, Received } from '../instrumentation/index.ts'
import type { Item } from './conversation.ts'
import type { Wanted } from './order.ts'
import type { Held, Warehouse } from './warehouse.ts'

/** What a receiving runtime does with one operation in doubt, before its model plans. Gives what had landed. */
export type Settle = (
  received: Received,
  operation: OpenOperation,
  warehouse: Warehouse,
) => Promise<Held | undefined>

/** Sound under either timing: the service says what landed, and refuses what may still be travelling. */
export const closeByKey: Settle = (received, operation, warehouse) =>
  received.settle(operation, () => warehouse.close(operation.key!), { by: 'closed' })

/** As sound where a service knows its keys but cannot close them: the same request again, under the same key. */
export const repeatUnderKey: Settle = (received, { key, ...operation }, warehouse) =>
  received.settle({ key, ...operation }, () => warehouse.reserve(operation.args as Wanted, key!), {
    by: 'reply',
  })

/** Takes whatever looks like it. It may be a stranger's, and the request may still arrive. */
export const lookUpByDetails: Settle = (received, operation, warehouse) =>
  received.settle(operation, () => warehouse.findByDetails(operation.args as Wanted), { by: 'details' })

/** Has the key and does nothing with it. */
export const leaveOpen: Settle = async () => undefined

/** Settles what crossed in doubt. What is done by now is reported to the model, without any key. */
export async function reportWork(received: Received, settle: Settle, warehouse: Warehouse): Promise<Item[]> {
  const notes: Item[] = []
  for (const { tool, result } of received.record.completed_effects) {
    notes.push(note(`${tool} is done`, result as Held))
  }
  for (const operation of received.record.open_operations) {
    const landed = await settle(received, operation, warehouse)
    if (landed !== undefined) notes.push(note(`${operation.tool} had landed`, landed))
  }
  return notes
}

function note(news: string, { id }: Held): Item {
  return { type: 'note', content: `${news}: ${id}` }
}
