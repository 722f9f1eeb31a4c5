import type { Handoff, Handspan, Run } from '../../instrumentation/index.ts'
import { aboutRun, theWorldGoesOn } from '../about-run.ts'
import type { Services } from '../billing.ts'
import { Ledger } from '../ledger.ts'
import { type Reservation, type Timing, Warehouse } from '../warehouse.ts'

/** The same story told twice: once with the fault, once without. */
export type Variant = 'faulty' | 'sound'

/** What a scenario came to. */
export type ScenarioOutcome = {
  scenario: string
  variant: Variant
  run: string
  handoff: string
  /** Reservations that the warehouse ends with for this order. One is right. */
  effects: number
  /** What invoices went out for: ids of reservations. */
  invoiced: string[]
  lastMessage: string
}

/** A story with one fault in it. */
export type Scenario = {
  id: string
  title: string
  /** What makes the difference. */
  faulty: string
  sound: string
  run(options: { handspan: Handspan; variant: Variant }): Promise<ScenarioOutcome>
}

/** What a story starts from. */
export type Setting = {
  principal?: { kind: string; id: string }
  trouble?: Timing
  reservations?: Reservation[]
}

/** Plays one story as a run, and reports what it came to. */
export async function play(
  options: { handspan: Handspan; variant: Variant; scenario: string },
  { principal, trouble, reservations }: Setting,
  act: (run: Run, services: Services) => Promise<{ handoff: Handoff; lastMessage: string }>,
): Promise<ScenarioOutcome> {
  const { handspan, variant, scenario } = options
  const warehouse = new Warehouse(trouble, reservations)
  const ledger = new Ledger()
  return handspan.run(aboutRun({ scenario, variant }, principal), async (run) => {
    const { handoff, lastMessage } = await act(run, { warehouse, ledger })
    await theWorldGoesOn(run, handoff, warehouse)
    return {
      scenario,
      variant,
      run: run.id,
      handoff: handoff.id,
      effects: warehouse.ours().length,
      invoiced: ledger.invoices.map(({ reservation }) => reservation),
      lastMessage,
    }
  })
}
