import http from 'node:http'
import https from 'node:https'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { isObject } from '../../model/json.ts'
import { untraced } from '../otel.ts'

/** Where requests go, and what stands in their headers. */
export type Target = { url: URL; headers: Record<string, string> }

/**
 * What came of one request. `later`: nothing is decided, try again (`fault`: only after somebody has changed the
 * configuration; `retryAfter` in milliseconds). `refused`: the server will not have this content, ever.
 */
export type Answer =
  | { kind: 'taken'; rejected: number; message: string; bytes: number }
  | { kind: 'later'; reason: string; fault: boolean; retryAfter?: number | undefined }
  | { kind: 'refused'; status: number; reason: string }

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 64 * 1024

// What the content itself is refused with. Everything else may be right tomorrow, and must not cost data.
const ABOUT_THE_CONTENT = new Set([400, 413, 422])

const compress = promisify(gzip)

/** One connection to one target. `background`: neither its sockets nor its timers keep the process alive. */
export class Connection {
  readonly #target: Target
  readonly #background: boolean
  readonly #agent: http.Agent

  constructor(target: Target, background: boolean) {
    this.#target = target
    this.#background = background
    const { Agent } = target.url.protocol === 'https:' ? https : http
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 })
  }

  /** Sends one OTLP/JSON request, compressed. Never throws; an abort counts as `later`. */
  async post(json: string, signal: AbortSignal): Promise<Answer> {
    try {
      const body = await compress(json)
      const { status, headers, text } = await untraced(() => this.#exchange(body, signal))
      return judge(status, headers, text, body.length)
    } catch (error) {
      return { kind: 'later', reason: networkReason(error), fault: false }
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #exchange(body: Buffer, signal: AbortSignal): Promise<Exchanged> {
    const { url, headers } = this.#target
    const { request: open } = url.protocol === 'https:' ? https : http
    return new Promise((resolve, reject) => {
      const request = open(url, {
        method: 'POST',
        agent: this.#agent,
        signal,
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          'content-length': body.length,
          'user-agent': 'handspan',
          ...headers,
        },
      })
      const timer = setTimeout(() => request.destroy(new Error('no answer within 30 s')), TIMEOUT_MS)
      if (this.#background) {
        timer.unref()
        request.on('socket', (socket) => socket.unref())
      }
      request.on('close', () => clearTimeout(timer))
      request.on('error', reject)
      request.on('response', (response) => {
        readText(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          reject,
        )
      })
      request.end(body)
    })
  }
}

type Exchanged = { status: number; headers: http.IncomingHttpHeaders; text: string }

async function readText(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long for one of OTLP')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function judge(status: number, headers: http.IncomingHttpHeaders, text: string, bytes: number): Answer {
  if (status === 200) return judgeSuccess(text, bytes)
  const reason = `${status} ${http.STATUS_CODES[status] ?? ''}${messageOf(text)}`.trim()
  if (ABOUT_THE_CONTENT.has(status)) return { kind: 'refused', status, reason }
  const fault = status >= 300 && status < 500 && status !== 408 && status !== 429
  return { kind: 'later', reason, fault, retryAfter: retryAfterOf(headers['retry-after']) }
}

/** Something between here and the server (a portal, a proxy's page) may say 200 and have stored nothing. */
function judgeSuccess(text: string, bytes: number): Answer {
  const answer = text.trim() === '' ? {} : parsed(text)
  if (!isObject(answer)) {
    return {
      kind: 'later',
      reason: '200, but the answer is none of OTLP: is this the address of a receiver?',
      fault: true,
    }
  }
  const partial = isObject(answer.partialSuccess) ? answer.partialSuccess : {}
  const rejected = Math.max(0, Number(partial.rejectedLogRecords) || 0)
  const message = typeof partial.errorMessage === 'string' ? partial.errorMessage.slice(0, 300) : ''
  return { kind: 'taken', rejected, message, bytes }
}

function messageOf(text: string): string {
  const status = parsed(text)
  return isObject(status) && typeof status.message === 'string' ? `: ${status.message.slice(0, 300)}` : ''
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds or an HTTP date, in milliseconds from now. */
function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined
}

function networkReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined || message?.includes(code) ? (message ?? 'no answer') : `${code}: ${message}`
}
