import { a2a, a2aOne, a2aTask } from './forms/a2a.ts'
import { agno } from './forms/agno.ts'
import { modelMessages, uiMessages } from './forms/ai-sdk.ts'
import { ag2, autogenCore, autogenTeams } from './forms/autogen.ts'
import { anthropic, bedrock, mcp } from './forms/blocks.ts'
import { codex, opencode } from './forms/coding.ts'
import { copilotKit } from './forms/copilotkit.ts'
import type { Encoder, Item } from './forms/encoder.ts'
import { adk, gemini, geminiWithoutIds } from './forms/gemini.ts'
import { langchain4j, springAi } from './forms/java.ts'
import { langchain, langchainDicts } from './forms/langchain.ts'
import { letta } from './forms/letta.ts'
import { agentFramework, agentFrameworkNet, semanticKernel, semanticKernelPython } from './forms/microsoft.ts'
import { agentsSdk, agUi, chat, functions, openai } from './forms/openai.ts'
import { openHands, openHandsV0 } from './forms/openhands.ts'
import { pydantic } from './forms/pydantic.ts'
import { haystack, llamaIndex, llamaIndexBefore } from './forms/retrieval.ts'

/*
 * Plain items as the message formats of providers and frameworks write them. What a format has no form for stays as it is:
 * runtimes keep such items beside the provider's own.
 */

export type { Item } from './forms/encoder.ts'

const as = (item: Item) => item
const plain: Encoder = { message: as, call: as, result: as }

export const ENCODERS = {
  plain,
  openai,
  'agents-sdk': agentsSdk,
  chat,
  functions,
  anthropic,
  bedrock,
  mcp,
  gemini,
  'gemini-without-ids': geminiWithoutIds,
  adk,
  'ai-sdk': modelMessages,
  'ai-sdk-ui': uiMessages,
  langchain,
  'langchain-dicts': langchainDicts,
  pydantic,
  'autogen-core': autogenCore,
  'autogen-teams': autogenTeams,
  ag2,
  'ag-ui': agUi,
  a2a,
  'a2a-task': a2aTask,
  'a2a-1': a2aOne,
  'agent-framework': agentFramework,
  'agent-framework-net': agentFrameworkNet,
  'semantic-kernel': semanticKernel,
  'semantic-kernel-python': semanticKernelPython,
  haystack,
  'llama-index': llamaIndex,
  'llama-index-before': llamaIndexBefore,
  'spring-ai': springAi,
  langchain4j,
  letta,
  agno,
  codex,
  opencode,
  openhands: openHands,
  'openhands-v0': openHandsV0,
  copilotkit: copilotKit,
} satisfies Record<string, Encoder>

export type ItemForm = keyof typeof ENCODERS

export const FORMS = Object.keys(ENCODERS) as ItemForm[]

const WAYS: Record<string, keyof Encoder> = {
  message: 'message',
  tool_call: 'call',
  tool_result: 'result',
  file: 'file',
  reasoning: 'reasoning',
  approval: 'approval',
}

/** The items as the runtime writes them: one entry for several where it has but one. */
export function inForm(items: readonly Item[], form: ItemForm): Item[] {
  const encoder: Encoder = ENCODERS[form]
  const entries: { entry: Item; last: Item }[] = []
  for (const item of items) {
    const entry = structuredClone(encoded(item, encoder))
    const before = entries.at(-1)
    const joined =
      before !== undefined && belongs(before.last, item) ? encoder.join?.(before.entry, entry) : undefined
    if (joined === undefined) entries.push({ entry, last: item })
    else entries.splice(-1, 1, { entry: joined, last: item })
  }
  const list = entries.map(({ entry }) => entry)
  return encoder.whole === undefined || list.length === 0 ? list : [encoder.whole(list)]
}

function encoded(item: Item, encoder: Encoder): Item {
  const way = WAYS[String(item.type)]
  const encode = way === undefined ? undefined : (encoder[way] as ((item: Item) => Item) | undefined)
  return encode === undefined ? item : encode(item)
}

/**
 * An agent thinks and calls in the message that it writes, several tools at once; their answers come together, and a file
 * comes with the words about it.
 */
function belongs(before: Item, item: Item): boolean {
  const call = before.type === 'tool_call'
  if (item.type === 'tool_result') return call || before.type === 'tool_result'
  if (item.type === 'file') return before.type === 'message' && before.role === item.role
  const speaks = before.type === 'reasoning' || (before.type === 'message' && before.role === 'assistant')
  return item.type === 'tool_call' && (call || speaks) && before.author === item.author
}
