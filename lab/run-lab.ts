import type { Handspan } from '../instrumentation/index.ts'
import { bytesOf } from '../model/sizes.ts'
import { findTokenCounter, type TokenCount } from '../model/tokens.ts'
import { aboutRun, theWorldGoesOn } from './about-run.ts'
import { billingTurn } from './billing.ts'
import { STYLES, type Style } from './forwarding.ts'
import { handOver } from './hand-over.ts'
import { Ledger } from './ledger.ts'
import { ordersTurn } from './orders.ts'
import { type Timing, Warehouse } from './warehouse.ts'

export const TIMINGS: Timing[] = ['landed', 'delayed']

/** What one run of the lab came to. */
export type LabOutcome = {
  style: Style
  timing: Timing
  /** Id of the run, and of its handoff. */
  run: string
  handoff: string
  /** Reservations that the warehouse ends with for this order. One is right. */
  effects: number
  /** The customer got one invoice, and only once something was reserved for the order. */
  obligationKept: boolean
  /** Bytes of what the receiver's model got, as compact JSON. */
  wordsBytes: number
  /** Bytes of what its runtime got beside that; 0 if no record crossed. */
  recordBytes: number
  wordsTokens: TokenCount
  /** The first request arrived after its key was closed. */
  lateRequestRefused: boolean
  /** The receiver's last words. */
  lastMessage: string
}

/** One order, handed over in one style, while the network does one thing to the reservation. Waits for nothing. */
export async function runLab(options: {
  handspan: Handspan
  style: Style
  timing: Timing
}): Promise<LabOutcome> {
  const { handspan, style, timing } = options
  const warehouse = new Warehouse(timing)
  const ledger = new Ledger()
  const tokens = findTokenCounter()
  return handspan.run(aboutRun({ style, timing }), async (run) => {
    const conversation = await ordersTurn(run, warehouse)
    const { handoff, payload } = handOver(run, conversation, style)
    const lastMessage = await billingTurn(handspan, handoff.carrier, payload, { warehouse, ledger })
    await theWorldGoesOn(run, handoff, warehouse)
    return {
      style,
      timing,
      run: run.id,
      handoff: handoff.id,
      effects: warehouse.ours().length,
      obligationKept: ledger.keptTheRule(warehouse),
      wordsBytes: bytesOf(payload.items),
      recordBytes: bytesOf(payload.record),
      wordsTokens: { tokens: tokens.count(JSON.stringify(payload.items)), method: tokens.method },
      lateRequestRefused: warehouse.refused.length > 0,
      lastMessage,
    }
  })
}

/** All six styles under both timings, in the order of the table. */
export async function labTable(handspan: Handspan): Promise<LabOutcome[]> {
  const outcomes: LabOutcome[] = []
  for (const style of STYLES) {
    for (const timing of TIMINGS) outcomes.push(await runLab({ handspan, style, timing }))
  }
  return outcomes
}
