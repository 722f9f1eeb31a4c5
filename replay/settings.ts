import { fromJsonText, isObject, textOf } from '../model/json.ts'
import { isKind, type RunEvent } from '../model/run-log.ts'
import { ruleNames } from './facts/tool-names.ts'
import type { Severity } from './finding.ts'

/** A named pattern for values that must not travel on. The pattern has the flag `g`. */
export type Detector = { name: string; pattern: RegExp }

/** Limits of the checks that have one; each replaces the built-in value. */
export type Thresholds = {
  /** From how many hops on, and from which factor on, growth is reported. Built in: 3 and 3 (2 over five hops). */
  'payload-growth'?: { hops?: number | undefined; factor?: number | undefined } | undefined
  /** Tokens that a receiver may get where the log states no limit. Built in: none. */
  'payload-too-large'?: { tokens?: number | undefined } | undefined
}

/** What a user says about the own system. A plain value: the same events and settings give the same analysis. */
export type Settings = {
  /** By id of the check; `off` leaves it out. */
  severities?: Readonly<Record<string, Severity | 'off'>> | undefined
  thresholds?: Thresholds | undefined
  /** Tools by name, or by a pattern with `*`. They win over what the log says, and `write` wins over `read`. */
  effects?: { read?: readonly string[] | undefined; write?: readonly string[] | undefined } | undefined
  /** Tool (or pattern with `*`) to the names of arguments that hold its idempotency key, the first that is there. */
  keys?: Readonly<Record<string, readonly string[]>> | undefined
  detectors?: readonly Detector[] | undefined
}

/** The events as the settings make them read: effects of tools and keys among arguments. Events are not changed. */
export function applySettings(events: readonly RunEvent[], settings: Settings): readonly RunEvent[] {
  const { effects, keys } = settings
  if (effects === undefined && keys === undefined) return events
  const tools = toolsOf(events)
  return events.map((event) => {
    if (!isKind(event, 'operation')) return event
    const tool = event.tool ?? tools.get(event.op)
    if (tool === undefined) return event
    const effect = effectOfTool(tool, settings)
    const key = event.key === undefined ? keyOfCall(tool, fromJsonText(event.args), keys) : undefined
    if (effect === undefined && key === undefined) return event
    return { ...event, ...(effect === undefined ? {} : { effect }), ...(key === undefined ? {} : { key }) }
  })
}

/** The tool of each operation: only one of its entries need name it. */
function toolsOf(events: readonly RunEvent[]): Map<string, string> {
  const tools = new Map<string, string>()
  for (const event of events) {
    if (isKind(event, 'operation') && event.tool !== undefined) tools.set(event.op, event.tool)
  }
  return tools
}

function effectOfTool(tool: string, { effects }: Settings): 'read' | 'write' | undefined {
  if (effects?.write?.some((pattern) => ruleNames(pattern, tool))) return 'write'
  return effects?.read?.some((pattern) => ruleNames(pattern, tool)) ? 'read' : undefined
}

function keyOfCall(tool: string, args: unknown, keys: Settings['keys']): string | undefined {
  if (keys === undefined || !isObject(args)) return undefined
  const names = Object.entries(keys).flatMap(([pattern, named]) => (ruleNames(pattern, tool) ? named : []))
  for (const name of names) {
    const value = args[name]
    const key = typeof value === 'number' ? String(value) : textOf(value)
    if (key !== undefined) return key
  }
  return undefined
}
