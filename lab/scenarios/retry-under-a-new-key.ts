import { billingTurn } from '../billing.ts'
import { handOver } from '../hand-over.ts'
import { ordersTurn } from '../orders.ts'
import { leaveOpen, repeatUnderKey } from '../settling.ts'
import { play, type Scenario } from './scenario.ts'

/** The receiver sends the request again. Under its old key that is safe; under a new one it is another request. */
export const retryUnderANewKey: Scenario = {
  id: 'retry-under-a-new-key',
  title: 'a retry under a new key',
  faulty: 'the receiver leaves the key that crossed where it is and reserves under one of its own',
  sound: 'the receiver repeats the request under the key that crossed',
  run: ({ handspan, variant }) =>
    play(
      { handspan, variant, scenario: 'retry-under-a-new-key' },
      { trouble: 'landed' },
      async (run, services) => {
        const conversation = await ordersTurn(run, services.warehouse)
        const { handoff, payload } = handOver(run, conversation, 'record')
        const lastMessage = await billingTurn(handspan, handoff.carrier, payload, services, {
          settle: variant === 'faulty' ? leaveOpen : repeatUnderKey,
        })
        return { handoff, lastMessage }
      },
    ),
}
