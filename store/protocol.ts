import type { Socket } from 'node:net'
import type { StoreErrorForm } from './errors.ts'

/*
 * Between a store and the owner of its database: JSON values, one a line, over a Unix socket that only this user can
 * open. The asker sends requests; for each the owner sends any number of parts and then one result or one error.
 */

/** Raised when the meaning of a message changes: both sides must speak the same. */
export const PROTOCOL_VERSION = 2

export type Request = { id: number; method: string; parameters: Record<string, unknown>; protocol: number }

export type Response =
  | { id: number; part: unknown }
  | { id: number; result: unknown }
  | { id: number; error: StoreErrorForm }

/** A message over this is refused: whoever sends it is not handspan, or asks for too much at once. */
const MAX_MESSAGE_BYTES = 512 * 1024 * 1024

/** Calls back for each message that arrives. A line that is no message ends the connection. */
export function readMessages(socket: Socket, onMessage: (message: unknown) => void): void {
  let parts: Buffer[] = []
  let bytes = 0
  socket.on('data', (data: Buffer) => {
    let start = 0
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, start)) {
      parts.push(data.subarray(start, end))
      const text = (parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString('utf8')
      parts = []
      bytes = 0
      start = end + 1
      let message: unknown
      try {
        message = JSON.parse(text)
      } catch {
        socket.destroy()
        return
      }
      onMessage(message)
    }
    if (start < data.length) {
      parts.push(data.subarray(start))
      bytes += data.length - start
      if (bytes > MAX_MESSAGE_BYTES) socket.destroy()
    }
  })
}

/** Sends a message; resolves when the socket has room for the next one, or is gone. */
export function sendMessage(socket: Socket, message: Request | Response): Promise<void> {
  if (socket.destroyed) return Promise.resolve()
  if (socket.write(`${JSON.stringify(message)}\n`)) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done)
      socket.off('close', done)
      resolve()
    }
    socket.once('drain', done)
    socket.once('close', done)
  })
}
