import { AsyncLocalStorage } from 'node:async_hooks'
import type { LanguageModelMiddleware } from 'ai'
import { isObject, type Json, listOf, textOf } from '../../model/json.ts'
import type { Handoff } from '../handoff.ts'
import { start } from '../start.ts'
import { fieldOf, storable } from '../storable.ts'
import { decisionsIn, requestOf, userMessage } from './ai-sdk-parts.ts'
import { type AISDKOptions, type Parent, Session } from './ai-sdk-session.ts'
import { quietly } from './shared-guard.ts'
import type { ToolCall } from './shared-options.ts'
import { Recent } from './shared-recent.ts'
import { currentLog, type RunLog } from './shared-runs.ts'
import { checkVersion } from './shared-version.ts'

export type { AISDKOptions } from './ai-sdk-session.ts'
export type { ToolCall, ToolInfo } from './shared-options.ts'

/** Where the code that asks stands: in which call of the SDK, and in which call of a tool. */
type Place = { session: Session; call?: ToolCall }
const place = new AsyncLocalStorage<Place>()

const FRAMEWORK = 'ai-sdk'

let settings: AISDKOptions = {}
let installed: object | undefined

/** Observes every call of `generateText`, `streamText` and the agents built on them in this process. */
export function install(options: AISDKOptions = {}): void {
  settings = options
  checkVersion('ai', /^[67]\./, 'tested with 6 and 7')
  quietly('install', () => {
    const global = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] }
    global.AI_SDK_TELEMETRY_INTEGRATIONS ??= []
    const integrations = global.AI_SDK_TELEMETRY_INTEGRATIONS
    if (installed !== undefined && integrations.includes(installed)) return
    installed = integration
    // First of all: version 6 awaits one after another, and the async context of the call is only that of the first.
    integrations.unshift(integration)
  })
}

/** For models of version 6: the stored payload is the prompt as the provider gets it, not the messages it is made of. */
export function middleware(): LanguageModelMiddleware {
  const see = (params: { prompt: unknown; tools?: unknown[] }) =>
    quietly('a model request', () =>
      place.getStore()?.session.exact(listOf(storable(params.prompt)) as Json[], params.tools),
    )
  return {
    specificationVersion: 'v3',
    wrapGenerate: async ({ doGenerate, params }) => {
      see(params)
      return doGenerate()
    },
    wrapStream: async ({ doStream, params }) => {
      see(params)
      return doStream()
    },
  }
}

/** Sessions of version 7 by the id of the call. */
const byCall = new Map<string, Session>()
/** Version 6 has no such id: a session is known by its async context, or by the steps it has made. */
const bySteps = new WeakMap<object, Session>()

type Event = Record<string, unknown>
const hook = (name: string, act: (event: Event) => void) => (event: unknown) => {
  quietly(name, () => act(event as Event))
}

// Names of both versions. Version 7 gives its calls ids, and does not use the names of version 6 but for `onStepFinish`.
const integration = {
  onStart: hook('onStart', (event) => {
    if (isText(event)) begin(event)
  }),
  onStepStart: hook('onStepStart', (event) => {
    const session = sessionOf(event) ?? (listOf(event.steps).length > 0 ? undefined : begin(event))
    if (session === undefined) return
    if (event.callId === undefined) {
      place.enterWith({ session })
      awaitStep(session)
    }
    session.step(requestOf(event), textOf(event.functionId))
    // Version 7 gives the prompt itself.
    if (event.promptMessages !== undefined) session.flush()
  }),
  onLanguageModelCallEnd: hook('onLanguageModelCallEnd', (event) => {
    sessionOf(event)?.answered(listOf(event.content))
  }),
  onToolCallStart: hook('onToolCallStart', (event) => {
    const session = sessionOf(event)
    if (session === undefined) return
    anchor({ toolCall: event.toolCall }, session)
    place.enterWith({ session, call: session.toolStarted(event.toolCall) })
  }),
  onToolCallFinish: hook('onToolCallFinish', (event) => {
    const { toolCall, output, error, success } = event
    sessionOf(event)?.toolEnded(toolCall, success === true ? { result: output } : { error })
  }),
  onToolExecutionStart: hook('onToolExecutionStart', (event) => {
    sessionOf(event)?.toolStarted(event.toolCall)
  }),
  onToolExecutionEnd: hook('onToolExecutionEnd', (event) => {
    const { toolCall, toolOutput } = event
    const failed = fieldOf(toolOutput, 'type') === 'tool-error'
    const outcome = failed
      ? { error: fieldOf(toolOutput, 'error') }
      : { result: fieldOf(toolOutput, 'output') }
    sessionOf(event)?.toolEnded(toolCall, outcome)
  }),
  /** Version 7: what runs inside of a tool belongs to its call. */
  executeTool: (event: Event & { execute: () => unknown }) => {
    const inside = quietly('executeTool', () => insideOf(event))
    if (inside === undefined) return event.execute()
    return inside.session.log.run.within(() => place.run(inside, event.execute))
  },
  onStepFinish: hook('onStepFinish', (event) => {
    if (event.callId === undefined) stepEnded(event)
  }),
  onStepEnd: hook('onStepEnd', (event) => stepEnded(event)),
  onFinish: hook('onFinish', (event) => {
    if (event.callId === undefined) end(event)
  }),
  onEnd: hook('onEnd', (event) => end(event)),
  onAbort: hook('onAbort', (event) => fail(event, { name: 'AbortError', message: 'the call was aborted' })),
  onError: hook('onError', (event) => fail(event, event.error)),
}

/** Embeddings, images and objects use the same events. */
function isText(event: Event): boolean {
  const operation = textOf(event.operationId)
  return operation === undefined || /^ai\.(generateText|streamText)$/.test(operation)
}

