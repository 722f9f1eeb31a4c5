import { fieldOf } from '../storable.ts'
import { HandspanHandler } from './langgraph-handler.ts'
import { quietly } from './shared-guard.ts'
import type { AdapterOptions } from './shared-options.ts'
import { checkVersion, warnMissing } from './shared-version.ts'

export type { HandspanHandler } from './langgraph-handler.ts'
export type { AdapterOptions as LangGraphOptions, ToolCall, ToolInfo } from './shared-options.ts'

const NAME = '@langchain/langgraph'

/** The handler for `graph.withConfig({ callbacks: [handspanCallbacks()] })`, or for the callbacks of one call. */
export function handspanCallbacks(options: AdapterOptions = {}): HandspanHandler {
  checkVersion(NAME, /^1\./, 'tested with 1.7')
  return new HandspanHandler(options)
}

/**
 * Observes every graph of this process, with nothing changed at the call sites. A graph that has the callbacks as well is
 * observed once.
 */
export async function install(options: AdapterOptions = {}): Promise<void> {
  const handler = handspanCallbacks(options)
  const Manager = await loadManager()
  quietly('install', () => addEverywhere(Manager, handler))
}

async function loadManager(): Promise<unknown> {
  try {
    return (await import('@langchain/core/callbacks/manager')).CallbackManager
  } catch {
    return undefined
  }
}

type Manager = { handlers: { name?: string }[]; addHandler(handler: unknown, inherit: boolean): void }
type ManagerClass = { new (): Manager; _configureSync(...args: unknown[]): Manager | undefined }

let current: HandspanHandler | undefined

/**
 * LangChain's own hooks for this hold only in the asynchronous context that registers them, and an import is one of its
 * own. Every manager of callbacks is made here.
 */
function addEverywhere(found: unknown, handler: HandspanHandler): void {
  const original: unknown = fieldOf(found, '_configureSync')
  if (typeof original !== 'function') {
    warnMissing(NAME, 'the callback manager of @langchain/core was not found')
    return
  }
  const first = current === undefined
  current = handler
  if (!first) return
  const Class = found as ManagerClass
  Class._configureSync = function (...args: unknown[]) {
    const made: Manager | undefined = Reflect.apply(original, this, args)
    return quietly('a callback manager', () => withHandler(made ?? new Class())) ?? made
  }
}

function withHandler(manager: Manager): Manager {
  if (!manager.handlers.some(({ name }) => name === current?.name)) manager.addHandler(current, true)
  return manager
}
