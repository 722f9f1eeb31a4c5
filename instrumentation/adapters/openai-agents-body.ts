import { fieldOf } from '../storable.ts'
import type { CallEntry } from './shared-calls.ts'
import { quietly } from './shared-guard.ts'

/*
 * The body of a function tool, watched for one call. The framework turns what a tool throws into a text for the model and
 * goes on without a tool that is late, so the end that it reports is not the end of the body.
 */

type Invoke = (...args: unknown[]) => unknown
type FunctionTool = { invoke: Invoke }

/** What the default error function says to the model, whatever the tool threw. */
const HIDDEN_ERROR = 'An error occurred while running the tool. Please try again.'

/**
 * To be called in the listener of `agent_tool_start`: the framework calls `invoke` right after it, before anything else
 * can run. So the watch stands for that one call only, and the tool is as it was before the next line of the program.
 */
export function watchBody(tool: unknown, entry: CallEntry): void {
  if (fieldOf(tool, 'type') !== 'function' || typeof fieldOf(tool, 'invoke') !== 'function') return
  const target = tool as FunctionTool
  const original = target.invoke
  const own = Object.hasOwn(target, 'invoke')
  const watch: Invoke = function (this: unknown, ...args) {
    restore()
    entry.body = 'running'
    const result = Reflect.apply(original, this, args)
    quietly('the body of a tool', () => follow(result, entry, args))
    return result
  }
  const restore = () => {
    if (target.invoke !== watch) return
    if (own) target.invoke = original
    else Reflect.deleteProperty(target, 'invoke')
  }
  target.invoke = watch
  entry.body = 'waiting'
  // A guardrail may refuse the call: then nobody calls it.
  queueMicrotask(() => quietly('a watched tool', restore))
}

function follow(result: unknown, entry: CallEntry, args: readonly unknown[]): void {
  // The framework awaits the same promise; this is a second listener, not a handler in its place.
  Promise.resolve(result).then(
    (value) => quietly('the result of a tool', () => conclude(value, entry, args)),
    (error) => quietly('the error of a tool', () => entry.failed(error, args)),
  )
}

function conclude(value: unknown, entry: CallEntry, args: readonly unknown[]): void {
  const error = spanError(args[2])
  if (error !== undefined) entry.failed(error, args)
  else if (value === HIDDEN_ERROR) entry.failed({ name: 'ToolError', message: value })
  else entry.settled(value)
}

/** The error in the tool's tracing span, which hangs on the details of the call under a symbol of the framework. */
function spanError(details: unknown): unknown {
  if (typeof details !== 'object' || details === null) return undefined
  for (const symbol of Object.getOwnPropertySymbols(details)) {
    const span: unknown = (details as Record<symbol, unknown>)[symbol]
    if (fieldOf(span, 'spanData') === undefined) continue
    const error = fieldOf(span, 'error')
    if (error === undefined || error === null) continue
    const said = fieldOf(fieldOf(error, 'data'), 'error')
    return { name: 'ToolError', message: typeof said === 'string' ? said : fieldOf(error, 'message') }
  }
  return undefined
}
