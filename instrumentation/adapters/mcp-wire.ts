import { isObject } from '../../model/json.ts'
import { fieldOf } from '../storable.ts'
import { quietly } from './shared-guard.ts'
import { Recent } from './shared-recent.ts'

/*
 * The messages of one client, watched at its transport. Only there can be seen whether a call left the process, what the
 * server answered before the SDK turned it into something else, and an answer for which nobody waits any more.
 */

/** What the server answered: a result or an error of the protocol. */
export type WireAnswer = { result?: unknown; error?: unknown }

/** A call of which the wire tells. */
export type WireCall = { left(): void; answered(answer: WireAnswer): void }

type Transport = {
  send(message: unknown, ...others: unknown[]): unknown
  onmessage?: (message: unknown, ...others: unknown[]) => void
}

export class Wire {
  readonly #watched = new WeakSet<object>()
  readonly #waiting = new Recent<number, WireCall>(1024)
  #sending: WireCall | undefined

  /** Makes a request. The SDK hands it to the transport before this returns. */
  request<T>(call: WireCall, act: () => T): T {
    this.#sending = call
    try {
      return act()
    } finally {
      this.#sending = undefined
    }
  }

  /** Watches a transport, once. False if it is none: then nothing of it can be seen. */
  watch(found: unknown): boolean {
    if (typeof fieldOf(found, 'send') !== 'function' || typeof fieldOf(found, 'onmessage') !== 'function')
      return false
    const transport = found as Transport
    if (this.#watched.has(transport)) return true
    this.#watched.add(transport)
    const { send, onmessage } = transport
    transport.send = (message, ...others) => {
      quietly('an MCP message', () => this.#sent(message))
      return Reflect.apply(send, transport, [message, ...others])
    }
    transport.onmessage = (message, ...others) => {
      quietly('an MCP message', () => this.#came(message))
      return onmessage!.call(transport, message, ...others)
    }
    return true
  }

  #sent(message: unknown): void {
    const call = this.#sending
    if (call === undefined || fieldOf(message, 'method') !== 'tools/call') return
    this.#waiting.set(Number(fieldOf(message, 'id')), call)
    call.left()
  }

  #came(message: unknown): void {
    if (!isObject(message) || !('result' in message || 'error' in message)) return
    this.#waiting.take(Number(message.id))?.answered(message)
  }
}
