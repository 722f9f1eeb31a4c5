// A swarm of two agents with a scripted model, so that it runs offline. The first charges a card and hands over in the same
// answer; the graph drops the result of the charge on the way.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { createHandoffTool, createSwarm } from '@langchain/langgraph-swarm'
import { start } from 'handspan'
import { handspanCallbacks } from 'handspan/langgraph'
import { z } from 'zod'

class Scripted extends BaseChatModel {
  constructor(...answers) {
    super({})
    this.answers = answers
  }
  _llmType() {
    return 'scripted'
  }
  bindTools() {
    return this
  }
  async _generate() {
    return { generations: [{ text: '', message: this.answers.shift() }] }
  }
}

const handspan = start({ service: 'support' })

const chargeCard = tool(({ order }) => `order ${order} is charged, receipt r-77`, {
  name: 'charge_card',
  description: 'Charges a card.',
  schema: z.object({ order: z.number() }),
})
const calls = [
  { name: 'charge_card', args: { order: 9 }, id: 'call_charge' },
  { name: 'transfer_to_refunds', args: {}, id: 'call_transfer' },
]
const triage = createReactAgent({
  llm: new Scripted(new AIMessage({ id: 'm1', content: '', tool_calls: calls })),
  tools: [chargeCard, createHandoffTool({ agentName: 'refunds' })],
  name: 'triage',
  prompt: 'You triage.',
})
const refunds = createReactAgent({
  llm: new Scripted(new AIMessage({ id: 'm2', content: 'Shall I charge the card now?' })),
  tools: [chargeCard],
  name: 'refunds',
  prompt: 'You settle orders.',
})

const graph = createSwarm({ agents: [triage, refunds], defaultActiveAgent: 'triage' })
  .compile()
  .withConfig({ callbacks: [handspanCallbacks({ principal: { kind: 'human', id: 'u-17' } })] })
const { messages } = await graph.invoke({ messages: [new HumanMessage('Charge order 9 and settle it.')] })
console.log(messages.at(-1).content)
await handspan.shutdown()
