import { isObject, listOf, textOf } from '../../model/json.ts'
import { observe } from '../observe.ts'
import { fieldOf } from '../storable.ts'
import type { AnyFunction } from '../tool.ts'
import { DelegationRequest, FRAMEWORK, ToolRequest } from './mcp-call.ts'
import { checkMCP, PACKAGE, withMeta } from './mcp-meta.ts'
import { Wire } from './mcp-wire.ts'
import { quietly } from './shared-guard.ts'
import type { AdapterOptions, ToolCall, ToolHints } from './shared-options.ts'
import { currentLog, type RunLog } from './shared-runs.ts'
import { warnMissing } from './shared-version.ts'

/** What the calling side can be told. Every field may be left out. */
export type MCPClientOptions = AdapterOptions & {
  /** The agent that calls. Default: the agent of the framework's call that it stands in, or of the current run's view. */
  agent?: string
  /** Tools behind which an agent works, with the name of that agent: such a call is a delegation, its answer the return. */
  agents?: Readonly<Record<string, string>>
  /** The model's tool-call id. The protocol has none; inside of a tool of an observed framework it is known. */
  call?: (call: ToolCall) => string | undefined
  /**
   * true: the record, built from the operations log, crosses with a delegation. Default false: nothing of the log goes to
   * the other side unless somebody says so.
   */
  record?: boolean
  /** The conversation of the agent that delegates, of which the arguments are what it passes on. */
  items?: (call: ToolCall) => readonly unknown[] | undefined
}

/** A client of the SDK, of whichever copy of the package. */
export type MCPClient = { callTool: AnyFunction; request: AnyFunction }

/**
 * Observes one client: every call of a tool, its answer, errors, time-outs and late answers. Gives the same client back.
 */
export function instrumentClient<C extends MCPClient>(client: C, options: MCPClientOptions = {}): C {
  quietly('instrumentClient', () => patch(client, options))
  return client
}

const patched = new WeakSet<object>()

function patch(client: MCPClient, options: MCPClientOptions): void {
  checkMCP()
  if (patched.has(client)) return
  const { callTool, request } = client
  if (typeof callTool !== 'function' || typeof request !== 'function') {
    warnMissing(PACKAGE, 'the client has no callTool or no request')
    return
  }
  patched.add(client)
  const calls = new ClientCalls(options)
  const wire = new Wire()
  // Every way to call a tool goes through `request`, and what `callTool` makes of an answer comes after it.
  client.request = (asked: unknown, ...others: unknown[]) => {
    const pass = (message: unknown) => Reflect.apply(request, client, [message, ...others])
    const method = fieldOf(asked, 'method')
    if (method === 'tools/list') {
      return observe(pass(asked), {
        settled: (listed) => quietly('a list of tools', () => calls.listed(listed)),
        failed: () => {},
      })
    }
    const params = fieldOf(asked, 'params')
    if (method !== 'tools/call' || !isObject(params)) return pass(asked)
    const call = quietly('an MCP call', () => calls.begin(params))
    if (call === undefined) return pass(asked)
    const seen = quietly('an MCP transport', () => wire.watch(fieldOf(client, 'transport'))) === true
    if (!seen) call.left()
    const message = { ...(asked as object), params: withMeta(params, call.meta) }
    return observe(
      wire.request(call, () => pass(message)),
      {
        settled: (result) => quietly('an MCP answer', () => call.answered({ result })),
        failed: (error) => quietly('an MCP error', () => call.broken(error, others)),
      },
    )
  }
}

/** The calls of one client, and what its server says of its tools. */
class ClientCalls {
  readonly #options: MCPClientOptions
  readonly #tools = new Map<string, unknown>()

  constructor(options: MCPClientOptions) {
    this.#options = options
  }

  listed(result: unknown): void {
    for (const tool of listOf(fieldOf(result, 'tools'))) {
      this.#tools.set(textOf(fieldOf(tool, 'name')) ?? '', tool)
    }
  }

  /** The call is about to leave. */
  begin(params: object): ToolRequest | DelegationRequest | undefined {
    const log = currentLog(FRAMEWORK, this.#options)
    // Without captures nothing is added to a request.
    if (!log.handspan.enabled) return undefined
    const asked = this.#callOf(params)
    const outer = log.calls.around(asked)
    const call = outer?.call.call ?? this.#named(asked)
    const agent = asked.agent ?? outer?.call.agent ?? log.run.agentName
    const to = this.#options.agents?.[asked.name]
    if (to !== undefined) return this.#delegate(log, { ...asked, call, agent }, to)
    return new ToolRequest(log, outer?.carry() ?? log.calls.start({ ...asked, call, agent }))
  }

  #callOf(params: object): ToolCall {
    const name = textOf(fieldOf(params, 'name')) ?? 'unnamed'
    const definition = this.#tools.get(name)
    const hints = fieldOf(definition, 'annotations') as ToolHints | undefined
    return { name, args: fieldOf(params, 'arguments'), agent: this.#options.agent, definition, hints }
  }

  #named(asked: ToolCall): string | undefined {
    const { call } = this.#options
    return typeof call === 'function' ? textOf(quietly('option call', () => call(asked))) : undefined
  }

  #delegate(log: RunLog, asked: ToolCall, to: string): DelegationRequest {
    const { items, record } = this.#options
    const { agent: from, call, args } = asked
    const before = typeof items === 'function' ? quietly('option items', () => items(asked)) : undefined
    const handoff = log.run.handoff({
      ...(from === undefined ? {} : { from }),
      to,
      mode: 'delegate',
      brief: args,
      ...(before === undefined ? {} : { items: before }),
      ...(call === undefined ? {} : { call }),
      transport: 'mcp',
      ...(record === true ? {} : { record: false as const }),
    })
    return new DelegationRequest(log, handoff, { from, to, call }, record === true)
  }
}
