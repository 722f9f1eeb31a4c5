import { listOf, textOf } from '../../model/json.ts'
import { fieldOf } from '../storable.ts'
import { watchBody } from './openai-agents-body.ts'
import { type DeclaredHandoff, toolCallOf } from './openai-agents-items.ts'
import { type ModelWatch, watchModel, watchProvider } from './openai-agents-model.ts'
import { currentPlace, enterCall, observeRun } from './openai-agents-run.ts'
import { quietly } from './shared-guard.ts'
import type { AdapterOptions } from './shared-options.ts'
import { checkVersion, warnMissing } from './shared-version.ts'

export type { AdapterOptions as OpenAIAgentsOptions, ToolCall, ToolInfo } from './shared-options.ts'

type RunMethod = (this: object, ...args: unknown[]) => unknown
type Listener = (...args: unknown[]) => void

const NAME = '@openai/agents'
const TESTED = /^0\.20\./

/** Runners that the program named, with their options. */
const named = new WeakMap<object, AdapterOptions>()
/** Options of `install()`, which observes every runner. */
let everywhere: AdapterOptions | undefined

/**
 * Observes one runner, and what its agents run as tools. Gives the same runner back. The agents, and what their models
 * get, stay as they are.
 */
export function instrumentRunner<R extends object>(runner: R, options: AdapterOptions = {}): R {
  quietly('instrumentRunner', () => {
    if (patch(Object.getPrototypeOf(runner))) named.set(runner, options)
  })
  return runner
}

/**
 * Observes every runner of this process, those behind `run()` and `agent.asTool()` included. `Runner` may be given, where
 * the program has more than one copy of the package; otherwise the installed one is loaded.
 */
export async function install(options: AdapterOptions & { Runner?: unknown } = {}): Promise<void> {
  const { Runner, ...rest } = options
  const found = Runner ?? (await loadRunner())
  quietly('install', () => {
    if (patch(fieldOf(found, 'prototype'))) everywhere = rest
  })
}

async function loadRunner(): Promise<unknown> {
  try {
    return (await import('@openai/agents')).Runner
  } catch {
    return undefined
  }
}

const patched = new WeakSet<object>()

/** Puts the observation around `run` of a prototype, once. False if it has none. */
function patch(prototype: unknown): boolean {
  checkVersion(NAME, TESTED, 'tested with 0.20')
  const holder = holderOfRun(prototype)
  if (holder === undefined) {
    warnMissing(NAME, 'no Runner with a method run was found')
    return false
  }
  if (patched.has(holder)) return true
  const original = holder.run
  holder.run = function (this: object, ...args: unknown[]) {
    const act = () => Reflect.apply(original, this, args)
    const options = named.get(this) ?? everywhere ?? (currentPlace() === undefined ? undefined : {})
    if (options === undefined) return act()
    quietly('a runner', () => prepare(this, args))
    return observeRun(act, args, options)
  }
  patched.add(holder)
  return true
}

/** The lowest prototype that has `run`: a subclass calls it in the end. */
function holderOfRun(prototype: unknown): { run: RunMethod } | undefined {
  let holder: { run: RunMethod } | undefined
  for (let each = prototype; each !== null && typeof each === 'object'; each = Object.getPrototypeOf(each)) {
    if (Object.hasOwn(each, 'run') && typeof fieldOf(each, 'run') === 'function')
      holder = each as { run: RunMethod }
  }
  return holder
}

const watch: ModelWatch = { request: (request) => currentPlace()?.session.request(request) }

const listening = new WeakSet<object>()

/** Listens to a runner and watches the models that it can come to use. */
function prepare(runner: object, [agent, input]: readonly unknown[]): void {
  const config = fieldOf(runner, 'config')
  if (typeof config !== 'object' || config === null || typeof fieldOf(runner, 'on') !== 'function') {
    warnMissing(NAME, 'the runner has no events or no config')
    return
  }
  watchField(config, 'modelProvider', watchProvider)
  watchField(config, 'model', watchModel)
  // A resumed agent is not announced again.
  watchField(fieldOf(input, '_currentAgent') ?? agent, 'model', watchModel)
  if (listening.has(runner)) return
  listening.add(runner)
  const on = (event: string, listener: Listener) =>
    (runner as { on(event: string, listener: Listener): void }).on(event, (...args) => {
      quietly(event, () => listener(...args))
    })
  on('agent_start', (_context, starting) => agentStarted(starting))
  on('agent_handoff', (_context, from, to) => handedOff(config, from, to))
  on('agent_tool_start', (_context, by, tool, details) => toolStarted(by, tool, fieldOf(details, 'toolCall')))
  on('agent_tool_end', (_context, _by, _tool, text, details) => {
    currentPlace()?.session.toolEnded(fieldOf(details, 'toolCall'), String(text))
  })
}

function watchField(
  owner: unknown,
  name: 'model' | 'modelProvider',
  watched: <T extends object>(value: T, watch: ModelWatch) => T,
): void {
  const value = fieldOf(owner, name)
  if (typeof value !== 'object' || value === null) return
  const observed = watched(value, watch)
  if (observed !== value) (owner as Record<string, unknown>)[name] = observed
}

/** The framework looks up the model of an agent after this event. */
function agentStarted(agent: unknown): void {
  watchField(agent, 'model', watchModel)
  const place = currentPlace()
  if (place !== undefined) place.session.agent = textOf(fieldOf(agent, 'name')) ?? place.session.agent
}

function handedOff(config: object, from: unknown, to: unknown): void {
  const names = [from, to].map((agent) => textOf(fieldOf(agent, 'name')) ?? 'agent')
  currentPlace()?.session.handedOff(names[0]!, names[1]!, (tool) => declared(config, from, tool))
}

/** What the program declared of a handoff: its target, and the filter before it. */
function declared(config: object, agent: unknown, tool: string): DeclaredHandoff {
  const handoffs = listOf(fieldOf(agent, 'handoffs'))
  const handoff = handoffs.find((each) => fieldOf(each, 'toolName') === tool)
  const filter = fieldOf(handoff, 'inputFilter') ?? fieldOf(config, 'handoffInputFilter')
  const target = handoff === undefined ? handoffs.find((each) => toolNameOf(each) === tool) : undefined
  return {
    to: textOf(fieldOf(handoff, 'agentName')) ?? textOf(fieldOf(target, 'name')) ?? tool,
    ...(typeof filter === 'function' ? { filter: filter.name || 'inputFilter' } : {}),
  }
}

/** The name under which the framework offers an agent that stands in `handoffs` as it is. */
function toolNameOf(agent: unknown): string {
  return `transfer_to_${(textOf(fieldOf(agent, 'name')) ?? '').replace(/[^a-zA-Z0-9_]/g, '_')}`
}

function toolStarted(agent: unknown, tool: unknown, toolCall: unknown): void {
  const session = currentPlace()?.session
  if (session === undefined) return
  const call = toolCallOf(tool, toolCall, textOf(fieldOf(agent, 'name')))
  if (fieldOf(tool, 'type') === 'function') enterCall(call)
  // An agent as a tool has events of its own: what it does is a delegation, and stands in the log as one.
  if (typeof fieldOf(tool, 'on') === 'function') return
  const entry = session.log.calls.start(call)
  session.toolStarted(entry)
  watchBody(tool, entry)
}
