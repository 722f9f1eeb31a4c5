// Two agents of @openai/agents and a scripted model, so that it runs offline. The refund is handed over while the bank has
// not answered, through a filter that removes all tool calls.
import { Agent, handoff, Runner, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { removeAllTools } from '@openai/agents-core/extensions'
import { start } from 'handspan'
import { instrumentRunner } from 'handspan/openai-agents'
import { z } from 'zod'

const handspan = start({ service: 'support' })

const chargeCard = tool({
  name: 'charge_card',
  description: 'Charges a card.',
  parameters: z.object({ order: z.number(), idempotency_key: z.string() }),
  timeoutMs: 50,
  execute: () => new Promise((done) => setTimeout(() => done('charged'), 150)),
})
const refunds = new Agent({
  name: 'Refunds',
  instructions: 'You settle orders.',
  model: new ScriptedModel([[assistantMessage('The order is settled.')]]),
})
const triage = new Agent({
  name: 'Triage',
  instructions: 'You triage.',
  model: new ScriptedModel([
    [functionCall('charge_card', { order: 9, idempotency_key: 'order-9:charge' }, { callId: 'call_charge' })],
    [functionCall('transfer_to_Refunds', {}, { callId: 'call_transfer' })],
  ]),
  tools: [chargeCard],
  handoffs: [handoff(refunds, { inputFilter: removeAllTools })],
})

const runner = instrumentRunner(new Runner({ tracingDisabled: true }), {
  principal: { kind: 'human', id: 'u-17' },
})
const result = await runner.run(triage, 'Charge order 9 and settle it.')
console.log(result.finalOutput)
await new Promise((done) => setTimeout(done, 200))
await handspan.shutdown()