function sessionOf(event: Event): Session | undefined {
  const id = textOf(event.callId)
  return id === undefined ? sessionOfSix(event) : byCall.get(id)
}

/** Objects of version 6 that come again in later events of the same call: steps, arguments, messages of the answer. */
function anchorsOf(event: Event): unknown[] {
  return [
    event,
    fieldOf(event.toolCall, 'input'),
    ...listOf(event.steps),
    ...listOf(event.content).map((part) => fieldOf(part, 'input')),
    ...listOf(fieldOf(event.response, 'messages')),
  ]
}

function sessionOfSix(event: Event): Session | undefined {
  for (const anchor of anchorsOf(event)) {
    const session = isObject(anchor) ? bySteps.get(anchor) : undefined
    if (session !== undefined) return session
  }
  const here = place.getStore()
  // Where a tool is at work, events of steps are those of a call inside of it, read there as a stream.
  if (here !== undefined && (here.call === undefined || event.toolCall !== undefined)) return here.session
  // A stream is read in the context of its reader. One call alone that waits for an answer of this model is meant.
  const model = fieldOf(event.model, 'modelId')
  const waiting = [...streaming].filter((session) => session.model === model)
  return event.content !== undefined && waiting.length === 1 ? waiting[0] : undefined
}

function anchor(event: Event, session: Session): void {
  for (const each of anchorsOf(event)) if (isObject(each)) bySteps.set(each, session)
}

const MAX_STREAMING = 64

/** Calls of version 6 whose step has not ended. */
const streaming = new Set<Session>()

function awaitStep(session: Session): void {
  streaming.add(session)
  const [oldest] = streaming
  if (streaming.size > MAX_STREAMING && oldest !== undefined) streaming.delete(oldest)
}

function insideOf(event: Event): Place | undefined {
  const session = sessionOf(event)
  if (session === undefined) return undefined
  const { toolCallId, toolName, input } = event.toolCall as Record<string, unknown>
  return {
    session,
    call: { name: String(toolName), call: textOf(toolCallId), args: input, agent: session.agent },
  }
}

function begin(event: Event): Session {
  const decisions = decisionsIn(event)
  const parent = parentHere()
  const log = parent?.session.log ?? logFor(decisions)
  const session = new Session(log, parent, settings)
  const awaited = parent === undefined ? takeAwaited(log) : undefined
  if (awaited !== undefined) session.expect(awaited.handoff, 'tool_argument', awaited.to)
  for (const { approval, approved } of decisions) {
    const call = asked.take(approval)?.call
    if (call !== undefined) log.calls.decide(call, approved)
  }
  if (parent === undefined && awaited === undefined && decisions.length === 0) {
    const content = userMessage(event)
    if (content !== undefined) log.run.message({ role: 'user', content })
  }
  const id = textOf(event.callId)
  if (id === undefined) place.enterWith({ session })
  else byCall.set(id, session)
  return session
}

/** The call of a tool that the code stands in, if it still belongs to the run that is current. */
function parentHere(): Parent | undefined {
  const here = place.getStore()
  if (here?.call === undefined) return undefined
  const current = start().current()
  const same = current === undefined || current.id === here.session.log.run.id
  return same ? { session: here.session, call: here.call } : undefined
}

/** Calls that wait for a person, by the id of the approval, so that an answer finds the run that asked. */
const asked = new Recent<string, { log: RunLog; call: ToolCall }>()
/** Handoffs that no code of the SDK carries out: the next call in the same run is the receiver's. */
const handedOver = new WeakMap<object, { handoff: Handoff; to: string }[]>()

function logFor(decisions: { approval: string }[]): RunLog {
  const waiting = decisions.map(({ approval }) => asked.get(approval)?.log).find((log) => log !== undefined)
  return start().current() === undefined && waiting !== undefined ? waiting : currentLog(FRAMEWORK, settings)
}

function takeAwaited(log: RunLog): { handoff: Handoff; to: string } | undefined {
  return handedOver.get(log)?.shift()
}

function stepEnded(event: Event): void {
  const session = sessionOf(event)
  if (session === undefined) return
  const content = listOf(event.content)
  streaming.delete(session)
  if (event.callId === undefined) anchor(event, session)
  session.stepEnded(content)
  for (const part of content) {
    if (fieldOf(part, 'type') !== 'tool-approval-request') continue
    const toolCall = fieldOf(part, 'toolCall')
    const call: ToolCall = {
      name: String(fieldOf(toolCall, 'toolName')),
      args: fieldOf(toolCall, 'input'),
      call: textOf(fieldOf(toolCall, 'toolCallId')),
      agent: session.agent,
    }
    session.log.calls.wait(call)
    asked.set(String(fieldOf(part, 'approvalId')), { log: session.log, call })
  }
}

function end(event: Event): void {
  const session = sessionOf(event)
  if (session === undefined) return
  const last = listOf(fieldOf(listOf(event.steps).at(-1), 'content'))
  const open = session.unanswered(last.length > 0 ? last : listOf(event.content))
  handedOver.set(
    session.log,
    open.map(({ to, call }) => ({ to, handoff: session.handOver(to, call) })),
  )
  session.ended()
  forget(event)
  const { log } = session
  if (endsRun(session) && log.calls.waiting.length === 0) log.run.end()
}

function fail(event: Event, error: unknown): void {
  const session = sessionOf(event)
  if (session === undefined) return
  session.broken(error)
  forget(event)
  if (endsRun(session)) session.log.run.failed(error)
}

/** The outermost call ends the run that it started; what other frameworks started is theirs. */
function endsRun({ log, parent }: Session): boolean {
  return log.owner === FRAMEWORK && parent === undefined
}

function forget(event: Event): void {
  byCall.delete(textOf(event.callId) ?? '')
}
