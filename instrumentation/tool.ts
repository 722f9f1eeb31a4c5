import { leavesInDoubt } from './in-doubt.ts'
import { observe } from './observe.ts'
import { Operation, type OperationOptions } from './operation.ts'
import type { RunCore } from './run-core.ts'
import { fieldOf, storable } from './storable.ts'

// biome-ignore lint/suspicious/noExplicitAny: stands for every function, of whatever arguments
export type AnyFunction = (...args: any[]) => any

/** A value, or how to get it from the arguments of the call. */
export type FromArguments<F extends AnyFunction, T> = T | ((...args: Parameters<F>) => T | undefined)

/** How a wrapped function is recorded. */
export type ToolOptions<F extends AnyFunction> = {
  /** Name of the tool. Default: the name of the function. */
  name?: string
  /** The agent that calls it. Default: the agent of the run's view. */
  agent?: string
  /** `read` if the call changes nothing anywhere. Default `write`: what is not declared a read may have an effect. */
  effect?: 'read' | 'write'
  /** Idempotency key under which the request is sent, or how to find it in the arguments. Without it none is recorded. */
  key?: FromArguments<F, string>
  /** The model's tool-call id. */
  call?: FromArguments<F, string>
  /** Id of the operation; one that repeats shares it. Default: by tool, key and arguments, else new. */
  op?: FromArguments<F, string>
  /** The approval that allows the call. */
  approval?: FromArguments<F, string>
  /** Milliseconds after which a call without answer is recorded as unknown. The call itself goes on. Default: never. */
  timeout?: number
}

/** Wraps a function so that every call is in the operations log. Same signature, same results, same errors. */
export function wrapTool<F extends AnyFunction>(
  core: RunCore,
  agent: string | undefined,
  fn: F,
  options: ToolOptions<F>,
): F {
  const timeout = fieldOf(options, 'timeout')
  const wrapped = function (this: unknown, ...args: unknown[]): unknown {
    const operation = dispatch(core, agent, fn, options, args)
    const watch = startTimeout(operation, timeout)
    try {
      return observe(Reflect.apply(fn, this, args), {
        settled: (value) => {
          clearTimeout(watch)
          operation?.settled(value)
        },
        failed: (error) => {
          clearTimeout(watch)
          conclude(operation, error, args)
        },
      })
    } catch (error) {
      clearTimeout(watch)
      conclude(operation, error, args)
      throw error
    }
  }
  return likeOriginal(wrapped, fn)
}

/** Writes `sent`. Undefined if even that failed: the call is made all the same. */
function dispatch(
  core: RunCore,
  agent: string | undefined,
  fn: AnyFunction,
  options: unknown,
  args: unknown[],
): Operation | undefined {
  try {
    const read = (name: string) => fromArguments(core, fieldOf(options, name), name, args)
    const given: Record<string, unknown> = {
      tool: fieldOf(options, 'name') || fn.name || 'unnamed',
      // One argument is the usual form of a tool; several are kept as a list.
      args: storable(args.length === 1 ? args[0] : args),
      agent: fieldOf(options, 'agent'),
      effect: fieldOf(options, 'effect'),
    }
    for (const name of ['key', 'call', 'op', 'approval']) given[name] = read(name)
    const operation = new Operation(core, agent, given as OperationOptions)
    operation.sent()
    return operation
  } catch (error) {
    core.recorder.failed('a tool call', error)
    return undefined
  }
}

function fromArguments(core: RunCore, value: unknown, name: string, args: unknown[]): unknown {
  if (typeof value !== 'function') return value
  try {
    return value(...args)
  } catch (error) {
    core.recorder.failed(`option ${name} of a tool`, error)
    return undefined
  }
}

function conclude(operation: Operation | undefined, error: unknown, args: unknown[]): void {
  if (leavesInDoubt(error, args)) operation?.unknown(error)
  else operation?.failed(error)
}

function startTimeout(operation: Operation | undefined, timeout: unknown): NodeJS.Timeout | undefined {
  if (typeof timeout !== 'number' || !(timeout > 0) || timeout > 2 ** 31 - 1) return undefined
  const message = `no answer within ${timeout} ms`
  const timer = setTimeout(() => operation?.unknown({ name: 'TimeoutError', message }), timeout)
  timer.unref()
  return timer
}

/** Frameworks read name and length of a function, and fields that other wrappers left on it. */
function likeOriginal<F extends AnyFunction>(wrapped: AnyFunction, fn: F): F {
  try {
    Object.defineProperties(wrapped, {
      ...Object.getOwnPropertyDescriptors(fn),
      prototype: { value: undefined, writable: true },
    })
  } catch {}
  return wrapped as F
}
