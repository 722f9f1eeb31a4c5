import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { EVENT_ID_ATTRIBUTE, lineOfRecord } from '../../model/event-log-record.ts'
import type { JsonObject } from '../../model/json.ts'

/** One log record as it arrived: the id it was sent under, and the line in it. */
export type Arrived = { id: string; line: string }

/** What the server answers; 200 with an empty object if nothing is said. `hang`: no answer at all. */
export type Reply = { status?: number; headers?: Record<string, string>; body?: unknown; hang?: boolean }

/** A receiver of OTLP logs that answers by a script and keeps what it has answered with 200. */
export class LogServer {
  readonly requests: {
    headers: IncomingMessage['headers']
    path: string
    records: Arrived[]
    body: JsonObject
  }[] = []
  readonly stored: Arrived[] = []
  script: (records: Arrived[], request: number) => Reply = () => ({})
  readonly #server: Server

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString())
      const records = recordsOf(body)
      this.requests.push({ headers: request.headers, path: request.url!, records, body })
      const reply = this.script(records, this.requests.length - 1)
      if (reply.hang) return
      const status = reply.status ?? 200
      if (status === 200) this.stored.push(...records)
      const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {})
      response.writeHead(status, { 'content-type': 'application/json', ...reply.headers }).end(text)
    })
  }

  /** On a free port, or on the one that another server has left. */
  static async start(port = 0): Promise<LogServer> {
    const server = new LogServer()
    await new Promise<void>((resolve) => server.#server.listen(port, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Lines that were taken, each once, in the order of their first arrival. */
  get lines(): string[] {
    return [...new Map(this.stored.map(({ id, line }) => [id, line])).values()]
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

function recordsOf(body: JsonObject): Arrived[] {
  const resources = body.resourceLogs as { scopeLogs: { logRecords: JsonObject[] }[] }[]
  return resources
    .flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
    .map((record) => {
      const attributes = record.attributes as { key: string; value: { stringValue: string } }[]
      const named = Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]))
      const text = (record.body as { stringValue: string }).stringValue
      return {
        id: named[EVENT_ID_ATTRIBUTE]!,
        line: lineOfRecord({ eventName: record.eventName as string, attributes: {}, body: text }),
      }
    })
}
