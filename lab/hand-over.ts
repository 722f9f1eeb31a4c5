import type { Handoff, HandoffRecord, Run } from '../instrumentation/index.ts'
import type { Item } from './conversation.ts'
import { FORWARDING, type Style } from './forwarding.ts'
import { ORDER } from './order.ts'

/** What leaves the sender: the words for the next model, and the record for its runtime where one crosses. */
export type Payload = { items: Item[]; record?: HandoffRecord }

/** `orders` hands over to `billing`: the conversation is cut, and the runtime says what it knows or keeps it. */
export function handOver(
  run: Run,
  conversation: readonly Item[],
  style: Style,
): { handoff: Handoff; payload: Payload } {
  const { words, carriesRecord } = FORWARDING[style]
  const items = words(conversation)
  const handoff = run.handoff({
    from: 'orders',
    to: 'billing',
    mode: 'transfer',
    reason: `order ${ORDER} is to be billed`,
    items: conversation,
    policy: { filter: style },
    task: `reserve and bill order ${ORDER}`,
    intent: '40 of A-7 set aside, then invoiced',
    status: { pending: ['send_invoice'] },
    evidence: [{ ref: 'call-1', summary: 'enough of A-7 in stock' }],
    next_action: 'send the invoice',
    stop_condition: 'the invoice is out',
    ...(style.startsWith('brief') ? { brief: items[0]?.content } : {}),
    ...(carriesRecord ? {} : { record: false }),
  })
  return { handoff, payload: carriesRecord ? { items, record: handoff.record } : { items } }
}
