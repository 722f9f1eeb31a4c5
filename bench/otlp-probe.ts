import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { ServeReport } from '../collector/serve.ts'
import { eventLogRecord } from '../model/event-log-record.ts'
import { decodeSpans } from '../otlp/decode.ts'
import { median } from './figures.ts'

/** Milliseconds for one request of `spans` spans, medians. */
export type DecodeCosts = {
  spans: number
  protoBytes: number
  jsonBytes: number
  proto: number
  json: number
  parse: number
  lines: number
  write: number
}

/** How long reading requests takes, beside JSON.parse of the same export and writing its bytes to disk. */
export function decodeCosts(input: { scratch: string; spans: number; rounds: number }): DecodeCosts {
  const exported = manySpans(input.spans)
  const proto = ProtobufTraceSerializer.serializeRequest(exported)!
  const json = JsonTraceSerializer.serializeRequest(exported)!
  const text = Buffer.from(json).toString()
  const file = join(input.scratch, 'bytes')
  mkdirSync(input.scratch, { recursive: true })
  const times = { proto: [], json: [], parse: [], lines: [], write: [] } as Record<string, number[]>
  // The five take turns; the first round warms up.
  for (let round = 0; round <= input.rounds; round++) {
    for (const [name, act] of Object.entries({
      proto: () => drain(decodeSpans(proto, 'protobuf')),
      json: () => drain(decodeSpans(json, 'json')),
      parse: () => JSON.parse(text),
      lines: () => {
        for (const span of decodeSpans(proto, 'protobuf')) JSON.stringify(span)
      },
      write: () => writeSynced(file, proto),
    })) {
      const start = performance.now()
      act()
      if (round > 0) times[name]!.push(performance.now() - start)
    }
  }
  rmSync(file)
  const of = (name: string) => median(times[name]!)
  return {
    spans: input.spans,
    protoBytes: proto.length,
    jsonBytes: json.length,
    proto: of('proto'),
    json: of('json'),
    parse: of('parse'),
    lines: of('lines'),
    write: of('write'),
  }
}

function drain(records: Iterable<unknown>): void {
  for (const _ of records);
}

function writeSynced(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'w')
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
  fdatasyncSync(file)
  closeSync(file)
}

/** Spans such as agents make: two dozen attributes, an event, a link. */
function manySpans(count: number): ReadableSpan[] {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('bench')
  const attributes: Record<string, string | number> = {}
  for (let index = 0; index < 24; index++) {
    attributes[`gen_ai.attribute.${index}`] =
      index % 3 === 0 ? index * 1000 : `a value of some length, number ${index}`
  }
  let parent = ROOT_CONTEXT
  for (let index = 0; index < count; index++) {
    const last = trace.getSpanContext(parent)
    const links = last === undefined ? [] : [{ context: last }]
    const span = tracer.startSpan(`chat model-${index % 7}`, { attributes, links }, parent)
    span.addEvent('token', { index })
    span.end()
    if (index % 10 === 0) parent = trace.setSpan(ROOT_CONTEXT, span)
  }
  return exporter.getFinishedSpans()
}

/** Requests and events a second, of a number of senders that each wait for their answers. */
export type ServeRates = {
  senders: number
  batch: number
  requests: number
  events: number
  syncs: number
  gzip: boolean
}

/** What the built command takes in over loopback in so many milliseconds, every request on disk before its answer. */
export async function serveRates(input: {
  product: string
  scratch: string
  ms: number
  senders: number
  batch: number
  gzip: boolean
}): Promise<ServeRates> {
  const directory = join(input.scratch, `serve-${input.senders}-${input.batch}-${input.gzip}`)
  const { child, url } = await startServe(input.product, directory)
  const agent = new Agent({ keepAlive: true, maxSockets: input.senders })
  let requests = 0
  let seq = 0
  const end = performance.now() + input.ms
  const start = performance.now()
  await Promise.all(
    Array.from({ length: input.senders }, async () => {
      while (performance.now() < end) {
        const body = logs(input.batch, seq)
        seq += input.batch
        const status = await post(agent, `${url}/v1/logs`, input.gzip ? gzipSync(body) : body, input.gzip)
        if (status !== 200) throw new Error(`answered ${status}`)
        requests++
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  const { journals } = await countersOf(url)
  child.kill('SIGTERM')
  await new Promise((done) => child.once('exit', done))
  return {
    senders: input.senders,
    batch: input.batch,
    gzip: input.gzip,
    requests: requests / seconds,
    events: (requests * input.batch) / seconds,
    syncs: journals.events.syncs / seconds,
  }
}

async function startServe(product: string, directory: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(
    process.execPath,
    [join(product, 'dist', 'handspan.js'), 'serve', '--dir', directory, '--port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  process.once('exit', () => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stderr! })) {
    const url = /listening at (http:\S+),/.exec(line)?.[1]
    if (url === undefined) continue
    // The database is open once it is known whose it is.
    while (!('owner' in (await countersOf(url)).database)) await new Promise((next) => setTimeout(next, 20))
    return { child, url }
  }
  throw new Error('the server did not start')
}

async function countersOf(url: string): Promise<Pick<ServeReport, 'journals' | 'database'>> {
  return (await (await fetch(`${url}/counters`)).json()) as ServeReport
}

function logs(count: number, first: number): string {
  const logRecords = Array.from({ length: count }, (_, index) => {
    const seq = first + index
    const event = {
      run: `bench-${Math.floor(seq / 100)}`,
      seq,
      at: '2031-03-04T09:00:00Z',
      writer: 'bench',
      kind: 'message',
      agent: 'orders',
      role: 'assistant',
      content: 'Forty of A-7 are reserved. '.repeat(20),
    }
    return eventLogRecord(JSON.stringify(event), event, String(seq))
  })
  return JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
}

function post(agent: Agent, url: string, body: string | Buffer, gzip: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...(gzip ? { 'content-encoding': 'gzip' } : {}) }
    const sending = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode!))
    })
    sending.on('error', reject)
    sending.end(body)
  })
}
