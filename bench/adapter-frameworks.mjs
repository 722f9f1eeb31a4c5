// The runs of `adapters.mjs` on frameworks, with models that answer at once.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { tool as graphTool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { createHandoffTool, createSwarm } from '@langchain/langgraph-swarm'
import { Agent, Runner, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { generateText, tool as sdkTool, stepCountIs, wrapLanguageModel } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { install, middleware } from 'handspan/ai-sdk'
import { handspanCallbacks } from 'handspan/langgraph'
import { instrumentRunner } from 'handspan/openai-agents'
import { z } from 'zod'
import { AGENTS, CALLS } from './adapter-agents.mjs'

/** The answers of one agent: its calls one after another, then the handoff, or the last word. */
function answersOf(index) {
  const calls = Array.from({ length: CALLS }, (_, call) => [
    `save`,
    { amount: call },
    `call_${AGENTS[index]}_${call}`,
  ])
  const next = AGENTS[index + 1]
  return next === undefined ? [...calls, 'done'] : [...calls, [`transfer_to_${next}`, {}, `call_${next}`]]
}

export async function openaiAgents(observed) {
  const save = tool({
    name: 'save',
    description: 'Saves.',
    parameters: z.object({ amount: z.number() }),
    execute: ({ amount }) => `saved ${amount}`,
  })
  const agents = AGENTS.map((name, index) => {
    const steps = answersOf(index).map((answer) =>
      typeof answer === 'string'
        ? [assistantMessage(answer)]
        : [functionCall(answer[0], answer[1], { callId: answer[2], id: `fc_${answer[2]}` })],
    )
    return new Agent({ name, instructions: name, model: new ScriptedModel(steps), tools: [save] })
  })
  for (const [index, agent] of agents.entries()) agent.handoffs = agents.slice(index + 1, index + 2)
  const runner = new Runner({ tracingDisabled: true })
  await (observed ? instrumentRunner(runner) : runner).run(agents[0], 'go', { maxTurns: 40 })
}

class Scripted extends BaseChatModel {
  constructor(answers) {
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
    const answer = this.answers.shift()
    const id = `${answer[2] ?? answer}`
    const message =
      typeof answer === 'string'
        ? new AIMessage({ content: answer, id })
        : new AIMessage({
            content: '',
            id,
            tool_calls: [{ name: answer[0], args: answer[1], id: answer[2] }],
          })
    return { generations: [{ text: '', message }] }
  }
}

export async function langgraph(observed) {
  const save = graphTool(({ amount }) => `saved ${amount}`, {
    name: 'save',
    description: 'Saves.',
    schema: z.object({ amount: z.number() }),
  })
  const agents = AGENTS.map((name, index) => {
    const next = AGENTS[index + 1]
    const tools = next === undefined ? [save] : [save, createHandoffTool({ agentName: next })]
    return createReactAgent({ llm: new Scripted(answersOf(index)), tools, name, prompt: name })
  })
  const graph = createSwarm({ agents, defaultActiveAgent: 'a' }).compile()
  const input = { messages: [new HumanMessage('go')] }
  await graph.invoke(input, {
    recursionLimit: 200,
    ...(observed ? { callbacks: [handspanCallbacks()] } : {}),
  })
}

export async function aiSDK(observed) {
  globalThis.AI_SDK_TELEMETRY_INTEGRATIONS = []
  if (observed) install()
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  const models = AGENTS.map((modelId, index) => {
    const answers = answersOf(index)
    const doGenerate = async () => {
      const answer = answers.shift()
      const content =
        typeof answer === 'string'
          ? { type: 'text', text: answer }
          : {
              type: 'tool-call',
              toolName: answer[0],
              input: JSON.stringify(answer[1]),
              toolCallId: answer[2],
            }
      const unified = typeof answer === 'string' ? 'stop' : 'tool-calls'
      return { content: [content], finishReason: { unified }, usage, warnings: [] }
    }
    const model = new MockLanguageModelV3({ modelId, doGenerate })
    return observed ? wrapLanguageModel({ model, middleware: middleware() }) : model
  })
  let active = 0
  const transfers = AGENTS.slice(1).map((name) => [
    `transfer_to_${name}`,
    sdkTool({ inputSchema: z.object({}), execute: () => `transferred ${++active}` }),
  ])
  const save = sdkTool({
    inputSchema: z.object({ amount: z.number() }),
    execute: ({ amount }) => `saved ${amount}`,
  })
  await generateText({
    model: models[0],
    prompt: 'go',
    stopWhen: stepCountIs(40),
    tools: { save, ...Object.fromEntries(transfers) },
    prepareStep: () => ({ model: models[active], system: AGENTS[active] }),
  })
}
