// Two agents of the AI SDK in one call, with scripted models, so that it runs offline. The card is charged, and the next agent
// gets the words of the user only: what was charged does not cross.
import { generateText, stepCountIs, tool, wrapLanguageModel } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { start } from 'handspan'
import { install, middleware } from 'handspan/ai-sdk'
import { z } from 'zod'

const handspan = start({ service: 'support' })
install({ principal: { kind: 'human', id: 'u-17' } })

const call = (toolCallId, toolName, input) => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
})
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const scripted = (modelId, ...answers) =>
  wrapLanguageModel({
    model: new MockLanguageModelV3({
      modelId,
      doGenerate: async () => {
        const content = [answers.shift()].flat()
        const unified = content[0].type === 'text' ? 'stop' : 'tool-calls'
        return { content, finishReason: { unified }, usage, warnings: [] }
      },
    }),
    middleware: middleware(),
  })

const triage = scripted(
  'triage',
  call('call_charge', 'charge_card', { order: 9 }),
  call('call_transfer', 'transfer_to_refunds', { reason: 'settle the order' }),
)
const refunds = scripted('refunds', { type: 'text', text: 'Shall I charge the card now?' })

let active = 'triage'
const { text } = await generateText({
  model: triage,
  system: 'You triage.',
  prompt: 'Charge order 9 and settle it.',
  stopWhen: stepCountIs(5),
  tools: {
    charge_card: tool({ inputSchema: z.object({ order: z.number() }), execute: async () => 'receipt r-77' }),
    transfer_to_refunds: tool({
      inputSchema: z.object({ reason: z.string() }),
      execute: async () => {
        active = 'refunds'
        return 'transferred'
      },
    }),
  },
  prepareStep: ({ messages }) =>
    active === 'refunds'
      ? {
          model: refunds,
          system: 'You settle orders.',
          messages: messages.filter(({ role }) => role === 'user'),
        }
      : undefined,
})
console.log(text)
await handspan.shutdown()
