import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Share } from './budget.ts'
import { malformed, tooLarge } from './refusal.ts'

/** The sender went away before the request was complete: nobody waits for an answer. */
export class SenderGone extends Error {}

/**
 * The body as it comes over the wire. Stops taking at the limit, whatever length was announced. Throws a Refusal or
 * SenderGone.
 */
export function readBody(request: IncomingMessage, limit: number, share: Share): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limit) return Promise.reject(overLimit(limit))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const end = (act: () => void) => {
      request.off('data', take)
      act()
    }
    const take = (chunk: Buffer) => {
      bytes += chunk.length
      try {
        if (bytes > limit) throw overLimit(limit)
        share.take(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        end(() => reject(error))
      }
    }
    request.on('data', take)
    request.once('end', () => end(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))))
    request.once('error', () => end(() => reject(new SenderGone())))
    request.once('close', () => end(() => reject(new SenderGone())))
  })
}

const inflate = promisify(gunzip)
let last: Promise<unknown> = Promise.resolve()

/** The body decompressed, one request at a time: each may take the whole limit before it is known how large it is. */
export function decompress(body: Buffer, limit: number, share: Share): Promise<Buffer> {
  const result = last.then(async () => {
    const plain = await inflate(body, { maxOutputLength: limit }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ERR_BUFFER_TOO_LARGE'
        ? overLimit(limit, ' after decompression')
        : malformed(`the body is not gzip: ${error.message}`)
    })
    share.take(plain.length)
    return plain
  })
  last = result.catch(() => {})
  return result
}

function overLimit(limit: number, when = ''): Error {
  return tooLarge(`more than ${limit} bytes${when}: send smaller batches`)
}
