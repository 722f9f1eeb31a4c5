import { AsyncLocalStorage } from 'node:async_hooks'
import { isObject, listOf, textOf } from '../../model/json.ts'
import type { Handoff } from '../handoff.ts'
import { observe } from '../observe.ts'
import { fieldOf } from '../storable.ts'
import { lastUserMessage, toolCallOf } from './openai-agents-items.ts'
import { Session } from './openai-agents-session.ts'
import { quietly } from './shared-guard.ts'
import type { AdapterOptions, ToolCall } from './shared-options.ts'
import { currentLog, type RunLog, WaitingRuns } from './shared-runs.ts'

/** Where the code that asks stands: in which run of the framework, and in which call of a tool. */
export type Place = { session: Session; call?: ToolCall }

const place = new AsyncLocalStorage<Place>()

export function currentPlace(): Place | undefined {
  return place.getStore()
}

/**
 * What runs on from here belongs to this call. To be used in a listener that the framework calls inside of the async
 * function of the call: then nothing else stands in that context.
 */
export function enterCall(call: ToolCall): void {
  const current = place.getStore()
  if (current !== undefined) place.enterWith({ session: current.session, call })
}

const FRAMEWORK = 'openai-agents'

const waitingRuns = new WaitingRuns()

type Start = {
  session: Session
  delegation: Delegation | undefined
  /** True if the handspan run is this one's own. One inside of it, as in a guardrail, does not end it. */
  ends: boolean
}
type Delegation = { outer: Session; handoff: Handoff; call: ToolCall }

/** Calls the framework's `run` as one session. Same result, same error. */
export function observeRun(act: () => unknown, args: readonly unknown[], options: AdapterOptions): unknown {
  const started = quietly('the start of a run', () => startSession(args, options))
  if (started === undefined) return act()
  const { session } = started
  const result = session.log.run.within(() => place.run({ session }, act))
  return observe(result, {
    settled: (value) => quietly('the end of a run', () => whenCompleted(value, started)),
    failed: (error) => quietly('the end of a run', () => failSession(error, started)),
  })
}

function startSession([agent, input]: readonly unknown[], options: AdapterOptions): Start {
  const resumed = isState(input)
  const outer = place.getStore()
  const active = resumed ? (fieldOf(input, '_currentAgent') ?? agent) : agent
  const name = textOf(fieldOf(active, 'name')) ?? 'agent'
  const log = logFor(resumed ? input : undefined, outer, options)
  const session = new Session(log, name)
  const nested = outer?.call !== undefined && outer.session.log === log
  if (resumed) readDecisions(log, input)
  else if (!nested) {
    const content = lastUserMessage(input)
    if (content !== undefined) log.run.message({ role: 'user', content, agent: name })
  }
  const delegation = nested ? delegate(outer.session, outer.call!, session, input, resumed) : undefined
  const ends = log.owner === FRAMEWORK && outer?.session.log !== log
  return { session, delegation, ends }
}

/** The log of the run that the code stands in; of the one that waited for this resume; or a new one. */
function logFor(state: unknown, outer: Place | undefined, options: AdapterOptions): RunLog {
  const waiting = state === undefined || outer !== undefined ? undefined : waitingRuns.take(waitName(state))
  return waiting ?? currentLog(FRAMEWORK, options)
}

/** Resuming goes on with the handoff that was made before the wait: only its return is new. */
function delegate(
  outer: Session,
  call: ToolCall,
  session: Session,
  input: unknown,
  resumed: boolean,
): Delegation {
  const key = `${call.name}\u0000${call.call ?? ''}`
  const before = resumed ? outer.log.delegations.get(key) : undefined
  const handoff =
    before ??
    outer.log.run.handoff({
      from: outer.agent,
      to: session.agent,
      mode: 'delegate',
      items: outer.items,
      brief: input,
      policy: { history: 'brief' },
      ...(call.call === undefined ? {} : { call: call.call }),
      transport: 'in_process',
      record: false,
    })
  if (before === undefined) session.expect(handoff, session.agent)
  outer.log.delegations.set(key, handoff)
  return { outer, handoff, call }
}

/** A streamed run is over when its stream is, not when `run` returns. */
function whenCompleted(result: unknown, started: Start): void {
  const completed = fieldOf(result, 'completed')
  if (!(completed instanceof Promise)) {
    endSession(result, started)
    return
  }
  completed.then(
    () => quietly('the end of a stream', () => endSession(result, started)),
    (error) => quietly('the end of a stream', () => failSession(error, started)),
  )
}

function endSession(result: unknown, started: Start): void {
  const { session, delegation, ends } = started
  const { log } = session
  const interruptions = listOf(fieldOf(result, 'interruptions'))
  const state = fieldOf(result, 'state')
  if (fieldOf(result, 'cancelled') === true && interruptions.length === 0) {
    const error = fieldOf(result, 'error') ?? { name: 'AbortError', message: 'the run was aborted' }
    failSession(error, started)
    return
  }
  for (const item of interruptions) {
    const agent = textOf(fieldOf(fieldOf(item, 'agent'), 'name'))
    log.calls.wait(toolCallOf(item, fieldOf(item, 'rawItem'), agent))
  }
  if (interruptions.length > 0) {
    if (ends) waitingRuns.add(waitName(state), log)
    return
  }
  if (delegation !== undefined) reportBack(session, delegation)
  else if (ends) log.run.end()
}

/** The sub-agent's report is the result of the call: the next request of the caller's model shows it. */
function reportBack(session: Session, { outer, call }: Delegation): void {
  const { report } = session
  const handoff = session.log.run.handoff({
    from: session.agent,
    to: outer.agent,
    mode: 'return',
    items: session.items,
    ...(report === undefined ? {} : { brief: report }),
    ...(call.call === undefined ? {} : { call: call.call }),
    policy: { history: 'brief' },
    transport: 'in_process',
    record: false,
  })
  outer.expect(handoff, outer.agent)
}

function failSession(error: unknown, { session, delegation, ends }: Start): void {
  session.broken(error)
  // The task did arrive; what came of it, nobody knows.
  if (delegation !== undefined) delegation.handoff.failed('unknown', error)
  else if (ends) session.log.run.failed(error)
}

function isState(input: unknown): boolean {
  return isObject(input) && !Array.isArray(input) && typeof fieldOf(input, 'getInterruptions') === 'function'
}

/** By what a state is known again after it was written down and read: its trace, and the calls that wait in it. */
function waitName(state: unknown): string {
  // Without tracing the framework has a name for all traces.
  const trace = textOf(fieldOf(fieldOf(state, '_trace'), 'traceId'))?.match(/^trace_.+/)?.[0] ?? ''
  const calls = interruptionsOf(state).map((item) => textOf(fieldOf(fieldOf(item, 'rawItem'), 'callId')))
  return `${trace} ${calls.sort().join(' ')}`
}

function interruptionsOf(state: unknown): unknown[] {
  return listOf((state as { getInterruptions(): unknown }).getInterruptions())
}

/** What the person decided before this resume. */
function readDecisions(log: RunLog, state: unknown): void {
  const context = fieldOf(state, '_context') as { isToolApproved?(call: unknown): unknown } | undefined
  for (const call of log.calls.waiting) {
    const decision = context?.isToolApproved?.({ toolName: call.name, callId: call.call })
    if (typeof decision === 'boolean') log.calls.decide(call, decision)
  }
}
