import { createConnection, type Socket } from 'node:net'
import { isObject } from '../model/json.ts'
import { errorOf, ownerGone, StoreError, type StoreErrorForm } from './errors.ts'
import { PROTOCOL_VERSION, type Request, readMessages, sendMessage } from './protocol.ts'
import type { Emit } from './query.ts'

// An owner answers a greeting at once unless it is hung; it may be busy with one long line for some seconds.
const GREETING_MILLISECONDS = 10_000

type Pending = { emit: Emit; resolve: (result: unknown) => void; reject: (error: unknown) => void }

/** Asks the owner of a store over its socket. */
export class Client {
  readonly #socket: Socket
  readonly #pending = new Map<number, Pending>()
  #next = 1

  private constructor(socket: Socket) {
    this.#socket = socket
    readMessages(socket, (message) => this.#take(message))
    // The close that follows every error is what ends the requests.
    socket.on('error', () => {})
    socket.on('close', () => {
      for (const { reject } of this.#pending.values()) reject(ownerGone())
      this.#pending.clear()
    })
  }

  /**
   * Connects to an owner; undefined if nobody listens. Throws `owner-silent` if somebody does but says nothing, and
   * `locked` if it speaks another version.
   */
  static async connect(path: string): Promise<Client | undefined> {
    const socket = await reach(path)
    if (socket === undefined) return undefined
    const client = new Client(socket)
    try {
      await client.#greet(path)
      return client
    } catch (error) {
      await client.close()
      if (error instanceof StoreError && error.code === 'owner-gone') return undefined
      throw error
    }
  }

  /** Asks for one thing. Throws what the owner threw, or `owner-gone` if it ended before the answer. */
  async call(method: string, parameters: Record<string, unknown>, emit: Emit): Promise<unknown> {
    if (this.#socket.destroyed) throw ownerGone()
    const id = this.#next++
    const answer = new Promise((resolve, reject) => {
      this.#pending.set(id, { emit, resolve, reject })
    })
    const request: Request = { id, method, parameters, protocol: PROTOCOL_VERSION }
    void sendMessage(this.#socket, request)
    return answer
  }

  async close(): Promise<void> {
    this.#socket.destroy()
  }

  async #greet(path: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(ownerSilent(path)), GREETING_MILLISECONDS)
    })
    try {
      await Promise.race([this.call('hello', {}, async () => {}), silence])
    } finally {
      clearTimeout(timer)
    }
  }

  #take(message: unknown): void {
    if (!isObject(message) || typeof message.id !== 'number') return
    const pending = this.#pending.get(message.id)
    if (pending === undefined) return
    if ('part' in message) {
      void pending.emit(message.part)
      return
    }
    this.#pending.delete(message.id)
    if ('error' in message) pending.reject(errorOf(message.error as StoreErrorForm))
    else pending.resolve(message.result)
  }
}

function reach(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // Nobody there, an end that died, or one that closes just now.
      const nobody = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTSOCK', 'ENOTDIR']
      if (nobody.includes(error.code ?? '')) resolve(undefined)
      else reject(error)
    })
  })
}

function ownerSilent(path: string): StoreError {
  return new StoreError('owner-silent', `The process that has the store open does not answer at ${path}.`, {
    path,
    remedy: 'End that process, then run the command again. Nothing that was stored is lost.',
  })
}
