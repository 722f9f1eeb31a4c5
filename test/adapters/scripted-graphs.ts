import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { createAgent } from 'langchain'
import { expect } from 'vitest'
import { z } from 'zod'
import { handspanCallbacks, type LangGraphOptions } from '../../instrumentation/adapters/langgraph.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { analyse } from '../../replay/index.ts'
import { capture, ofKind } from '../instrumentation/captures.ts'

/** One answer of a scripted model: a text, or calls `[name, args, id]`. */
export type Answer = string | [name: string, args: Record<string, unknown>, id: string][] | Error

let messages = 0

/** A chat model that answers from a script and keeps what it was given, as JSON at that moment. */
export class ScriptedChat extends BaseChatModel {
  readonly asked: string[] = []
  readonly toolNames: string[][] = []
  readonly answers: Answer[]
  offered: unknown[] = []

  constructor(answers: Answer[]) {
    super({})
    this.answers = answers
  }

  override invocationParams() {
    return { tools: this.offered }
  }

  _llmType() {
    return 'scripted'
  }

  override bindTools(tools: { name: string }[]) {
    this.toolNames.push(tools.map(({ name }) => name))
    // The copy shares the script and what it is asked.
    return Object.assign(Object.create(this), { offered: tools }) as never
  }

  async _generate(given: BaseMessage[]): Promise<ChatResult> {
    this.asked.push(JSON.stringify(given))
    const answer = this.answers.shift()
    if (answer === undefined) throw new Error('the script is at its end')
    if (answer instanceof Error) throw answer
    const id = `m-${++messages}`
    const message =
      typeof answer === 'string'
        ? new AIMessage({ content: answer, id })
        : new AIMessage({
            content: '',
            id,
            tool_calls: answer.map(([name, args, call]) => ({
              name,
              args,
              id: call,
              type: 'tool_call' as const,
            })),
          })
    return { generations: [{ text: typeof answer === 'string' ? answer : '', message }] }
  }
}

export function chat(...answers: Answer[]): ScriptedChat {
  return new ScriptedChat(answers)
}

// biome-ignore lint/suspicious/noExplicitAny: tools of the tests take what they like
type Body = (args: any, config: any) => unknown

export function toolOf(name: string, body: Body) {
  return tool(async (args, config) => body(args, config), {
    name,
    description: name,
    schema: z.object({ eur: z.number().optional() }).loose(),
  })
}

/** The three ways to build an agent of a graph. */
export const KINDS = ['createReactAgent v1', 'createReactAgent v2', 'createAgent'] as const
export type Kind = (typeof KINDS)[number]

type AgentOptions = { llm: ScriptedChat; tools: unknown[]; name: string; prompt?: string }

export function agentOf(kind: Kind, { llm, tools, name, prompt = name }: AgentOptions) {
  if (kind === 'createAgent') {
    return createAgent({ model: llm, tools: tools as never, name, systemPrompt: prompt }).graph as never
  }
  const version = kind.endsWith('v1') ? 'v1' : 'v2'
  return createReactAgent({ llm, tools: tools as never, name, prompt, version }) as never
}

export type Story = {
  models: Record<string, ScriptedChat>
  play: (config: Record<string, unknown>) => Promise<unknown>
}

/**
 * Plays a story without handspan, then under observation, and gives what was captured. The models are asked the same both
 * times, byte for byte; runs that go on at once may ask in another order.
 */
export async function observed(
  story: () => Story,
  options: LangGraphOptions = {},
): Promise<{ events: RunEvent[]; models: Record<string, ScriptedChat>; result: unknown }> {
  const alone = story()
  // The program itself may use handspan: what it writes is of no interest here.
  await capture(() => alone.play({}).catch(() => {}))
  const { models, play } = story()
  let result: unknown
  const events = await capture(async () => {
    result = await play({ callbacks: [handspanCallbacks(options)] }).catch((error) => error)
  })
  expect(requestsOf(models).sort()).toEqual(requestsOf(alone.models).sort())
  return { events, models, result }
}

/** What the models got, without the ids that differ from run to run. */
function requestsOf(models: Record<string, ScriptedChat>): string[] {
  const ids = /"(id|tool_call_id)":"(?:m-\d+|[0-9a-f]{8}-[0-9a-f-]{27})"/g
  return Object.entries(models).flatMap(([name, { asked, toolNames }]) =>
    [...asked, ...toolNames.map((each) => JSON.stringify(each))].map(
      (text) => `${name} ${text.replace(ids, '"$1":"-"')}`,
    ),
  )
}

/** What the log says that the model of an agent got, request by request, as JSON. */
export function storedInputs(events: RunEvent[], agent: string): string[] {
  return events
    .filter(({ kind, agent: by }) => (kind === 'handoff.received' || kind === 'model.input') && by === agent)
    .map(({ items }) => JSON.stringify(items))
}

/** The checks that find something in the log. */
export function found(events: RunEvent[]): string[] {
  return [...new Set(analyse(events).findings.map(({ check }) => check))].sort()
}

export function states(events: RunEvent[], name: string): unknown[] {
  return ofKind(events, 'operation').flatMap((event) => (event.tool === name ? [event.state] : []))
}
