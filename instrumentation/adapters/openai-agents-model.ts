import type { Model, ModelProvider, ModelRequest, StreamEvent } from '@openai/agents'
import { observe } from '../observe.ts'
import { quietly } from './shared-guard.ts'

/** Where requests and answers are told. Asked at every request: one model serves several agents and runs. */
export type ModelWatch = {
  request(request: ModelRequest): ((output: readonly unknown[]) => void) | undefined
}

const watched = new WeakMap<object, object>()

/** The same model, observed. Nothing that goes in or comes out is changed. */
export function watchModel<M extends object>(model: M, watch: ModelWatch): M {
  return wrapped(model, (target, name) => {
    const own: unknown = Reflect.get(target, name, target)
    if (name === 'getResponse' && typeof own === 'function') return watchResponse(target as never, watch)
    if (name === 'getStreamedResponse' && typeof own === 'function')
      return watchStream(target as never, watch)
    return own
  })
}

/** The same provider; the models it gives are observed. */
export function watchProvider<P extends object>(provider: P, watch: ModelWatch): P {
  return wrapped(provider, (target, name) => {
    const own: unknown = Reflect.get(target, name, target)
    if (name !== 'getModel' || typeof own !== 'function') return own
    return (...args: Parameters<ModelProvider['getModel']>) => {
      const model: Promise<Model> | Model = Reflect.apply(own, target, args)
      return model instanceof Promise
        ? model.then((each) => watchModel(each, watch))
        : watchModel(model, watch)
    }
  })
}

function wrapped<T extends object>(original: T, read: (target: T, name: PropertyKey) => unknown): T {
  const before = watched.get(original)
  if (before !== undefined) return before as T
  const proxy = new Proxy(original, {
    get(target, name) {
      const value = read(target, name)
      // Private fields live on the thing itself, so its methods must be called on it.
      return typeof value === 'function' && name !== 'constructor' ? value.bind(target) : value
    },
  })
  watched.set(original, proxy)
  watched.set(proxy, proxy)
  return proxy
}

function watchResponse(model: Model, watch: ModelWatch): Model['getResponse'] {
  return (request) => {
    const answered = quietly('a model request', () => watch.request(request))
    return observe(model.getResponse(request), {
      settled: (response) => quietly('a model answer', () => answered?.((response as { output: [] }).output)),
      failed: () => {},
    })
  }
}

function watchStream(model: Model, watch: ModelWatch): Model['getStreamedResponse'] {
  return (request) => {
    const answered = quietly('a model request', () => watch.request(request))
    return answers(model.getStreamedResponse(request), answered)
  }
}

async function* answers(
  stream: AsyncIterable<StreamEvent>,
  answered: ((output: readonly unknown[]) => void) | undefined,
): AsyncIterable<StreamEvent> {
  for await (const event of stream) {
    if (event.type === 'response_done') quietly('a model answer', () => answered?.(event.response.output))
    yield event
  }
}
