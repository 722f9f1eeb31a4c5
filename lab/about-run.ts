import type { Handoff, Run, RunOptions } from '../instrumentation/index.ts'
import { BILLING_TOOLS } from './billing.ts'
import { CUSTOMER, ORDER } from './order.ts'
import { ORDERS_TOOLS } from './orders.ts'
import type { Warehouse } from './warehouse.ts'

/** What is known of a run of the lab when it starts. */
export function aboutRun(labels: Record<string, string>, principal = CUSTOMER): RunOptions {
  return {
    principal,
    agents: [
      { name: 'orders', tools: ORDERS_TOOLS },
      { name: 'billing', tools: BILLING_TOOLS },
    ],
    labels: { lab: `order ${ORDER}`, ...labels },
  }
}

/**
 * What was still travelling arrives, and the lab looks into the warehouse. No agent can do that, so what it sees is
 * written last and apart: it is there to compare verdicts with what really happened.
 */
export async function theWorldGoesOn(run: Run, handoff: Handoff, warehouse: Warehouse): Promise<void> {
  warehouse.deliverLate()
  for (const { op, key } of handoff.record.open_operations) {
    run.truth(op!, (await warehouse.findByKey(key!)) === undefined ? 'failed' : 'settled')
  }
}
