import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { handspanSpanProcessor, register } from '../../instrumentation/tracing/index.ts'
import { hashJson } from '../../model/hash.ts'
import { buildEntry, capture, temporaryDirectory } from './captures.ts'

type Sent = {
  name: string
  traceId: string
  parentSpanId?: string
  links?: { spanId: string }[]
  attributes: { key: string; value: Record<string, unknown> }[]
  droppedAttributesCount: number
}

let server: Server
let url: string
let spans: Sent[]
let resources: unknown[]
let requests: { path: string | undefined; authorization: string | undefined }[]
let hang: boolean

beforeEach(async () => {
  spans = []
  resources = []
  requests = []
  hang = false
  server = createServer(async (request, response) => {
    requests.push({ path: request.url, authorization: request.headers.authorization })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (hang) return
    const body = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString())
    for (const { resource, scopeSpans } of body.resourceSpans) {
      resources.push(resource.attributes)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function attributeOf(span: Sent | undefined, name: string): unknown {
  return span && Object.values(span.attributes.find(({ key }) => key === name)?.value ?? {})[0]
}

const ITEMS = [{ role: 'user', content: 'Forty of A-7, please.' }]

describe('register', () => {
  const changed: string[] = []
  const setEnvironment = (name: string, value: string) => {
    process.env[name] = value
    changed.push(name)
  }
  let registration: ReturnType<typeof register> | undefined

  afterEach(async () => {
    await registration?.shutdown()
    registration = undefined
    for (const name of changed.splice(0)) delete process.env[name]
    context.disable()
  })

  async function transfer(): Promise<Record<string, string>> {
    let carrier: Record<string, string> = {}
    await capture((handspan) =>
      handspan.run({}, (run) => {
        const handoff = run.handoff({ from: 'orders', to: 'billing', items: ITEMS, record: false })
        carrier = handoff.carrier as Record<string, string>
        handspan.receive(carrier, { by: 'billing', items: ITEMS }).accept()
      }),
    )
    return carrier
  }

  test('both sides are sent, with name and token, by the time shutdown() of the captures has resolved', async () => {
    registration = register({ url, token: 'secret', service: 'shop' })
    await transfer()
    expect(spans.map(({ name }) => name).sort()).toEqual(['handoff billing', 'receive_handoff billing'])
    expect(requests).toEqual([{ path: '/v1/traces', authorization: 'Bearer secret' }])
    expect(resources[0]).toContainEqual({ key: 'service.name', value: { stringValue: 'shop' } })
  })

  test('limits of the environment cut no hash and drop no attribute', async () => {
    for (const name of ['OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT', 'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT']) {
      setEnvironment(name, '20')
    }
    setEnvironment('OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', '3')
    setEnvironment('OTEL_SPAN_LINK_COUNT_LIMIT', '0')
    registration = register({ url })
    await transfer()
    expect(spans.map(({ droppedAttributesCount }) => droppedAttributesCount)).toEqual([0, 0])
    const received = spans.find(({ name }) => name.startsWith('receive'))
    expect(attributeOf(received, 'handspan.received.hash')).toBe(hashJson({ items: ITEMS, record: null }))
    expect(received!.links).toHaveLength(1)
  })

  test('a sampler of the environment that takes nothing loses no span', async () => {
    setEnvironment('OTEL_TRACES_SAMPLER', 'always_off')
    registration = register({ url })
    await transfer()
    expect(spans).toHaveLength(2)
  })

  test('under an unsampled caller spans are recorded, and what goes on is as unsampled as it came', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    registration = register({ url })
    const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isRemote: true }
    const carriers: Record<string, string>[] = []
    for (const traceFlags of [0, 1]) {
      const inside = trace.setSpanContext(ROOT_CONTEXT, { ...caller, traceFlags })
      carriers.push(await context.with(inside, transfer))
    }
    expect(carriers.map(({ traceparent }) => traceparent!.slice(-2))).toEqual(['00', '01'])
    expect(spans).toHaveLength(4)
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([caller.traceId]))
    const sent = spans.find(({ name }) => name.startsWith('handoff'))
    expect(sent!.parentSpanId).toBe(caller.spanId)
  })

  test('nobody else gets the provider, and after shutdown handoffs go to that of the program again', async () => {
    registration = register({ url })
    trace.getTracer('app').startSpan('request').end()
    await registration.shutdown()
    await transfer()
    expect(spans).toEqual([])
    expect(await transfer()).not.toHaveProperty('traceparent')
  })

  test('OTEL_SDK_DISABLED turns it off', async () => {
    setEnvironment('OTEL_SDK_DISABLED', 'true')
    registration = register({ url })
    await transfer()
    await registration.flush()
    expect(requests).toEqual([])
  })

  test('a second call gives the first registration', () => {
    registration = register({ url })
    expect(register({ url: 'http://127.0.0.1:9' })).toBe(registration)
  })

  test('an address that is none says so', () => {
    expect(() => register({ url: 'billing' })).toThrow('billing is no http or https address')
  })
})

describe('a processor for the provider of the program', () => {
  test('10,000 spans that end in one tick are all delivered', async () => {
    const provider = new BasicTracerProvider({ spanProcessors: [handspanSpanProcessor({ url })] })
    const tracer = provider.getTracer('handspan')
    for (let number = 0; number < 10_000; number++) tracer.startSpan(`s-${number}`).end()
    await provider.forceFlush()
    expect(new Set(spans.map(({ name }) => name)).size).toBe(10_000)
    await provider.shutdown()
  })

  test.each([
    ['handspan', ['ours']],
    ['all', ['ours', 'theirs']],
  ] as const)('spans: %s', async (which, expected) => {
    const headers = { 'x-team': 'shop' }
    const provider = new BasicTracerProvider({
      spanProcessors: [handspanSpanProcessor({ url, headers, spans: which })],
    })
    provider.getTracer('handspan').startSpan('ours').end()
    provider.getTracer('langchain').startSpan('theirs').end()
    await provider.shutdown()
    expect(spans.map(({ name }) => name)).toEqual(expected)
  })
})

describe('a program that ends by itself', () => {
  let built: { directory: string; entry: string }
  let directory: string

  beforeAll(async () => {
    built = await buildEntry({ otel: 'instrumentation/tracing/index.ts' })
    directory = temporaryDirectory()
  })
  afterAll(() => {
    rmSync(built.directory, { recursive: true, force: true })
    rmSync(directory, { recursive: true, force: true })
  })

  async function runProgram(): Promise<unknown[]> {
    const file = join(directory, 'program.mjs')
    writeFileSync(
      file,
      `import { start } from ${JSON.stringify(built.entry)}
       import { register } from ${JSON.stringify(join(built.directory, 'otel.mjs'))}
       register({ url: ${JSON.stringify(url)} })
       start().startRun().handoff({ from: 'orders', to: 'billing' })`,
    )
    const env = { ...process.env, HANDSPAN_DIR: join(directory, 'captures') }
    return once(spawn(process.execPath, [file], { env, stdio: 'inherit' }), 'close')
  }

  test('has sent its spans, those without an outcome too', async () => {
    expect(await runProgram()).toEqual([0, null])
    expect(spans.map(({ name }) => name)).toEqual(['handoff billing'])
  })

  test('ends also when the server never answers', async () => {
    hang = true
    expect(await runProgram()).toEqual([0, null])
    expect(requests.length).toBeGreaterThan(0)
  })
})
