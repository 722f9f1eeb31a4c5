import { isObject } from '../../model/json.ts'
import type { PrincipalInput } from '../record-types.ts'
import { fieldOf } from '../storable.ts'
import { quietly } from './shared-guard.ts'

/** A tool as the framework knows it. */
export type ToolInfo = {
  name: string
  /** The framework's own object for the tool, where a hook gives it. */
  definition?: unknown
  /** What the service behind the tool says of it, where the protocol has a place for that. Nobody has checked it. */
  hints?: ToolHints | undefined
}

/** The annotations of a tool in the Model Context Protocol. */
export type ToolHints = {
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** One call of a tool by a model. */
export type ToolCall = ToolInfo & {
  /** Arguments as they are dispatched. */
  args: unknown
  /** The model's tool-call id. It names the call, not the intended effect: it is no idempotency key. */
  call?: string | undefined
  /** The agent that calls. */
  agent?: string | undefined
}

/** What every adapter can be told. Every field may be left out. */
export type AdapterOptions = {
  /** Who starts the runs that the adapter starts itself, where no handspan run is current. */
  principal?: PrincipalInput
  /**
   * Names of the tools that change nothing anywhere. Every other tool counts as one that may have an effect, unless its
   * service says that it only reads (`hints.readOnlyHint`).
   */
  readOnly?: readonly string[]
  /** Says of a tool whether it may have an effect. Goes before `readOnly` and every hint; undefined leaves it to them. */
  effect?: (tool: ToolInfo) => 'read' | 'write' | undefined
  /**
   * Where the idempotency key of a call is: the names of its argument, or a function. Default: `idempotency_key`,
   * `idempotencyKey` or `idempotency-key` among the arguments or in their `headers`. Never the tool-call id.
   */
  key?: string | readonly string[] | ((call: ToolCall) => string | undefined)
}

/** Effect of a tool: read only where somebody said so. The program's own word counts more than that of the service. */
export function effectOf(options: AdapterOptions, tool: ToolInfo): 'read' | 'write' {
  const { effect, readOnly } = options
  const said = typeof effect === 'function' ? quietly('option effect', () => effect(tool)) : undefined
  if (said === 'read' || said === 'write') return said
  const listed = Array.isArray(readOnly) && readOnly.includes(tool.name)
  return listed || tool.hints?.readOnlyHint === true ? 'read' : 'write'
}

const KEY_NAMES = ['idempotency_key', 'idempotencyKey', 'idempotency-key']

/** The idempotency key of a call; undefined if it has none. */
export function keyOf(options: AdapterOptions, call: ToolCall): string | undefined {
  const { key } = options
  if (typeof key === 'function') return textValue(quietly('option key', () => key(call)))
  const names = key === undefined ? KEY_NAMES : [key].flat()
  const { args } = call
  if (!isObject(args)) return undefined
  return named(args, names) ?? named(headersOf(args), names)
}

function named(fields: unknown, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = textValue(fieldOf(fields, name))
    if (found !== undefined) return found
  }
  return undefined
}

/** Headers among the arguments, under lower-case names: header names have no case. */
function headersOf(args: object): Record<string, unknown> {
  const headers = fieldOf(args, 'headers')
  if (!isObject(headers)) return {}
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function textValue(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
