import { isObject, textOf } from '../../model/json.ts'
import type { Handspan } from '../handspan.ts'
import { observe } from '../observe.ts'
import type { Received } from '../received.ts'
import type { Run } from '../run.ts'
import { start } from '../start.ts'
import { fieldOf } from '../storable.ts'
import type { AnyFunction } from '../tool.ts'
import { checkMCP, delegationIn, operationIn, PACKAGE, RECORD_FIELD } from './mcp-meta.ts'
import { quietly } from './shared-guard.ts'
import { Recent } from './shared-recent.ts'
import { warnMissing } from './shared-version.ts'

/** What the serving side can be told. */
export type MCPServerOptions = {
  /** Tools behind which an agent works, with the name of that agent: the same as at the client. */
  agents?: Readonly<Record<string, string>>
}

/** A server of the SDK: `McpServer`, or the `Server` below it. */
export type MCPServer = { connect: AnyFunction }

/**
 * Observes one server: what it is asked by clients that handspan observes too, and how that ended. While a tool works,
 * `handspan.current()` is the run of the client. To be called before or after its tools are registered. Gives the same
 * server back.
 */
export function instrumentServer<S extends MCPServer>(server: S, options: MCPServerOptions = {}): S {
  quietly('instrumentServer', () => patch(server, options))
  return server
}

type Handler = (request: unknown, ...others: unknown[]) => unknown

const patched = new WeakSet<object>()

function patch(given: MCPServer, options: MCPServerOptions): void {
  checkMCP()
  const server = fieldOf(given, 'server') ?? given
  const register = fieldOf(server, 'setRequestHandler')
  const handlers = fieldOf(server, '_requestHandlers')
  if (!isObject(server) || typeof register !== 'function' || !(handlers instanceof Map)) {
    warnMissing(PACKAGE, 'the server has no setRequestHandler or no handlers')
    return
  }
  if (patched.has(server)) return
  patched.add(server)
  const observed = (handler: Handler) => observedHandler(handler, options)
  Object.assign(server, {
    setRequestHandler: (schema: unknown, handler: Handler) =>
      Reflect.apply(register, server, [schema, observed(handler)]),
  })
  const before = handlers.get('tools/call')
  if (typeof before === 'function') handlers.set('tools/call', observed(before))
}

function observedHandler(handler: Handler, options: MCPServerOptions): Handler {
  return (request, ...others) => {
    const act = () => handler(request, ...others)
    if (fieldOf(request, 'method') !== 'tools/call') return act()
    const work = quietly('an MCP request', () => workOf(fieldOf(request, 'params'), options))
    if (work === undefined) return act()
    return observe(work.run.within(act), {
      settled: (result) => quietly('an MCP tool', () => work.done(result)),
      failed: () => {},
    })
  }
}

/** A request at work. */
type Work = { run: Run; done(result: unknown): void }

function workOf(params: unknown, { agents }: MCPServerOptions): Work | undefined {
  const handspan = start()
  if (!handspan.enabled) return undefined
  const meta = fieldOf(params, '_meta')
  const name = textOf(fieldOf(params, 'name')) ?? 'unnamed'
  const agent = agents?.[name]
  const carrier = delegationIn(meta)
  if (carrier !== undefined || agent !== undefined) {
    const item = { role: 'user', content: fieldOf(params, 'arguments') }
    const received = handspan.receive(carrier, {
      by: agent ?? name,
      items: [item],
      record: fieldOf(meta, RECORD_FIELD),
      transport: 'mcp',
    })
    received.accept()
    return { run: received.run, done: () => ended(received) }
  }
  const operation = operationIn(meta)
  return operation && served(operation)
}

/** Nobody else knows of the run of a sender without handspan. */
function ended({ orphan, run }: Received): void {
  if (orphan) run.end()
}

/**
 * A tool that a client called. What became of it is known here even where the client has given up on it and the protocol
 * drops the answer. It is the truth of that operation, not something that the client's agent could know.
 */
function served({ run: id, op }: { run: string; op: string }): Work {
  const run = runOf(id)
  return {
    run,
    done: (result) => {
      if (fieldOf(result, 'isError') !== true) run.truth(op, 'settled')
    },
  }
}

/** Runs of clients that this process takes part in, by their ids. */
const joinedBy = new WeakMap<Handspan, Recent<string, Run>>()

function runOf(id: string): Run {
  const handspan = start()
  const current = handspan.current()
  if (current?.id === id) return current
  const joined = joinedBy.get(handspan) ?? new Recent<string, Run>()
  joinedBy.set(handspan, joined)
  const run = joined.get(id) ?? handspan.startRun({ id })
  joined.set(id, run)
  return run
}
