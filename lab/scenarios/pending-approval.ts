import type { Approval, Received } from '../../instrumentation/index.ts'
import { billingTools, billingTurn, type Services } from '../billing.ts'
import type { Tools } from '../conversation.ts'
import { handOver } from '../hand-over.ts'
import { CUSTOMER, ORDER } from '../order.ts'
import { ordersTurn } from '../orders.ts'
import { play, type Scenario } from './scenario.ts'

/** The customer is asked before the invoice goes out, and says no. By then another agent has the task. */
export const pendingApproval: Scenario = {
  id: 'pending-approval',
  title: 'an approval that is pending at the handoff',
  faulty: 'only words cross: the receiver sends the invoice and does not know of the question',
  sound: 'the pending action crosses under its id and scope, and the receiver waits for the answer',
  run: ({ handspan, variant }) =>
    play({ handspan, variant, scenario: 'pending-approval' }, {}, async (run, services) => {
      const conversation = await ordersTurn(run, services.warehouse)
      run.constraint(
        'no invoice without a yes',
        { require_approval: { tool: 'send_invoice' } },
        { id: 'ask-first' },
      )
      const question = run.approval({ action: 'send_invoice', scope: { order: ORDER }, agent: 'orders' })
      const customer = new Customer(question)

      const { handoff, payload } = handOver(run, conversation, variant === 'faulty' ? 'full' : 'record')
      const lastMessage = await billingTurn(handspan, handoff.carrier, payload, services, {
        tools: (received, to) => waitingTools(received, to, customer),
      })
      customer.answer('orders')
      return { handoff, lastMessage }
    }),
}

/** Answers once, to whoever waits by then. */
class Customer {
  readonly #question: Approval
  #answered = false

  constructor(question: Approval) {
    this.#question = question
  }

  answer(to: string): string {
    if (!this.#answered) {
      this.#question.reject({ by: CUSTOMER.id, delivered_to: to, reason: 'wrong address' })
    }
    this.#answered = true
    return 'the customer said no'
  }
}

/** Sends the invoice at once if no question about it crossed, else waits for the answer to that very question. */
function waitingTools(received: Received, services: Services, customer: Customer): Tools {
  const tools = billingTools(received, services)
  const pending = received.record.pending_actions.some(({ action }) => action === 'send_invoice')
  return pending ? { ...tools, send_invoice: async () => customer.answer('billing') } : tools
}
