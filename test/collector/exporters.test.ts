import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { SpanKind, trace } from '@opentelemetry/api'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import type { Span } from '../../otlp/span.ts'
import { openStore } from '../../store/index.ts'
import { TRACES } from '../importers/traces.ts'
import { post, spooled, startServer } from './serving.ts'

/** Two spans of one trace, made and exported by OpenTelemetry's SDK. */
async function exportWith(exporter: SpanExporter, service: string): Promise<void> {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('shop', '2')
  const parent = tracer.startSpan('handoff billing', { kind: SpanKind.PRODUCER })
  const child = tracer.startSpan(
    'execute_tool reserve_stock',
    { attributes: { 'gen_ai.tool.name': 'reserve_stock', count: 40, share: 0.5, tags: ['a', 'b'] } },
    trace.setSpan((await import('@opentelemetry/api')).ROOT_CONTEXT, parent),
  )
  child.addEvent('reserved', { sku: 'A-7' })
  child.end()
  parent.end()
  await provider.shutdown()
}

describe("OpenTelemetry's own exporters", () => {
  it('send spans in JSON and protobuf, compressed or not, with a token', async () => {
    const token = 'a-token-of-some-length'
    const { url, directory, report } = await startServer({ token })
    const config = { url: `${url}/v1/traces`, headers: { authorization: `Bearer ${token}` } }
    const exporters: [string, SpanExporter][] = [
      ['json', new JsonExporter(config)],
      ['json-gzip', new JsonExporter({ ...config, compression: 'gzip' as never })],
      ['proto', new ProtoExporter(config)],
      ['proto-gzip', new ProtoExporter({ ...config, compression: 'gzip' as never })],
    ]
    for (const [service, exporter] of exporters) await exportWith(exporter, service)
    expect(report().counters).toMatchObject({ requests: { traces: 4 }, spans: 8, refused: {} })
    const spans = spooled(directory, 'spans') as unknown as Span[]
    for (const [service] of exporters) {
      const [parent, child] = ['handoff billing', 'execute_tool reserve_stock'].map((name) =>
        spans.find((span) => span.name === name && span.resource['service.name'] === service),
      )
      expect(parent).toMatchObject({ kind: 'producer', scope: { name: 'shop', version: '2' } })
      expect(child).toMatchObject({
        traceId: parent!.traceId,
        parentSpanId: parent!.spanId,
        kind: 'internal',
        attributes: { 'gen_ai.tool.name': 'reserve_stock', count: 40, share: 0.5, tags: ['a', 'b'] },
        events: [{ name: 'reserved', attributes: { sku: 'A-7' } }],
      })
      expect(Number(BigInt(child!.startNanos) / 1_000_000n)).toBeCloseTo(Date.now(), -5)
    }
  })

  it('send run-log events as log records whose body is the event', async () => {
    const { url, directory } = await startServer()
    const provider = new LoggerProvider({
      processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter({ url: `${url}/v1/logs` }) })],
    })
    const event = { run: 'r', seq: 1, kind: 'note', nested: { list: [1, 'two', { three: true }] } }
    provider.getLogger('shop').emit({ eventName: 'handspan.note', body: event })
    await provider.shutdown()
    expect(spooled(directory, 'events')).toEqual([event])
  })
})

describe('what a Collector sends', () => {
  it('is read: batches of several resources, gzip protobuf, in pieces of unknown length', async () => {
    const spans = []
    for (const service of ['orders', 'billing', 'audit']) {
      const exporter = new InMemorySpanExporter()
      const provider = new BasicTracerProvider({
        resource: resourceFromAttributes({ 'service.name': service }),
        spanProcessors: [new SimpleSpanProcessor(exporter)],
      })
      for (const scope of ['one', 'two']) {
        for (let index = 0; index < 100; index++)
          provider.getTracer(scope).startSpan(`${service} ${index}`).end()
      }
      spans.push(...exporter.getFinishedSpans())
    }
    const { port, directory } = await startServer()
    const body = gzipSync(ProtobufTraceSerializer.serializeRequest(spans)!)
    const status = await new Promise((resolve, reject) => {
      const sending = request(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/v1/traces',
          headers: {
            'content-type': 'application/x-protobuf',
            'content-encoding': 'gzip',
            'user-agent': 'OpenTelemetry Collector Contrib/0.140.0 (linux/amd64)',
            'transfer-encoding': 'chunked',
          },
        },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        },
      )
      sending.on('error', reject)
      for (let at = 0; at < body.length; at += 1000) sending.write(body.subarray(at, at + 1000))
      sending.end()
    })
    expect(status).toBe(200)
    const services = (spooled(directory, 'spans') as unknown as Span[]).map(
      ({ resource, scope }) => `${resource['service.name']} ${scope.name}`,
    )
    expect(services).toHaveLength(600)
    expect(
      Object.fromEntries(
        [...new Set(services)].map((name) => [name, services.filter((one) => one === name).length]),
      ),
    ).toEqual({
      'orders one': 100,
      'orders two': 100,
      'billing one': 100,
      'billing two': 100,
      'audit one': 100,
      'audit two': 100,
    })
  })

  it('is stored once, however often a batch is sent again', async () => {
    const { url, directory, stop, report } = await startServer()
    const records = [1, 2, 3].map((number) => ({
      eventName: 'handspan.note',
      body: {
        stringValue: JSON.stringify({
          run: 'r',
          kind: 'note',
          number,
          ...(number === 3 ? {} : { seq: number }),
        }),
      },
      attributes: [{ key: 'log.record.uid', value: { stringValue: `id-${number}` } }],
    }))
    const batch = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] })
    for (let times = 0; times < 3; times++) expect((await post(`${url}/v1/logs`, batch)).status).toBe(200)
    expect(spooled(directory, 'events')).toHaveLength(9)
    await stop()
    expect(report().counters.events).toBe(9)
    const store = await openStore(directory)
    await store.ingest()
    expect(await store.query('SELECT count(*) AS events FROM events')).toEqual([{ events: 3 }])
    await store.close()
  })

  it('shows handoffs of other instrumentations, once, whichever encodings they came in', async () => {
    const { url, directory, stop } = await startServer()
    const fixture = (name: string) => readFileSync(join(TRACES, name))
    const protobuf = { 'content-type': 'application/x-protobuf' }
    await post(`${url}/v1/traces`, fixture('triage.openinference.otlp.json'))
    await post(`${url}/v1/traces`, fixture('triage.openinference.otlp.pb'), protobuf)
    await stop()
    const store = await openStore(directory)
    await store.ingest()
    // The agents and the call as the program that was traced had them.
    const handoffs = await store.query('SELECT from_agent, to_agent FROM handoffs')
    expect(handoffs).toEqual([{ from_agent: 'TriageAgent', to_agent: 'AgentA' }])
    const spans = await store.query('SELECT count(*) AS spans FROM base.spans')
    expect(spans).toEqual([{ spans: 9 }])
    await store.close()
  })
})
