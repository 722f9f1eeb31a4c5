import { isObject, listOf, textOf } from '../../model/json.ts'
import type { Handoff } from '../handoff.ts'
import { fieldOf } from '../storable.ts'
import { readAnswers } from './langgraph-approvals.ts'
import { agentOf, argumentsOf, isHandoffTool, targetsOf, type Visit, visitsOf } from './langgraph-names.ts'
import { GraphSession, lastHumanMessage } from './langgraph-session.ts'
import type { CallEntry } from './shared-calls.ts'
import { quietly } from './shared-guard.ts'
import type { AdapterOptions } from './shared-options.ts'
import { currentLog, WaitingRuns } from './shared-runs.ts'

type Root = { name: string; inputs: unknown; thread: string | undefined; session: GraphSession | undefined }
type Call = Place & { call: string | undefined; entry: CallEntry | undefined; frame: Frame | undefined }
type Place = { session: GraphSession; agent: string; visits: Visit[] }

/** A run below a tool: a graph that the tool calls has visits below those of the tool, which are to be passed over. */
type Frame = {
  name: string
  depth: number
  outer: Call
  brief: unknown
  handoff: Handoff | undefined
  last: string
}
/** Where a run belongs. LangChain tells only the parent of each. */
type Link = { root: string; frame: Frame | undefined }

const FRAMEWORK = 'langgraph'

const waitingRuns = new WaitingRuns()

/** A callback handler of LangChain: it listens, gives nothing back, and never throws. */
export class HandspanHandler {
  readonly name = 'handspan'
  readonly lc_serializable = false
  readonly ignoreLLM = false
  readonly ignoreChain = false
  // Tools are told as acts of agents.
  readonly ignoreAgent = false
  readonly ignoreRetriever = true
  readonly ignoreCustomEvent = true
  readonly raiseError = false
  // In the background a callback would see messages as they have become since.
  readonly awaitHandlers = true
  readonly #options: AdapterOptions
  readonly #roots = new Map<string, Root>()
  readonly #links = new Map<string, Link>()
  readonly #nodes = new Map<string, Place>()
  readonly #calls = new Map<string, Call>()
  readonly #answers = new Map<string, (answer: unknown) => void>()

  constructor(options: AdapterOptions = {}) {
    this.#options = options
    // By this mark the framework tells a handler of interrupts of the graph.
    Object.assign(this, { [Symbol.for('langgraph.graph_callback_handler')]: true })
  }

  copy(): this {
    return this
  }

  handleChainStart(
    _chain: unknown,
    inputs: unknown,
    runId: string,
    parentRunId?: unknown,
    _tags?: unknown,
    metadata?: unknown,
    _runType?: unknown,
    runName?: unknown,
  ): void {
    quietly('a chain', () => {
      const parent = textOf(parentRunId)
      if (parent === undefined) {
        const thread = textOf(fieldOf(metadata, 'thread_id'))
        this.#roots.set(runId, { name: textOf(runName) ?? 'agent', inputs, thread, session: undefined })
      }
      const link =
        parent === undefined ? { root: runId, frame: undefined } : this.#linkBelow(parent, inputs, runName)
      if (link === undefined) return
      this.#links.set(runId, link)
      const node = textOf(fieldOf(metadata, 'langgraph_node'))
      const place = node !== undefined && runName === node ? this.#place(link, metadata) : undefined
      if (place === undefined) return
      this.#nodes.set(runId, place)
      place.session.begin(place.agent, fieldOf(inputs, 'messages'))
    })
  }

  handleChainEnd(output: unknown, runId: string): void {
    quietly('a chain', () => {
      this.#signalled(runId, output)
      this.#ended(runId)
    })
  }

  handleChainError(error: unknown, runId: string): void {
    quietly('a chain', () => {
      // A node leaves its graph by an error of this kind: the command goes on to the graph above.
      if (fieldOf(error, 'name') === 'ParentCommand') this.#signalled(runId, fieldOf(error, 'command'))
      this.#ended(runId, error)
    })
  }

