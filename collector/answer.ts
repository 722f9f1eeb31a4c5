import type { IncomingMessage, ServerResponse } from 'node:http'
import { statusAnswer } from '../otlp/answers.ts'
import type { Encoding } from '../otlp/decode.ts'
import { MEDIA_TYPES } from './encoding.ts'
import type { Refusal } from './refusal.ts'

/** What an answer is, before it is written. */
export type Answer = {
  status: number
  type: string
  body: Uint8Array | string
  headers?: Record<string, string>
}

export function ok(encoding: Encoding, body: Uint8Array): Answer {
  return { status: 200, type: MEDIA_TYPES[encoding], body }
}

/** A refusal in the encoding of the request; in JSON where it has none of OTLP's. */
export function refused({ status, code, message, headers }: Refusal, encoding: Encoding | undefined): Answer {
  const known = encoding ?? 'json'
  return { status, type: MEDIA_TYPES[known], body: statusAnswer(known, code, message), headers }
}

// How long a sender that has its answer may go on sending what nobody reads, before its connection is cut.
const DRAIN_MILLISECONDS = 2000

/**
 * Writes an answer. If the request was not read to its end, the rest is thrown away for a while: on a connection that is
 * closed at once the sender would often not get to read why. `isLast`: the connection takes no further request.
 */
export function write(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  isLast: boolean,
): void {
  response.writeHead(answer.status, {
    'content-type': answer.type,
    'content-length': Buffer.byteLength(answer.body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(isLast ? { connection: 'close' } : {}),
    ...answer.headers,
  })
  response.end(request.method === 'HEAD' ? undefined : answer.body)
  if (request.complete) return
  request.resume()
  const cut = setTimeout(() => request.socket.destroy(), DRAIN_MILLISECONDS)
  request.once('close', () => clearTimeout(cut))
}
