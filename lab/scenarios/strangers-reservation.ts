import { billingTurn } from '../billing.ts'
import { handOver } from '../hand-over.ts'
import { WANTED } from '../order.ts'
import { ordersTurn } from '../orders.ts'
import { closeByKey, lookUpByDetails } from '../settling.ts'
import { play, type Scenario } from './scenario.ts'

const STRANGERS = { id: 'R-1', ...WANTED, key: 'shop-88/order-902' }

/** Somebody else holds 40 of A-7 as well. Details cannot tell whose they are; a key can. */
export const strangersReservation: Scenario = {
  id: 'strangers-reservation',
  title: "a stranger's reservation that matches the details",
  faulty: 'the key crossed, but the receiver looks for the reservation by its details',
  sound: 'the receiver closes the key',
  run: ({ handspan, variant }) =>
    play(
      { handspan, variant, scenario: 'strangers-reservation' },
      { trouble: 'delayed', reservations: [STRANGERS] },
      async (run, services) => {
        const conversation = await ordersTurn(run, services.warehouse)
        const { handoff, payload } = handOver(run, conversation, 'record')
        const lastMessage = await billingTurn(handspan, handoff.carrier, payload, services, {
          settle: variant === 'faulty' ? lookUpByDetails : closeByKey,
        })
        return { handoff, lastMessage }
      },
    ),
}
