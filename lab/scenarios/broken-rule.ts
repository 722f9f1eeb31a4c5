import { billingTurn } from '../billing.ts'
import { handOver } from '../hand-over.ts'
import { billingModel, checkingModel, hastyModel } from '../models.ts'
import { ordersTurn } from '../orders.ts'
import { play, type Scenario } from './scenario.ts'

/** The rule crosses in both tellings. In one of them the receiver does not follow it. */
export const brokenRule: Scenario = {
  id: 'broken-rule',
  title: 'a rule that is carried and broken',
  faulty: 'the receiver sends the invoice before anything is reserved',
  sound: 'the receiver reserves, then sends the invoice',
  run: ({ handspan, variant }) =>
    play({ handspan, variant, scenario: 'broken-rule' }, {}, async (run, services) => {
      const conversation = await ordersTurn(run, services.warehouse, { model: checkingModel })
      const { handoff, payload } = handOver(run, conversation, 'record')
      const lastMessage = await billingTurn(handspan, handoff.carrier, payload, services, {
        model: variant === 'faulty' ? hastyModel : billingModel,
      })
      return { handoff, lastMessage }
    }),
}
