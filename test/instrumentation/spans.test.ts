import { context, DiagLogLevel, diag, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AlwaysOffSampler, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { constraintHash, hashText } from '../../model/hash.ts'
import { capture, ofKind } from './captures.ts'

const ITEMS = [
  { id: 'u1', role: 'user', content: 'Please reserve forty pieces of A-7.' },
  { id: 'a1', role: 'assistant', content: 'Reserving forty now.' },
  { id: 'c1', type: 'tool_call', call: 'call-1', tool: 'reserve', args: { sku: 'A-7' } },
  { id: 'r1', type: 'tool_result', call: 'call-1', content: 'no answer within ten seconds' },
]

describe('with a provider of the program', () => {
  let exporter: InMemorySpanExporter
  let provider: NodeTracerProvider

  function register(sampler?: AlwaysOffSampler): void {
    exporter = new InMemorySpanExporter()
    provider = new NodeTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
      ...(sampler ? { sampler } : {}),
    })
    provider.register({ contextManager: new AsyncLocalStorageContextManager().enable() })
  }

  beforeEach(() => register())
  afterEach(async () => {
    await provider.shutdown()
    trace.disable()
    context.disable()
    diag.disable()
  })

  async function transfer(inner?: (carrier: object) => void) {
    const events = await capture((handspan) =>
      handspan.run({ principal: { kind: 'human', id: 'u-17' } }, async (run) => {
        run.constraint('invoice only what is reserved', undefined, { id: 'c-1' })
        run.operation({ tool: 'reserve', key: 'k-2' }).sent()
        const handoff = run.handoff({
          id: 'h-1',
          from: 'orders',
          to: 'billing',
          mode: 'transfer',
          reason: 'bill the order',
          items: ITEMS,
          intent: 'a correct invoice',
          evidence: [{ ref: 'stock/r-9', summary: 'stock was checked at nine' }],
          policy: { filter: 'remove_all_tools' },
          transport: 'http',
        })
        inner?.(handoff.carrier)
        handspan
          .receive(handoff.carrier, {
            by: 'billing',
            items: ITEMS.slice(0, 1),
            record: { constraints: [] },
            transport: 'http',
          })
          .accept()
      }),
    )
    return { events, spans: exporter.getFinishedSpans() }
  }

  test('each side is one span, the receiver is linked to the sender, and both carry the handoff id', async () => {
    const { spans } = await transfer()
    expect(spans.map(({ name }) => name).sort()).toEqual(['handoff billing', 'receive_handoff billing'])
    const sent = spans.find(({ name }) => name === 'handoff billing')!
    const received = spans.find(({ name }) => name === 'receive_handoff billing')!
    expect(sent.kind).toBe(SpanKind.CLIENT)
    expect(received.kind).toBe(SpanKind.SERVER)
    expect(received.links.map(({ context }) => context.spanId)).toEqual([sent.spanContext().spanId])
    expect(received.links[0]!.attributes).toEqual({ 'handspan.link.type': 'handoff' })
    expect(received.parentSpanContext?.spanId).toBe(sent.spanContext().spanId)
    expect([sent, received].map(({ attributes }) => attributes['handspan.handoff.id'])).toEqual([
      'h-1',
      'h-1',
    ])
    expect(sent.instrumentationScope.name).toBe('handspan')
  })

  test('the attributes say what was sent, what arrived and what was lost', async () => {
    const { spans } = await transfer()
    const sent = spans.find(({ name }) => name.startsWith('handoff'))!.attributes
    const received = spans.find(({ name }) => name.startsWith('receive'))!.attributes
    const constraint = constraintHash({ text: 'invoice only what is reserved' }).slice(
      0,
      'sha256:'.length + 16,
    )
    expect(sent).toMatchObject({
      'handspan.side': 'sent',
      'handspan.source.name': 'orders',
      'handspan.target.name': 'billing',
      'handspan.handoff.mode': 'transfer',
      'handspan.transfer.mode': 'pass_control',
      'handspan.handoff.reason': 'bill the order',
      'handspan.filter.names': ['remove_all_tools'],
      'handspan.origin.kind': 'human',
      'handspan.outcome': 'received',
      'handspan.sent.item.count': 4,
      'handspan.sent.item.size': Buffer.byteLength(JSON.stringify(ITEMS)),
      'handspan.sent.constraint.hashes': [constraint],
      'handspan.sent.open_operation.count': 1,
      'handspan.sent.open_operation.key.hashes': [hashText('k-2').slice(0, 'sha256:'.length + 16)],
      'handspan.sent.contract.fields': ['intent', 'constraints', 'evidence'],
      'handspan.artifact.refs': ['stock/r-9'],
      'gen_ai.agent.name': 'orders',
    })
    expect(received).toMatchObject({
      'handspan.side': 'received',
      'handspan.outcome': 'accepted',
      'handspan.received.item.count': 1,
      'handspan.received.record.keys': ['constraints'],
      'handspan.filtered.item.count': 3,
      'handspan.filtered.message.count': 1,
      'handspan.filtered.tool_call.count': 1,
      'handspan.filtered.tool_result.count': 1,
      'handspan.constraint.missing.count': 1,
      'handspan.open_operation.missing.count': 1,
      'gen_ai.agent.name': 'billing',
    })
  })

  test('no span holds content or a raw key', async () => {
    const { spans } = await transfer()
    const text = JSON.stringify(spans.map(({ name, attributes, events }) => ({ name, attributes, events })))
    for (const content of [
      'forty',
      'A-7',
      'ten seconds',
      'only what is reserved',
      'k-2',
      'u-17',
      'correct invoice',
      'checked',
    ]) {
      expect(text).not.toContain(content)
    }
  })

  test('events carry the trace in which they happened', async () => {
    const { events, spans } = await transfer()
    const ids = Object.fromEntries(spans.map((span) => [span.name, span.spanContext()]))
    const at = (kind: string) => ofKind(events, kind)[0]!.trace
    expect(at('handoff.sent')).toEqual({
      id: ids['handoff billing']!.traceId,
      span: ids['handoff billing']!.spanId,
    })
    expect(at('handoff.received')).toMatchObject({ span: ids['receive_handoff billing']!.spanId })
    expect(at('run.start')).toBeUndefined()
  })

  test('a receiver with a span of its own keeps it as parent and links the sender', async () => {
    const events = await capture(async (handspan) => {
      trace.getTracer('app').startActiveSpan('request', (request) => {
        const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
        handspan
          .receive({ traceparent, 'handspan-handoff': '1;r=r;h=h;a=1;c=1.1' }, { by: 'billing' })
          .decline('no')
        handspan.startRun().event('inside')
        request.end()
      })
    })
    const [received, request] = exporter.getFinishedSpans()
    expect(received!.parentSpanContext?.spanId).toBe(request!.spanContext().spanId)
    expect(received!.links[0]!.context).toMatchObject({
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      isRemote: true,
    })
    expect(received!.status.code).toBe(SpanStatusCode.ERROR)
    expect(ofKind(events, 'inside')[0]!.trace).toMatchObject({ span: request!.spanContext().spanId })
  })

  test('the carrier holds the trace context of the sender span', async () => {
    let carrier: Record<string, string> = {}
    const { spans } = await transfer((given) => {
      carrier = given as Record<string, string>
    })
    const { traceId, spanId } = spans.find(({ name }) => name.startsWith('handoff'))!.spanContext()
    expect(carrier.traceparent).toBe(`00-${traceId}-${spanId}-01`)
  })

  test('a failed handoff ends its span with an error type and without its message', async () => {
    await capture((handspan) => {
      const error = Object.assign(new Error('Ada was not at home'), { code: 'ECONNREFUSED' })
      handspan.startRun().handoff({ to: 'billing' }).failed('unknown', error)
    })
    const [span] = exporter.getFinishedSpans()
    expect(span!.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span!.attributes).toMatchObject({ 'error.type': 'ECONNREFUSED', 'handspan.outcome': 'unknown' })
    expect(JSON.stringify(span!.attributes)).not.toContain('Ada')
  })

  test('a span whose outcome nobody tells ends with the run', async () => {
    await capture(async (handspan) => {
      await handspan.run({}, (run) => {
        run.handoff({ to: 'billing' })
        expect(exporter.getFinishedSpans()).toHaveLength(0)
      })
      expect(exporter.getFinishedSpans()).toHaveLength(1)
    })
  })

  test('unsampled: no span is recorded, captures are complete, and the carrier says unsampled', async () => {
    await provider.shutdown()
    trace.disable()
    context.disable()
    register(new AlwaysOffSampler())
    let carrier: Record<string, string> = {}
    const { events, spans } = await transfer((given) => {
      carrier = given as Record<string, string>
    })
    expect(spans).toEqual([])
    expect(ofKind(events, 'handoff.received')[0]).toMatchObject({ items: ITEMS.slice(0, 1) })
    expect(carrier.traceparent).toMatch(/-00$/)
  })

  test('a provider that throws does not reach the agent', async () => {
    await provider.shutdown()
    trace.disable()
    const broken = () => {
      throw new Error('the provider is broken')
    }
    trace.setGlobalTracerProvider({
      getTracer: () => ({ startSpan: broken, startActiveSpan: broken }),
    } as never)
    const { events } = await transfer()
    expect(ofKind(events, 'handoff.received')).toHaveLength(1)
  })

  test('problems go to the diagnostic logger, once a spell', async () => {
    const errors: string[] = []
    const logger = {
      error: (text: string) => errors.push(text),
      warn() {},
      info() {},
      debug() {},
      verbose() {},
    }
    diag.setLogger(logger, DiagLogLevel.ALL)
    await capture(
      (handspan) => {
        const run = handspan.startRun()
        for (let number = 0; number < 5; number++) run.event('lost')
      },
      { limits: { totalBytes: 1 } },
    )
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/^handspan: captures are not written \(full\)/)
  })
})

test('with no provider at all: captures work, and the carrier is the envelope alone', async () => {
  const events = await capture((handspan) => {
    const { carrier } = handspan.startRun().handoff({ to: 'billing', items: ITEMS })
    expect(Object.keys(carrier)).toEqual(['handspan-handoff'])
    handspan.receive(carrier, { by: 'billing', items: ITEMS }).accept()
  })
  expect(events.map(({ kind }) => kind)).toEqual([
    'run.start',
    'handoff.sent',
    'handoff.received',
    'handoff.accepted',
  ])
  expect(events.every((event) => event.trace === undefined)).toBe(true)
})
