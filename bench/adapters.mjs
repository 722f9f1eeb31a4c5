// What the adapters cost: a run of 20 tool calls and 3 handoffs with and without handspan, on the real frameworks with models
// that answer at once. Real models take seconds, so the ratio is the worst there is; the milliseconds added are what stays.
// `npm run build && node bench/adapters.mjs [rounds]`; captures go to a folder that is removed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { tool as graphTool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { createHandoffTool, createSwarm } from '@langchain/langgraph-swarm'
import { Agent, Runner, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { start } from 'handspan'
import { handspanCallbacks } from 'handspan/langgraph'
import { instrumentRunner } from 'handspan/openai-agents'
import { z } from 'zod'

const ROUNDS = Number(process.argv[2] ?? 15)
const AGENTS = ['a', 'b', 'c', 'd']
const CALLS = 5

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

async function openaiAgents(observed) {
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

async function langgraph(observed) {
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

async function measured(act, observed) {
  const from = performance.now()
  await act(observed)
  return performance.now() - from
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]

const directory = mkdtempSync(join(tmpdir(), 'handspan-bench-'))
const handspan = start({ directory })
console.log(`20 tool calls, 3 handoffs, median of ${ROUNDS} rounds, taking turns\n`)
console.log('| framework | without | with | added | ratio |')
console.log('|---|--:|--:|--:|--:|')
for (const act of [openaiAgents, langgraph]) {
  const times = { plain: [], observed: [] }
  await act(false)
  await act(true)
  for (let round = 0; round < ROUNDS; round++) {
    times.plain.push(await measured(act, false))
    times.observed.push(await measured(act, true))
  }
  const [plain, observed] = [median(times.plain), median(times.observed)]
  const ms = (value) => `${value.toFixed(1)} ms`
  console.log(
    `| ${act.name} | ${ms(plain)} | ${ms(observed)} | ${ms(observed - plain)} | ${(observed / plain).toFixed(2)} |`,
  )
}
await handspan.shutdown()
const { written, bytes, errors, dropped } = handspan.counters()
console.log(`\n${written} events, ${(bytes / 1e6).toFixed(1)} MB, ${errors} errors, ${dropped} lost`)
rmSync(directory, { recursive: true, force: true })
