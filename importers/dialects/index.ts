import type { Dialect } from '../dialect.ts'
import { agentFramework } from './agent-framework.ts'
import { aiSDK6 } from './ai-sdk-6.ts'
import { aiSDK7 } from './ai-sdk-7.ts'
import { genAI } from './genai.ts'
import { googleADK } from './google-adk.ts'
import { handspan } from './handspan.ts'
import { langfuse } from './langfuse.ts'
import { langSmith } from './langsmith.ts'
import { mastra } from './mastra.ts'
import { openAINative } from './openai-native.ts'
import { openInference } from './openinference.ts'
import { openInferenceAutoGen } from './openinference-autogen.ts'
import { openInferenceClaude } from './openinference-claude.ts'
import { openInferenceCrewAI } from './openinference-crewai.ts'
import { openInferenceLangChain } from './openinference-langchain.ts'
import { openInferenceOpenAIAgents } from './openinference-openai-agents.ts'
import { openLLMetry } from './openllmetry.ts'
import { openLLMetryOpenAIAgents } from './openllmetry-openai-agents.ts'
import { strands } from './strands.ts'

/**
 * Every dialect, the most trusted first: the first that recognises a span reads it, and where two instrumentations tell
 * the same, the earlier one is believed. The general ones come last of their kind.
 */
export const dialects: readonly Dialect[] = [
  handspan,
  openInferenceOpenAIAgents,
  googleADK,
  openInferenceLangChain,
  openInferenceAutoGen,
  openInferenceClaude,
  openInferenceCrewAI,
  aiSDK6,
  aiSDK7,
  mastra,
  strands,
  langSmith,
  agentFramework,
  openInference,
  openLLMetryOpenAIAgents,
  openLLMetry,
  genAI,
  langfuse,
  openAINative,
]
