import { type Json, textOf } from '../../model/json.ts'
import type { Handoff } from '../handoff.ts'
import type { Received } from '../received.ts'
import { fieldOf } from '../storable.ts'
import { type Request, stepItems, targetOf, toolCallOf, wordsOf } from './ai-sdk-parts.ts'
import type { CallEntry } from './shared-calls.ts'
import { quietly } from './shared-guard.ts'
import type { AdapterOptions, ToolCall } from './shared-options.ts'
import type { RunLog } from './shared-runs.ts'

/** What the adapter can be told. Every field may be left out. */
export type AISDKOptions = AdapterOptions & {
  /** Names of the tools by which a model hands over to another agent. Default: `transfer…`, `handoff…`, `handover…`. */
  handoffTools?: RegExp
  /** Names the agent behind a request. Default: `functionId`, else the tool it runs in, else the model. */
  agent?: (request: { model: string; instructions: unknown; functionId?: string }) => string | undefined
}

const HANDOFF_TOOLS = /^(transfer|hand_?off|hand_?over)/i

/** A call of a tool in which another call of the SDK runs. */
export type Parent = { session: Session; call: ToolCall }

type How = 'tool_argument' | 'nesting' | 'next_span'
type Open = { handoff: Handoff; by: string; how: How }

/** One call of `generateText` or `streamText`, step by step. */
export class Session {
  readonly log: RunLog
  readonly parent: Parent | undefined
  agent = 'agent'
  readonly #options: AISDKOptions
  #request: Request | undefined
  /** Told of at the next event, since the middleware may know it better by then. */
  #untold: Request | undefined
  #items: Json[] = []
  #open: Open[] = []
  #received: Received[] = []
  #report = ''
  #delegation: Handoff | undefined
  readonly #calls = new Map<string, CallEntry>()

  constructor(log: RunLog, parent: Parent | undefined, options: AISDKOptions) {
    this.log = log
    this.parent = parent
    this.#options = options
  }

  /** The model of the last request. */
  get model(): string | undefined {
    return this.#request?.model
  }

