import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Signal } from '../otlp/answers.ts'
import { admit } from './admission.ts'
import { type Answer, ok, refused, write } from './answer.ts'
import { SenderGone } from './body.ts'
import type { Counters } from './counters.ts'
import { encodingOf } from './encoding.ts'
import type { Intake } from './intake.ts'
import { Refusal } from './refusal.ts'

/** What is served, and to whom. */
export type Site = {
  token: string | undefined
  intake: Intake
  counters: Counters
  /** What `/counters` says, as JSON. */
  report: () => object
  /** True once no new request may be taken. */
  isStopping: () => boolean
}

const SIGNALS: Record<string, Signal> = { '/v1/traces': 'traces', '/v1/logs': 'logs' }

const ABOUT = `handspan serve: receives OpenTelemetry (OTLP/HTTP, protobuf and JSON) and keeps it on this machine.

POST /v1/traces   spans
POST /v1/logs     run-log events
GET  /health      whether it can keep what it gets
GET  /counters    what it has done since it started
`

/** Answers one request, whatever it is. `proceed` asks a sender that waits for it to send the body. */
export async function answer(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
  proceed: () => void,
): Promise<void> {
  const encoding = encodingOf(request.headers)
  try {
    const found = await find(site, request, proceed)
    write(request, response, found, site.isStopping())
  } catch (error) {
    if (error instanceof SenderGone) {
      site.counters.abandoned++
      response.destroy()
      return
    }
    const refusal =
      error instanceof Refusal ? error : new Refusal(500, `handspan failed: ${(error as Error).message}`)
    site.counters.refused[refusal.status] = (site.counters.refused[refusal.status] ?? 0) + 1
    write(request, response, refused(refusal, encoding), site.isStopping())
  }
}

async function find(site: Site, request: IncomingMessage, proceed: () => void): Promise<Answer> {
  const path = (request.url ?? '').split('?', 1)[0]!
  const reading = request.method === 'GET' || request.method === 'HEAD'
  admit(request.headers, site.token, path === '/health' && reading)
  const signal = Object.hasOwn(SIGNALS, path) ? SIGNALS[path]! : undefined
  if (signal !== undefined) {
    if (request.method !== 'POST') throw notAllowed('POST')
    return receiveRequest(site, signal, request, proceed)
  }
  const page = pageOf(site, path)
  if (page === undefined) {
    throw new Refusal(404, `${path.slice(0, 100)} is not served: send to /v1/traces or /v1/logs`)
  }
  if (!reading) throw notAllowed('GET, HEAD')
  return page
}

async function receiveRequest(
  site: Site,
  signal: Signal,
  request: IncomingMessage,
  proceed: () => void,
): Promise<Answer> {
  const encoding = encodingOf(request.headers)
  if (encoding === undefined) {
    throw new Refusal(415, 'send application/x-protobuf or application/json', {
      headers: { accept: 'application/x-protobuf, application/json' },
    })
  }
  if (site.isStopping()) throw new Refusal(503, 'the server is stopping', { headers: { 'retry-after': '1' } })
  proceed()
  return ok(encoding, await site.intake.take(signal, request, encoding))
}

function pageOf({ intake, report }: Site, path: string): Answer | undefined {
  if (path === '/') return { status: 200, type: 'text/plain; charset=utf-8', body: ABOUT }
  if (path === '/counters') return json(200, report())
  if (path === '/health') {
    const { failing } = intake
    return failing === undefined
      ? json(200, { status: 'ok' })
      : json(503, { status: 'not writing', reason: failing })
  }
  return undefined
}

function json(status: number, value: object): Answer {
  return { status, type: 'application/json', body: `${JSON.stringify(value)}\n` }
}

function notAllowed(allow: string): Refusal {
  return new Refusal(405, `only ${allow} here`, { headers: { allow } })
}
