import * as six from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import * as seven from 'ai-v7'
import { MockLanguageModelV4 } from 'ai-v7/test'
import { z } from 'zod'
import { type AISDKOptions, install, middleware } from '../../instrumentation/adapters/ai-sdk.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { capture } from '../instrumentation/captures.ts'

/** Both versions have what the stories use; their types are told apart by more than that. */
export type SDK = {
  version: 6 | 7
  generateText(options: object): Promise<{ text: string; content: Record<string, unknown>[] }>
  streamText(options: object): { fullStream: AsyncIterable<unknown> }
  ToolLoopAgent: new (options: object) => { generate(options: object): Promise<{ text: string }> }
  tool(options: object): object
  /** The setting that holds the instructions. */
  instructions: string
  stop: unknown
}

export const SIX = {
  ...(six as unknown as SDK),
  version: 6,
  instructions: 'system',
  stop: six.stepCountIs(12),
} as SDK
export const SEVEN = {
  ...(seven as unknown as SDK),
  version: 7,
  instructions: 'instructions',
  stop: seven.isStepCount(12),
} as SDK

type Part = Record<string, unknown>
export type Scripted = { doGenerateCalls: Asked[]; doStreamCalls: Asked[]; modelId: string }
type Asked = { prompt: unknown; tools?: unknown[] }

export const say = (text: string): Part[] => [{ type: 'text', text }]
export const call = (toolName: string, input: object, toolCallId: string): Part => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
})

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function finish(content: Part[]) {
  const calls = content.some(({ type }) => type === 'tool-call')
  return { finishReason: { unified: calls ? 'tool-calls' : 'stop', raw: undefined }, usage }
}

/** A model that gives one answer after another; `watched` puts the middleware before it in version 6. */
export function model(sdk: SDK, modelId: string, answers: Part[][]): Scripted {
  const script = [...answers]
  const next = () => {
    const content = script.shift()
    if (content === undefined) throw new Error(`${modelId} has no answer left`)
    return content
  }
  const streamed = (content: Part[]) => [
    { type: 'stream-start', warnings: [] },
    ...content.flatMap((part) =>
      part.type === 'text'
        ? [
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', delta: part.text },
            { type: 'text-end', id: '1' },
          ]
        : [part],
    ),
    { type: 'finish', ...finish(content) },
  ]
  const settings = {
    modelId,
    doGenerate: async () => {
      const content = next()
      return { content, ...finish(content), warnings: [] }
    },
    doStream: async () => ({ stream: six.simulateReadableStream({ chunks: streamed(next()) }) }),
  }
  const made =
    sdk.version === 6
      ? new MockLanguageModelV3(settings as never)
      : new MockLanguageModelV4(settings as never)
  return made as unknown as Scripted
}

/** The model as a program that wants the exact prompt uses it: version 7 needs no middleware. */
export function watched(sdk: SDK, scripted: Scripted): unknown {
  if (sdk.version === 7) return scripted
  return six.wrapLanguageModel({ model: scripted as never, middleware: middleware() })
}

export function tool(
  sdk: SDK,
  execute: ((input: never, options: never) => unknown) | undefined,
  others: object = {},
) {
  return sdk.tool({
    description: 'A tool.',
    inputSchema: z.looseObject({}),
    ...(execute === undefined ? {} : { execute }),
    ...others,
  })
}

/** Forgets what was installed, as in a new process. */
export function uninstall(): void {
  const global = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] }
  global.AI_SDK_TELEMETRY_INTEGRATIONS = []
}

export async function observed(act: () => Promise<unknown>, options: AISDKOptions = {}): Promise<RunEvent[]> {
  install(options)
  try {
    return await capture(act)
  } finally {
    uninstall()
  }
}

/** What the log says that an agent's model got, request by request. */
export function stored(events: RunEvent[], agent: string): unknown[] {
  return events
    .filter(({ kind, agent: by }) => (kind === 'handoff.received' || kind === 'model.input') && by === agent)
    .map(({ items }) => items)
}

/** What it really got, as JSON. */
export function real({ doGenerateCalls, doStreamCalls }: Scripted): unknown[] {
  return [...doGenerateCalls, ...doStreamCalls].map(({ prompt }) => JSON.parse(JSON.stringify(prompt)))
}
