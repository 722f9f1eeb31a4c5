import { type Entry, item, operation, received, sent, start } from '../run-builder.ts'

/* A desk that is to refund a fee, needs a yes for it, and hands the dispute on. */

export const refund = { invoice: 'INV-77', amount: 18.4 }
export const user = item.user('u1', 'Die Mahngebühr bitte zurück.')

export const call = (state: string, fields: object = {}, agent = 'desk', op = 'op-1') =>
  operation(agent, op, 'refund_fee', refund, state, { key: `k-${op}`, call: `c-${op}`, ...fields })

export const approval = (state: string, fields: object = {}): Entry => ({
  kind: 'approval',
  id: 'ap-1',
  state,
  agent: 'desk',
  ...(state === 'pending' ? { action: 'refund_fee', scope: refund, for: 'op-1' } : {}),
  ...fields,
})

export const asked = [start(), call('proposed'), approval('pending')]

export const hand = (mode: string, after: object = {}, before: object = {}) => [
  sent('h1', 'desk', 'disputes', { mode, items_before: [user], ...before }),
  received('h1', 'disputes', { items: [user], ...after }),
]