  handleChatModelStart(
    _model: unknown,
    messages: unknown,
    runId: string,
    parentRunId?: unknown,
    extra?: unknown,
    _tags?: unknown,
    metadata?: unknown,
  ): void {
    quietly('a model request', () => {
      const link = this.#links.get(textOf(parentRunId) ?? '')
      const place = link && this.#place(link, metadata)
      // A tool that asks a model by itself is no agent.
      if (place === undefined || this.#calls.has(textOf(parentRunId) ?? '')) return
      if (link?.frame !== undefined) this.#delegate(link.frame, place)
      const tools =
        fieldOf(fieldOf(extra, 'invocation_params'), 'tools') ?? fieldOf(fieldOf(extra, 'options'), 'tools')
      const request = { messages: listOf(messages)[0], tools }
      this.#answers.set(runId, place.session.request(place.agent, place.visits, request))
    })
  }

  handleLLMEnd(output: unknown, runId: string): void {
    quietly('a model answer', () => {
      const [first] = listOf(listOf(fieldOf(output, 'generations'))[0])
      this.#answers.get(runId)?.(fieldOf(first, 'message'))
      this.#answers.delete(runId)
    })
  }

  handleLLMError(_error: unknown, runId: string): void {
    this.#answers.delete(runId)
  }

  handleToolStart(
    tool: unknown,
    input: unknown,
    runId: string,
    parentRunId?: unknown,
    _tags?: unknown,
    metadata?: unknown,
    runName?: unknown,
    toolCallId?: unknown,
  ): void {
    quietly('a tool', () => {
      const parent = textOf(parentRunId) ?? ''
      const link = this.#links.get(parent)
      const place = link && this.#place(link, metadata)
      // A tool that is made of another one: the call of the model is the outer one.
      if (link === undefined || place === undefined || this.#calls.has(parent)) return
      this.#links.set(runId, link)
      const { session, agent } = place
      const call = textOf(toolCallId)
      const name = textOf(runName) ?? textOf(fieldOf(tool, 'name')) ?? 'unnamed'
      const args = argumentsOf(input)
      const entry = isHandoffTool(name, args, metadata)
        ? undefined
        : session.log.calls.start({ name, args, call, agent, definition: tool })
      if (entry !== undefined) session.started(entry, agent)
      this.#calls.set(runId, { ...place, call, entry, frame: undefined })
    })
  }

  handleToolEnd(output: unknown, runId: string): void {
    quietly('a tool', () => {
      const found = this.#takeCall(runId)
      if (found === undefined) return
      const { session, agent, call, entry } = found
      const targets = targetsOf(output)
      const content = fieldOf(output, 'content') ?? output
      if (isObject(output) && targets.length === 0) session.add(agent, output)
      if (fieldOf(output, 'status') === 'error') entry?.failed({ name: 'ToolError', message: content })
      else entry?.settled(targets.length > 0 ? undefined : content)
      if (found.frame?.handoff !== undefined) session.report(found.frame.last, agent, content)
      for (const target of targets) session.signal(agent, target, call)
      if (entry !== undefined) session.ended(entry)
    })
  }

  handleToolError(error: unknown, runId: string): void {
    quietly('a tool', () => {
      const found = this.#takeCall(runId)
      found?.frame?.handoff?.failed('unknown', error)
      if (found?.entry === undefined) return
      const { session, entry } = found
      if (fieldOf(error, 'name') === 'GraphInterrupt') {
        session.asked(entry, listOf(fieldOf(error, 'interrupts')))
      } else entry.failed(error)
      session.ended(entry)
    })
  }

  /** The graph pauses. A tool that asked has been seen; what a node or a middleware asks is seen here. */
  handleInterrupt(event: unknown): void {
    quietly('an interrupt', () => {
      const root = this.#links.get(textOf(fieldOf(event, 'runId')) ?? '')?.root ?? ''
      const session = this.#roots.get(root)?.session
      session?.paused(listOf(fieldOf(event, 'interrupts')))
    })
  }

  /** What a node gives may be a command. */
  #signalled(runId: string, output: unknown): void {
    const node = this.#nodes.get(runId)
    if (node === undefined) return
    // A graph that stands in a node is known as that node once a handoff has led into it.
    const agent = node.session.enteredAs(node.visits) ?? node.agent
    for (const target of targetsOf(output)) node.session.signal(agent, target)
  }

  #takeCall(runId: string): Call | undefined {
    const found = this.#calls.get(runId)
    this.#calls.delete(runId)
    this.#links.delete(runId)
    return found
  }

  /** What runs below a tool is a graph that the tool calls, if anything below it asks a model. */
  #linkBelow(parent: string, inputs: unknown, runName: unknown): Link | undefined {
    const link = this.#links.get(parent)
    const outer = this.#calls.get(parent)
    if (link === undefined || outer === undefined) return link
    const own = textOf(runName)
    const name = own === undefined || own === 'LangGraph' ? (outer.entry?.call.name ?? 'agent') : own
    const depth = outer.visits.length + (link.frame?.depth ?? 0)
    const brief = fieldOf(inputs, 'messages') ?? inputs
    outer.frame = { name, depth, outer, brief, handoff: undefined, last: name }
    return { root: link.root, frame: outer.frame }
  }

  /** The first request to a model below a tool: from here on it is known to whom the tool delegates. */
  #delegate(frame: Frame, { session, agent }: Place): void {
    frame.last = agent
    const { outer, brief } = frame
    frame.handoff ??= session.delegate(outer.agent, agent, outer.call, brief)
  }

  /** Where a callback stands; undefined outside of graphs. The first one inside of a graph begins the session. */
  #place({ root: id, frame }: Link, metadata: unknown): Place | undefined {
    const root = this.#roots.get(id)
    const visits = visitsOf(metadata).slice(frame?.depth ?? 0)
    if (root === undefined || visits.length === 0) return undefined
    root.session ??= this.#begin(root)
    const { session } = root
    // The name that the framework gives is that of the outermost agent, also below a tool.
    const named = frame === undefined ? metadata : undefined
    const agent = session.enteredAs(visits) ?? agentOf(visits, named, frame?.name ?? session.root)
    return { session, agent, visits }
  }

  #begin({ name, inputs, thread }: Root): GraphSession {
    const log =
      (thread === undefined ? undefined : waitingRuns.take(thread)) ?? currentLog(FRAMEWORK, this.#options)
    readAnswers(log, inputs)
    const content = lastHumanMessage(inputs)
    if (content !== undefined) log.run.message({ role: 'user', content })
    return new GraphSession(log, name === 'LangGraph' ? 'agent' : name, thread)
  }

  #ended(runId: string, error?: unknown): void {
    this.#nodes.delete(runId)
    this.#links.delete(runId)
    const root = this.#roots.get(runId)
    if (root === undefined) return
    this.#roots.delete(runId)
    // After an abort not everything below it is told to have ended.
    for (const [id, link] of this.#links) if (link.root === runId) this.#links.delete(id)
    const { session } = root
    if (session === undefined) return
    const paused = fieldOf(error, 'name') === 'GraphInterrupt' || session.isPaused
    session.close(paused ? undefined : error)
    const { log, thread } = session
    if (log.owner !== FRAMEWORK) return
    if (paused && thread !== undefined) waitingRuns.add(thread, log)
    else if (error !== undefined && !paused) log.run.failed(error)
    else log.run.end()
  }
}
