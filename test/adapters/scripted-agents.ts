import { Agent, handoff, Runner, type Tool, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import type { removeAllTools } from '@openai/agents-core/extensions'
import { expect } from 'vitest'
import { z } from 'zod'
import { instrumentRunner, type OpenAIAgentsOptions } from '../../instrumentation/adapters/openai-agents.ts'
import { start } from '../../instrumentation/index.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { analyse } from '../../replay/index.ts'
import { capture, ofKind } from '../instrumentation/captures.ts'

export const say = assistantMessage

/** A call of the model. */
export function call(name: string, args: Record<string, unknown>, callId: string) {
  return functionCall(name, args, { callId, id: `fc_${callId}` })
}

/** One answer of the model after another. */
export function script(...answers: unknown[][]): ScriptedModel {
  return new ScriptedModel(answers as never)
}

/** A function tool. */
export function toolOf(
  name: string,
  execute: (args: Record<string, unknown>) => unknown,
  options: Record<string, unknown> = {},
): Tool {
  const parameters = z.object({ amount: z.number().optional() }).loose()
  return tool({ name, description: name, parameters, strict: true, execute, ...options } as never) as Tool
}

/** Agents with the models that they ask; the names of the models are those of the agents. */
export type Story = {
  models: Record<string, ScriptedModel>
  play: (runner: Runner) => Promise<unknown>
}

export type Played = { events: RunEvent[]; models: Record<string, ScriptedModel>; result: unknown }

/**
 * Plays a story without handspan, then under observation, and gives what was captured. The models are asked the same both
 * times, byte for byte; runs that go on at once may ask in another order.
 */
export async function observed(
  story: () => Story,
  options: OpenAIAgentsOptions = {},
  config: ConstructorParameters<typeof Runner>[0] = {},
): Promise<Played> {
  const alone = story()
  // The program itself may use handspan: what it writes is of no interest here.
  await capture(() => alone.play(new Runner(config)).catch(() => {}))
  const { models, play } = story()
  let result: unknown
  const events = await capture(async () => {
    result = await play(instrumentRunner(new Runner(config), options)).catch((error) => error)
  })
  expect(requestsOf(models).sort()).toEqual(requestsOf(alone.models).sort())
  return { events, models, result }
}

/** Every request that the scripted models recorded, without what differs from run to run. */
export function requestsOf(models: Record<string, ScriptedModel>): string[] {
  return Object.entries(models).flatMap(([name, model]) =>
    model.calls.map(({ request, streamed }) => {
      const {
        signal: _signal,
        _internal,
        tracing: _tracing,
        ...rest
      } = request as unknown as Record<string, unknown>
      return JSON.stringify({ name, streamed, ...rest })
    }),
  )
}

/** What the log says that the model of an agent got, request by request, as JSON. */
export function storedInputs(events: RunEvent[], agent: string): string[] {
  return events
    .filter(({ kind, agent: by }) => (kind === 'handoff.received' || kind === 'model.input') && by === agent)
    .map(({ items }) => JSON.stringify(items))
}

/** What the model of an agent really got, request by request, as JSON. */
export function realInputs(model: ScriptedModel): string[] {
  return model.calls.map(({ request }) => JSON.stringify(request.input))
}

/** The checks that find something in the log. */
export function found(events: RunEvent[]): string[] {
  return [...new Set(analyse(events).findings.map(({ check }) => check))].sort()
}

export function states(events: RunEvent[], name: string): unknown[] {
  return ofKind(events, 'operation').flatMap((event) => (event.tool === name ? [event.state] : []))
}

export const later = <T>(ms: number, value: T) => new Promise<T>((done) => setTimeout(() => done(value), ms))

/** Three calls side by side, one of them late; then a handoff, filtered or not. */
export function refund(inputFilter?: typeof removeAllTools, stream = false): Story {
  const models = {
    Triage: script(
      [call('charge', { amount: 42 }, 'c1'), call('mail', {}, 'c2'), call('ship', {}, 'c3')],
      [call('transfer_to_Refunds', {}, 'h1')],
    ),
    Refunds: script([call('look_up', {}, 'c4')], [say('done')]),
  }
  const refunds = new Agent({
    name: 'Refunds',
    instructions: 'You do refunds',
    model: models.Refunds,
    tools: [toolOf('look_up', () => 'paid')],
  })
  const triage = new Agent({
    name: 'Triage',
    instructions: 'You triage',
    model: models.Triage,
    tools: [
      toolOf('charge', ({ amount }) => `charged ${amount}`),
      toolOf('mail', () => Promise.reject(new Error('SMTP 451'))),
      toolOf('ship', () => later(120, 'shipped'), { timeoutMs: 20 }),
    ],
    handoffs: [inputFilter === undefined ? refunds : handoff(refunds, { inputFilter })],
  })
  return {
    models,
    play: async (runner) => {
      const result: unknown = stream
        ? await runner.run(triage, 'please refund order 9', { stream })
        : await runner.run(triage, 'please refund order 9')
      if (stream) for await (const _event of result as AsyncIterable<unknown>);
      await later(150, undefined)
      return result
    },
  }
}

export function byRun(events: RunEvent[]): Map<string, RunEvent[]> {
  return new Map(
    [...new Set(events.map(({ run }) => run))].map((id) => [id, events.filter(({ run }) => run === id)]),
  )
}

/** Inside one handspan run, as a program does that starts it itself. */
export async function runFor(act: () => Promise<unknown>): Promise<unknown> {
  return start().run({ id: 'run-of-the-program', principal: { kind: 'human', id: 'u-17' } }, act)
}

export { Agent, Runner }