  /** A step begins. `functionId` is the name that the program gave the call. */
  step(request: Request, functionId: string | undefined): void {
    this.flush()
    const { agent } = this.#options
    const named =
      typeof agent === 'function'
        ? quietly('option agent', () => agent({ ...request, ...(functionId ? { functionId } : {}) }))
        : undefined
    const before = this.#request
    if (before === undefined) this.#begin(named ?? functionId ?? this.parent?.call.name ?? request.model)
    else if (this.#open.length === 0 && isAnother(before, request)) {
      this.#transfer(named ?? request.model, 'next_span')
    } else if (named !== undefined && this.#open.length > 0) this.agent = named
    this.#request = request
    this.#untold = request
    this.#items = request.items
  }

  /** The prompt as the model gets it. */
  exact(items: Json[], tools: unknown[] | undefined): void {
    if (this.#untold === undefined) return
    this.#untold = { ...this.#untold, items, tools: tools ?? this.#untold.tools }
    this.flush()
  }

  /** Tells of the request of the step, if that is still to be done: it is what the receivers got. */
  flush(): void {
    const request = this.#untold
    if (request === undefined) return
    this.#untold = undefined
    const { agent, log } = this
    const payload = {
      items: request.items,
      ...(request.instructions === undefined ? {} : { instructions: request.instructions }),
      ...(request.tools === undefined ? {} : { tools: request.tools }),
    }
    this.#received = this.#open.map(({ handoff, by, how }) =>
      log.handspan.receive(handoff.carrier, { by, ...payload, transport: 'in_process', evidence: how }),
    )
    if (this.#open.length === 0) log.run.modelInput({ agent, ...payload })
    this.#open = []
    this.#items = request.items
  }

  /** The model has answered with these parts; the results of calls may be among them. */
  answered(content: readonly unknown[]): void {
    this.flush()
    if (this.#request !== undefined) this.#items = [...this.#request.items, ...stepItems(content)]
    for (const received of this.#received) received.accept()
    this.#received = []
  }

  toolStarted(toolCall: unknown): ToolCall {
    this.flush()
    const call = toolCallOf(toolCall, this.agent)
    if (!this.isHandoffTool(call.name)) this.#calls.set(call.call ?? call.name, this.log.calls.start(call))
    return call
  }

  toolEnded(toolCall: unknown, outcome: { result?: unknown; error?: unknown }): void {
    const call = toolCallOf(toolCall, this.agent)
    const entry = this.#calls.get(call.call ?? call.name)
    this.#calls.delete(call.call ?? call.name)
    if (entry === undefined) {
      if (outcome.error === undefined && this.isHandoffTool(call.name)) {
        this.#transfer(targetOf(call), 'tool_argument', call)
      }
    } else if (outcome.error !== undefined) entry.failed(outcome.error)
    else entry.settled(outcome.result)
  }

  /** A step is over. What the provider carried out itself stands in its content only. */
  stepEnded(content: readonly unknown[]): void {
    this.answered(content)
    this.#report = wordsOf(content)
    if (this.#report !== '') {
      this.log.run.message({ agent: this.agent, role: 'assistant', content: this.#report })
    }
    for (const part of content) {
      if (fieldOf(part, 'providerExecuted') !== true) continue
      if (fieldOf(part, 'type') === 'tool-call') this.toolStarted(part)
      else if (fieldOf(part, 'type') === 'tool-result') {
        this.toolEnded(part, { result: fieldOf(part, 'output') })
      } else if (fieldOf(part, 'type') === 'tool-error')
        this.toolEnded(part, { error: fieldOf(part, 'error') })
    }
  }

  /** Calls of the last answer by which the model hands over and that no code of the program carries out. */
  unanswered(content: readonly unknown[]): { to: string; call: ToolCall }[] {
    const done = new Set(
      content.flatMap((part) =>
        /^tool-(result|error)$/.test(String(fieldOf(part, 'type'))) ? [fieldOf(part, 'toolCallId')] : [],
      ),
    )
    return content.flatMap((part) => {
      if (fieldOf(part, 'type') !== 'tool-call' || done.has(fieldOf(part, 'toolCallId'))) return []
      const call = toolCallOf(part, this.agent)
      return this.isHandoffTool(call.name) ? [{ to: targetOf(call), call }] : []
    })
  }

  /** Hands over to a call of the SDK that the program will make next. */
  handOver(to: string, call: ToolCall): Handoff {
    return this.#send(to, 'transfer', 'tool_argument', call)
  }

  /** The first request of this session shows what the receiver of that handoff got. */
  expect(handoff: Handoff, how: How, by = this.agent): void {
    this.#open.push({ handoff, by, how })
  }

  /** It is over. Inside of a tool its words are what the tool gives back, and the next request of the caller shows them. */
  ended(): void {
    this.flush()
    const { parent } = this
    if (parent === undefined) return
    const handoff = this.#send(parent.session.agent, 'return', 'nesting', parent.call, this.#report)
    parent.session.expect(handoff, 'nesting')
  }

  /** It ended with an error; nobody waits for what is on its way. */
  broken(error: unknown): void {
    this.flush()
    for (const { handoff } of this.#open) handoff.failed('refused-before-effect', error)
    this.#open = []
    for (const entry of this.#calls.values()) entry.unknown(error)
    this.#calls.clear()
    // The task did arrive; what came of it, nobody knows.
    this.#delegation?.failed('unknown', error)
  }

  isHandoffTool(name: string): boolean {
    const { handoffTools } = this.#options
    // Not test(): a pattern with the flag g remembers where it was.
    return name.search(handoffTools instanceof RegExp ? handoffTools : HANDOFF_TOOLS) !== -1
  }

  #begin(name: string): void {
    this.agent = this.#open.at(-1)?.by ?? name
    if (this.parent === undefined) return
    const { session, call } = this.parent
    this.#delegation = session.#send(this.agent, 'delegate', 'nesting', call, call.args)
    this.expect(this.#delegation, 'nesting')
  }

  #transfer(to: string, how: How, call?: ToolCall): void {
    const handoff = this.#send(to, 'transfer', how, call)
    this.agent = to
    this.expect(handoff, how)
  }

  #send(to: string, mode: string, how: How, call?: ToolCall, brief?: unknown): Handoff {
    const reason = textOf(fieldOf(call?.args, 'reason'))
    return this.log.run.handoff({
      from: this.agent,
      to,
      mode,
      items: this.#items,
      inferred: how,
      ...(call?.call === undefined ? {} : { call: call.call }),
      ...(reason === undefined || mode !== 'transfer' ? {} : { reason }),
      ...(brief === undefined || brief === '' ? {} : { brief, policy: { history: 'brief' } }),
      transport: 'in_process',
      // The SDK has no place for a record: nothing but the messages crosses.
      record: false,
    })
  }
}

/** Another model under other instructions. One of both alone is the same agent, led in another way. */
function isAnother(before: Request, next: Request): boolean {
  return (
    before.model !== next.model && JSON.stringify(before.instructions) !== JSON.stringify(next.instructions)
  )
}
