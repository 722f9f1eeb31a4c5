/*
 * What one span says, in words that are the same for every dialect. A dialect reads one span; how spans hang together
 * is the skeleton's affair.
 */

/** How a handoff is known, in the order of trust. */
export const EVIDENCE = ['explicit', 'tool_argument', 'nesting', 'next_span', 'topology'] as const

export type Evidence = (typeof EVIDENCE)[number]

/** The span is one run of an agent; what hangs under it is its work. */
export type AgentReading = {
  name: string
  /** Names of the tools it is configured with, where the span lists them. */
  tools?: string[]
  /** Who gave it the task, where the span states that. */
  handedBy?: { from: string; evidence: Evidence }
  /** An agent that configuration puts before it, which is no evidence that it handed over. */
  configuredAfter?: string
}

/** The span is one request to a model and its answer. */
export type ModelReading = {
  /** Who asks, where the span itself says so. */
  agent?: string
  /** What the model got, verbatim, without the leading system messages. Undefined if the content was not captured. */
  items?: unknown[]
  instructions?: unknown
  tools?: unknown[]
  /** What it answered, as items. */
  answer?: unknown[]
  model?: string
  /** The provider's id of the answer. */
  response?: string
}

/** The span is one call of a tool. */
export type ToolReading = {
  name: string
  agent?: string
  /** The model's id of the call. */
  call?: string
  args?: unknown
  result?: unknown
  error?: string
  /** Only where the dialect knows that the call has no effect outside. */
  effect?: 'read'
  /** Set where the error leaves open whether the call took effect. */
  inDoubt?: boolean
}

/** The span states a handoff, or carries the data that does. */
export type HandoffReading = {
  evidence: Evidence
  mode: 'transfer' | 'delegate' | 'return' | (string & {})
  from?: string
  /** Undefined where the instrumentation does not know it. */
  to?: string
  call?: string
  tool?: string
  reason?: string
  brief?: unknown
  /** Why it came to nothing. */
  failed?: string
  /** What the call gave back, where control returns. */
  result?: unknown
  /** The id that another system gave the span, where it is none of OpenTelemetry's. */
  native?: string
  /** Only spans of handspan: they name the handoff and describe one side of it. */
  own?: OwnSide
}

/** One side of a handoff as handspan's own span has it. */
export type OwnSide = {
  run?: string
  handoff: string
  attempt: number
  side: 'sent' | 'received'
  outcome?: string
  orphan: boolean
  /** Sizes, counts and hashes; no content. */
  payload: Record<string, unknown>
}

/** Everything that one span says. Nothing at all is an answer too: a span that only groups others. */
export type Reading = {
  agent?: AgentReading
  model?: ModelReading
  tool?: ToolReading
  handoffs?: HandoffReading[]
  /** The conversation or session that it belongs to, by the user's id. */
  conversation?: string
  /** What the reader noticed and could not use. */
  notes?: string[]
}
