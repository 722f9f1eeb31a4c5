// A run of a real framework, recorded by hand through the generic API: two agents, a tool with an effect, a handoff whose
// filter removes all tools. The model is the framework's own scripted one; what it gets is what a provider would get.
import { Agent, handoff, Runner, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { removeAllTools } from '@openai/agents-core/extensions'
import { z } from 'zod'
import { start } from '../../dist/index.js'

const handspan = start({ service: 'support' })
const seen = []

/** Keeps every request of a model, as it is at that moment. */
function watched(model, agent) {
  const { getResponse } = model
  model.getResponse = (request) => {
    seen.push({ agent, input: structuredClone(request.input), instructions: request.systemInstructions })
    return getResponse.call(model, request)
  }
  return model
}

await handspan.run({ principal: { kind: 'human', id: 'u-17' } }, async (run) => {
  const charge = run.tool(
    async () => {
      throw new DOMException('the bank does not answer', 'TimeoutError')
    },
    { name: 'charge_card', agent: 'Triage', key: 'order-9:charge', call: 'c1' },
  )
  const chargeCard = tool({
    name: 'charge_card',
    description: 'Charges the card.',
    parameters: z.object({ order: z.number(), amount: z.number() }),
    execute: (args) => charge(args).catch(() => 'no answer'),
  })
  const refunds = new Agent({
    name: 'Refunds',
    instructions: 'You settle orders.',
    model: watched(new ScriptedModel([[assistantMessage('done')]]), 'Refunds'),
  })
  const triage = new Agent({
    name: 'Triage',
    instructions: 'You triage.',
    model: watched(
      new ScriptedModel([
        [functionCall('charge_card', { order: 9, amount: 42 }, { callId: 'c1' })],
        [functionCall('transfer_to_Refunds', {}, { callId: 'h1' })],
      ]),
      'Triage',
    ),
    tools: [chargeCard],
    handoffs: [handoff(refunds, { inputFilter: removeAllTools })],
  })

  const runner = new Runner({ tracingDisabled: true })
  let sent
  runner.on('agent_handoff', (_context, from, to) => {
    const items = [...seen.at(-1).input]
    sent = run.handoff({
      from: from.name,
      to: to.name,
      mode: 'transfer',
      items,
      policy: { filter: 'removeAllTools' },
      record: false,
    })
  })
  await runner.run(triage, 'Charge order 9 and settle it.')
  const received = seen.find(({ agent }) => agent === 'Refunds')
  handspan.receive(sent.carrier, {
    by: 'Refunds',
    items: received.input,
    instructions: received.instructions,
  })
  process.stdout.write(JSON.stringify({ run: run.id, received }))
})
await handspan.shutdown()
