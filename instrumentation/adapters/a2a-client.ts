import type { Message, Part } from '@a2a-js/sdk'
import type { AfterArgs, BeforeArgs, CallInterceptor, Client, RequestOptions } from '@a2a-js/sdk/client'
import { textOf } from '../../model/json.ts'
import type { FailedOutcome, Handoff } from '../handoff.ts'
import { leavesInDoubt } from '../in-doubt.ts'
import { observe } from '../observe.ts'
import { fieldOf } from '../storable.ts'
import {
  checkA2A,
  FINAL,
  messageItem,
  partItems,
  readReport,
  stateFields,
  withEnvelope,
} from './a2a-message.ts'
import { isOwn, logFor, remember } from './a2a-runs.ts'
import { quietly } from './shared-guard.ts'
import type { AdapterOptions } from './shared-options.ts'
import { cameBack } from './shared-return.ts'
import type { RunLog } from './shared-runs.ts'
import { warnMissing } from './shared-version.ts'

/** What the sending side can be told. Every field may be left out. */
export type A2AClientOptions = Pick<AdapterOptions, 'principal'> & {
  /** The agent that sends. Default: the agent of the current run's view. */
  agent?: string
  /**
   * true: the record, built from the operations log, crosses beside the envelope. Default false: nothing of the log goes to
   * the other side unless somebody says so.
   */
  record?: boolean
  /** The conversation that the sender has, of which the message is what it passes on. The protocol does not show it. */
  items?: (message: Message) => readonly unknown[] | undefined
}

/** One call of `sendMessage` or `sendMessageStream`. */
type Call = {
  log: RunLog
  handoff: Handoff
  agent: string | undefined
  to: string
  answered: boolean
  returned: boolean
  state?: string
  /** What the other agent gave back so far, by artifact: a stream gives one in several parts. */
  artifacts: Map<string, Part[]>
}
/** Filled by the interceptor, so that whoever made the call knows what became of it. */
type Slot = { call?: Call }

// The SDK hands per-call data on under symbols in `options.context`.
const SLOT = Symbol('handspan')

const own = new WeakSet<object>()

/** Sees what leaves and what is answered. The SDK tells an interceptor nothing of errors: `instrumentClient` does. */
export function clientInterceptor(options: A2AClientOptions = {}): CallInterceptor {
  checkA2A()
  const interceptor: CallInterceptor = {
    before: async (args) => quietly('an A2A message', () => before(args, options)),
    after: async (args) => quietly('an A2A answer', () => after(args)),
  }
  own.add(interceptor)
  return interceptor
}

/** Observes one client: messages, answers, errors and time-outs. Gives the same client back. */
export function instrumentClient<C extends Client>(client: C, options: A2AClientOptions = {}): C {
  quietly('instrumentClient', () => patch(client, options))
  return client
}

const patched = new WeakSet<object>()

function patch(client: Client, options: A2AClientOptions): void {
  checkA2A()
  if (patched.has(client)) return
  if (typeof client.sendMessage !== 'function' || typeof client.sendMessageStream !== 'function') {
    warnMissing('@a2a-js/sdk', 'the client has no sendMessage or no sendMessageStream')
    return
  }
  patched.add(client)
  const { config } = client
  const interceptors = config?.interceptors ?? []
  if (!interceptors.some((each) => own.has(each))) {
    // The last one sees the message as it leaves. The list of the factory is shared by its clients: it stays.
    const extended = { ...config, interceptors: [...interceptors, clientInterceptor(options)] }
    Object.assign(client, { config: extended })
  }
  const { sendMessage, sendMessageStream } = client
  client.sendMessage = (params, given) => {
    const slot: Slot = {}
    return observe(Reflect.apply(sendMessage, client, [params, withSlot(given, slot)]), {
      settled: () => {},
      failed: (error) => quietly('an A2A error', () => broken(slot.call, error)),
    })
  }
  client.sendMessageStream = (params, given) => {
    const slot: Slot = {}
    return watchStream(Reflect.apply(sendMessageStream, client, [params, withSlot(given, slot)]), slot)
  }
}

function withSlot(options: RequestOptions | undefined, slot: Slot): RequestOptions {
  return { ...options, context: { ...options?.context, [SLOT]: slot } }
}

async function* watchStream<T>(stream: AsyncGenerator<T, void, undefined>, slot: Slot) {
  try {
    yield* stream
  } catch (error) {
    quietly('an A2A error', () => broken(slot.call, error))
    throw error
  }
}

