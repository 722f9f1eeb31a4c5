import { setMaxListeners } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { isObject } from '../model/json.ts'
import { errorForm, StoreError, translateError } from './errors.ts'
import type { Method, Owner } from './owner.ts'
import { PROTOCOL_VERSION, type Request, readMessages, sendMessage } from './protocol.ts'

/** Answers for an owner until it is closed. */
export type Listening = { close(): Promise<void> }

/**
 * Listens in an owner's name. Whatever stands at the path is left over from an owner that is gone, since only the one
 * that holds the database comes here: it is replaced.
 */
export async function listen(path: string, owner: Owner): Promise<Listening> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    answer(socket, owner.methods)
  })
  const pipe = process.platform === 'win32'
  try {
    if (!pipe) rmSync(path, { force: true })
    await bind(server, path)
    if (!pipe) chmodSync(path, 0o600)
  } catch (error) {
    server.close()
    throw translateError(error, path)
  }
  return {
    close: async () => {
      // Closing removes the socket's file. Who asks from now on finds nobody, and waits for the database.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function answer(socket: Socket, methods: Record<string, Method>): void {
  const gone = new AbortController()
  setMaxListeners(0, gone.signal)
  socket.on('error', () => {})
  socket.on('close', () => gone.abort())
  readMessages(socket, (message) => {
    const request = readRequest(message)
    if (request === undefined) socket.destroy()
    else void respond(socket, request, methods, gone.signal)
  })
}

function readRequest(message: unknown): Request | undefined {
  if (!isObject(message) || typeof message.id !== 'number' || typeof message.method !== 'string')
    return undefined
  return isObject(message.parameters) ? (message as Request) : undefined
}

async function respond(
  socket: Socket,
  { id, method, parameters, protocol }: Request,
  methods: Record<string, Method>,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (protocol !== PROTOCOL_VERSION || !Object.hasOwn(methods, method)) throw otherVersion()
    const emit = (part: unknown) => sendMessage(socket, { id, part })
    const result = await methods[method]!(parameters, emit, signal)
    await sendMessage(socket, { id, result: result ?? null })
  } catch (error) {
    await sendMessage(socket, { id, error: errorForm(error) })
  }
}

function otherVersion(): StoreError {
  return new StoreError(
    'locked',
    `The store is open in process ${process.pid}, which is another version of handspan.`,
    {
      remedy: `End process ${process.pid}, or use the same version.`,
    },
  )
}
