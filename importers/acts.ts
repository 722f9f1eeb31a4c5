import type { AgentReading, HandoffReading, ModelReading, OwnSide, ToolReading } from './reading.ts'
import type { SpanNode } from './span-tree.ts'

/*
 * What happened, as one instrumentation tells it: readings put in their place. `voice` is the instrumentation (the name
 * of its scope), by which two accounts of one run are told apart.
 */

type Told = { node: SpanNode; voice: string; rank: number; start: bigint; end: bigint | undefined }

export type AgentAct = Told &
  AgentReading & {
    /** The agent under whose run this one runs, and the call of a tool in between. */
    caller: AgentAct | undefined
    via: ToolAct | undefined
  }

export type ModelAct = Told &
  ModelReading & {
    /** The run of an agent that it belongs to, where the spans show it. */
    run: AgentAct | undefined
    error?: string
  }

export type ToolAct = Told &
  ToolReading & {
    run: AgentAct | undefined
    /** Set if the call is the way a handoff was made: then it is told as the handoff. */
    handsOver: boolean
  }

export type HandoffAct = Told &
  HandoffReading & {
    id: string
    /** The sender's run. */
    run: AgentAct | undefined
    /** The receiver's run, where nesting shows it. */
    inside: AgentAct | undefined
    attempt: number
    /** It arrived, and what the receiver did with it ended in this error. */
    broke?: string
    /** Only handoffs that handspan itself observed: what its spans say of each side. */
    sides?: { sent?: Side; received?: Side }
  }

export type Side = OwnSide & { node: SpanNode; start: bigint; end: bigint | undefined }

/** All that one or several accounts tell of one run. */
export type Acts = {
  agents: AgentAct[]
  models: ModelAct[]
  tools: ToolAct[]
  handoffs: HandoffAct[]
}

export function byTime(a: Told, b: Told): number {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1
  return a.node.span.spanId < b.node.span.spanId ? -1 : a.node.span.spanId > b.node.span.spanId ? 1 : 0
}

/** True if both were going on at some time. An act without an end is a moment. */
export function overlap(a: Told, b: Told): boolean {
  return a.start <= (b.end ?? b.start) && b.start <= (a.end ?? a.start)
}
