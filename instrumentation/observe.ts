import { types } from 'node:util'

/** What became of a call. */
export type Observer = { settled(value: unknown): void; failed(error: unknown): void }

/**
 * Watches a result without changing what the caller gets. A plain value is settled at once. A promise is followed, and a
 * rejection that nobody handles stays unhandled. An own kind of promise (with more methods, or one that starts its work
 * only when it is awaited) is wrapped so that it is awaited once, by the caller.
 */
export function observe<T>(result: T, observer: Observer): T {
  if (!isThenable(result)) {
    observer.settled(result)
    return result
  }
  if (types.isPromise(result) && Object.getPrototypeOf(result) === Promise.prototype) {
    return follow(result, observer) as T
  }
  return wrap(result, observer)
}

function isThenable(value: unknown): value is PromiseLike<unknown> & object {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false
  try {
    return typeof (value as { then?: unknown }).then === 'function'
  } catch {
    return false
  }
}

function follow(promise: PromiseLike<unknown>, observer: Observer): PromiseLike<unknown> {
  return promise.then(
    (value) => {
      observer.settled(value)
      return value
    },
    (error) => {
      observer.failed(error)
      throw error
    },
  )
}

type Handler = ((value: unknown) => unknown) | null | undefined

function wrap<T extends object>(thenable: T & PromiseLike<unknown>, observer: Observer): T {
  const then = (done: Handler, broken: Handler) => follow(thenable, observer).then(done, broken)
  const own: Record<PropertyKey, unknown> = {
    then,
    catch: (broken: Handler) => then(undefined, broken),
    finally: (act: () => unknown) => Promise.resolve(follow(thenable, observer)).finally(act),
  }
  return new Proxy(thenable, {
    get(target, name) {
      if (Object.hasOwn(own, name) && Reflect.has(target, name)) return own[name]
      // Private fields live on the thing itself, so its methods must be called on it.
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
