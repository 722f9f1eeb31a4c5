import type {
  AgentExecutionEvent,
  AgentExecutor,
  ExecutionEventBus,
  RequestContext,
} from '@a2a-js/sdk/server'
import { ENVELOPE_FIELD, encodeEnvelope } from '../../model/envelope.ts'
import { hashJson } from '../../model/hash.ts'
import type { JsonObject } from '../../model/json.ts'
import { observe } from '../observe.ts'
import type { Received } from '../received.ts'
import { start } from '../start.ts'
import { fieldOf } from '../storable.ts'
import {
  checkA2A,
  envelopeOf,
  FINAL,
  messageItem,
  partItems,
  type Report,
  readReport,
  stateFields,
} from './a2a-message.ts'
import { quietly } from './shared-guard.ts'
import { Recent } from './shared-recent.ts'

/** What the receiving side is told. */
export type A2AExecutorOptions = {
  /** The agent that this executor is: the name in its card, so that both sides say the same. */
  agent: string
}

/**
 * Observes one executor: every message that it is given, and what it publishes. While it works, `handspan.current()` is the
 * run of the sender, so tools and further messages belong to it. Gives an executor that does the same.
 */
export function instrumentExecutor<E extends AgentExecutor>(executor: E, options: A2AExecutorOptions): E {
  checkA2A()
  return new Proxy(executor, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function' || name === 'constructor') return value
      // Private fields live on the thing itself, so its methods must be called on it.
      const method = value.bind(target)
      return name === 'execute' ? observed(method, options) : method
    },
  })
}

function observed(execute: AgentExecutor['execute'], options: A2AExecutorOptions): AgentExecutor['execute'] {
  return (context, bus) => {
    const work = quietly('an A2A message', () => new Work(context, options))
    if (work === undefined) return execute(context, bus)
    return work.received.run.within(() => {
      try {
        return observe(execute(context, watchBus(bus, work)), {
          settled: () => {},
          failed: (error) => quietly('an A2A executor', () => work.broken(error)),
        })
      } catch (error) {
        quietly('an A2A executor', () => work.broken(error))
        throw error
      }
    })
  }
}

function watchBus(bus: ExecutionEventBus, work: Work): ExecutionEventBus {
  return new Proxy(bus, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const method = value.bind(target)
      if (name !== 'publish') return method
      return (event: AgentExecutionEvent, ...others: unknown[]) => {
        quietly('an A2A event', () => work.published(event))
        return method(event, ...others)
      }
    },
  })
}

/** One message that the executor works on. */
class Work {
  readonly received: Received
  readonly #task: { id: string; context: string }
  #answered = false
  #state: string | undefined

  constructor(context: RequestContext, { agent }: A2AExecutorOptions) {
    this.#task = { id: context.taskId, context: context.contextId }
    this.received = receive(context, agent)
  }

  published(event: AgentExecutionEvent): void {
    const report = readReport(event)
    this.#answer(report)
    const isNew = report.state !== undefined && report.state !== this.#state
    if (isNew) this.#tell(report)
    // Words beside `working` are about the progress; the others are for the sender.
    if (report.message !== undefined && report.state !== 'working' && report.state !== 'submitted') {
      const { messageId, parts } = report.message
      this.#say(partItems(parts), messageId)
    }
    // A task that is not at its end may show results of before.
    if (report.state !== undefined && !FINAL.has(report.state)) return
    for (const { parts } of report.artifacts) this.#say(partItems(parts))
  }

  /** The framework will publish `failed` in the executor's place. */
  broken(error: unknown): void {
    this.#tell({ state: 'failed' }, error)
  }

  #answer({ state, message }: Report): void {
    if (this.#answered) return
    this.#answered = true
    if (state !== 'rejected') this.received.accept()
    else this.received.decline(message === undefined ? undefined : JSON.stringify(partItems(message.parts)))
  }

  #tell(report: Omit<Report, 'artifacts'>, error?: unknown): void {
    this.#state = report.state
    const { run, handoff, orphan } = this.received
    const { id, context } = this.#task
    run.event('task.state', {
      ...stateFields({ task: id, context, ...report }, handoff),
      ...(error === undefined ? {} : { error }),
    })
    // Nobody else knows of this run.
    if (orphan && FINAL.has(report.state ?? '')) run.end(report.state)
  }

  #say(content: unknown, id?: string): void {
    this.received.run.message({ role: 'assistant', content, channel: 'a2a', ...(id ? { id } : {}) })
  }
}

function receive(context: RequestContext, agent: string): Received {
  const { userMessage, taskId, contextId, referenceTasks } = context
  const envelope = envelopeOf(userMessage)
  const references = userMessage.referenceTaskIds ?? []
  const item = messageItem(userMessage)
  const name = envelope === undefined ? orphanName(context, item) : undefined
  const carrier = envelope ?? orphans.get(name!)
  const received = start().receive(carrier, {
    by: agent,
    items: [item],
    record: fieldOf(envelope, 'record'),
    task: {
      id: taskId,
      context: contextId,
      ...(references.length === 0
        ? {}
        : { references, references_found: referenceTasks?.map(({ id }) => id) ?? [] }),
    },
    transport: 'a2a',
  })
  if (name !== undefined && received.orphan) rememberOrphan(name, received)
  return received
}

/** Messages of senders without handspan, so that one that comes again is known as the same. */
const orphans = new Recent<string, object>()

/** Ids of messages are the sender's own: two senders may both begin with 1. */
function orphanName({ request, context, task }: RequestContext, item: JsonObject): string {
  const caller = [request.tenant, context?.user?.userName ?? '', task?.id ?? '']
  // The server has put the ids of the new task into it.
  const { taskId, contextId, ...sent } = item
  return hashJson([caller, sent])
}

function rememberOrphan(name: string, { run, handoff }: Received): void {
  const envelope = encodeEnvelope({ run: run.id, handoff, attempt: 1, clock: { ms: 0, count: 0 } })
  orphans.set(name, { [ENVELOPE_FIELD]: envelope })
}