function before(args: BeforeArgs, options: A2AClientOptions): void {
  const { input } = args
  if (input?.method !== 'sendMessage' && input?.method !== 'sendMessageStream') return
  const { message } = input.value
  if (message === undefined) return
  const log = logFor(message, options)
  const agent = options.agent ?? log.run.agentName
  const to = args.agentCard.name
  const handoff = log.run.handoff(handoffOptions(message, agent, to, options))
  remember(message.messageId, log)
  input.value = { ...input.value, message: withEnvelope(message, handoff, options.record === true) }
  const slot = slotOf(args.options) ?? {}
  slot.call = { log, handoff, agent, to, answered: false, returned: false, artifacts: new Map() }
  args.options = withSlot(args.options, slot)
}

function handoffOptions(
  message: Message,
  from: string | undefined,
  to: string,
  { record, items }: A2AClientOptions,
): Parameters<RunLog['run']['handoff']>[0] {
  const before = typeof items === 'function' ? quietly('option items', () => items(message)) : undefined
  const { parts } = messageItem(message)
  return {
    // A retry sends the message again under its id: another attempt at the same handoff.
    id: `a2a-${message.messageId}`,
    ...(from === undefined ? {} : { from }),
    to,
    mode: message.taskId ? 'resume' : 'delegate',
    brief: parts,
    ...(before === undefined ? {} : { items: before }),
    ...(message.taskId ? { task_id: message.taskId } : {}),
    ...(message.contextId ? { context_id: message.contextId } : {}),
    ...(message.referenceTaskIds?.length ? { reference_ids: message.referenceTaskIds } : {}),
    transport: 'a2a',
    ...(record === true ? {} : { record: false as const }),
  }
}

function after(args: AfterArgs): void {
  const call = slotOf(args.options)?.call
  if (call === undefined) return
  const { log, handoff, agent } = call
  call.answered = true
  const report = readReport(args.result?.value)
  for (const { id, parts, append } of report.artifacts) {
    call.artifacts.set(id, [...(append ? (call.artifacts.get(id) ?? []) : []), ...parts])
  }
  if (report.task !== undefined) remember(report.task, log)
  if (report.state !== undefined && report.state !== call.state) {
    call.state = report.state
    log.run.event('task.state', { ...stateFields(report, handoff.id), ...(agent ? { agent } : {}) })
  }
  // A message instead of a task is the whole answer.
  const isFinal = report.state === undefined ? report.message !== undefined : FINAL.has(report.state)
  if (isFinal && (report.state ?? 'completed') === 'completed') returned(call, report.message)
  if (isOwn(log) && isFinal) log.run.end(report.state)
}

/** The task is done: what came of it is the return. Without a name for the sender nobody is there to return to. */
function returned(call: Call, message: Message | undefined): void {
  const { log, agent, to, artifacts } = call
  if (agent === undefined || call.returned) return
  call.returned = true
  const given = [...artifacts.values()].flat()
  const items: unknown[] = given.length === 0 ? [] : [{ role: 'ROLE_AGENT', parts: partItems(given) }]
  if (message !== undefined) items.push(messageItem(message))
  const brief = partItems([...given, ...(message?.parts ?? [])])
  cameBack(log, { from: to, to: agent, brief, items, transport: 'a2a' })
}

/** The call ended with an error. Once something was answered, the message did arrive. */
function broken(call: Call | undefined, error: unknown): void {
  if (call === undefined) return
  const { log, handoff, agent } = call
  if (!call.answered) handoff.failed(outcomeOf(error), error)
  else if (!FINAL.has(call.state ?? '')) {
    const state = { handoff: handoff.id, state: 'unknown', error, ...(agent ? { agent } : {}) }
    log.run.event('task.state', state)
  }
  if (isOwn(log)) log.run.failed(error)
}

// The server read the request and turned it down.
const REFUSALS = new Set([
  'TASK_NOT_FOUND',
  'UNSUPPORTED_OPERATION',
  'CONTENT_TYPE_NOT_SUPPORTED',
  'EXTENSION_SUPPORT_REQUIRED',
  'VERSION_NOT_SUPPORTED',
  'INVALID_PARAMS',
])
// Nobody was there to read it.
const NEVER_LEFT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function outcomeOf(error: unknown): FailedOutcome {
  if (leavesInDoubt(error, [])) return 'unknown'
  const code = textOf(fieldOf(fieldOf(error, 'cause'), 'code')) ?? textOf(fieldOf(error, 'code')) ?? ''
  const refused = REFUSALS.has(textOf(fieldOf(error, 'reason')) ?? '') || NEVER_LEFT.has(code)
  return refused ? 'refused-before-effect' : 'unknown'
}

function slotOf(options: RequestOptions | undefined): Slot | undefined {
  return options?.context?.[SLOT] as Slot | undefined
}
