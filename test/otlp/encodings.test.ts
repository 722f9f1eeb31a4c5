import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HrTime } from '@opentelemetry/api'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeSpans } from '../../otlp/decode.ts'
import type { Span } from '../../otlp/span.ts'
import { inBoth, TRACES } from '../importers/traces.ts'
import { origin, plainSpan, readableSpan, resourceOf } from './span-builder.ts'

describe('real exports', () => {
  it.each(inBoth)('%s: both encodings give the same spans', (name) => {
    const fromJson = [...decodeSpans(readFileSync(join(TRACES, `${name}.otlp.json`)), 'json')]
    const fromProto = [...decodeSpans(readFileSync(join(TRACES, `${name}.otlp.pb`)), 'protobuf')]
    expect(fromJson.length).toBeGreaterThan(2)
    expect(fromProto).toEqual(fromJson)
    // Nothing is lost on the way to a line of JSON.
    expect(JSON.parse(JSON.stringify(fromProto))).toEqual(fromProto)
  })

  it("reads the specification's own example", () => {
    const example = readFileSync(join(TRACES, 'opentelemetry-proto.examples.trace.json'))
    expect([...decodeSpans(example, 'json')]).toEqual([
      {
        traceId: '5b8efff798038103d269b633813fc60c',
        spanId: 'eee19b7ec3c1b174',
        parentSpanId: 'eee19b7ec3c1b173',
        name: "I'm a server span",
        kind: 'server',
        startNanos: '1544712660000000000',
        endNanos: '1544712661000000000',
        status: { code: 'unset' },
        attributes: { 'my.span.attr': 'some value' },
        events: [],
        links: [],
        resource: { 'service.name': 'my.service' },
        scope: { name: 'my.library', version: '1.0.0' },
      },
    ] satisfies Span[])
  })
})

describe("what OpenTelemetry's own serializers write", () => {
  it('is read as what the spans were, from either encoding', () => {
    const batch = fc.array(fc.tuple(origin, fc.array(plainSpan, { minLength: 1, maxLength: 3 })), {
      maxLength: 3,
    })
    fc.assert(
      fc.property(batch, (groups) => {
        const spans = groups.flatMap(([from, plains]) => {
          const resource = resourceOf(from)
          return plains.map((plain) => readableSpan(plain, { resource, scope: from.scope }))
        })
        const expected = groups.flatMap(([from, plains]) =>
          plains.map(
            (plain): Span => ({
              traceId: plain.context.traceId,
              spanId: plain.context.spanId,
              ...(plain.parent === undefined ? {} : { parentSpanId: plain.parent.spanId }),
              name: plain.name,
              kind: (['internal', 'server', 'client', 'producer', 'consumer'] as const)[plain.kind]!,
              startNanos: nanos(plain.start),
              endNanos: nanos(plain.end),
              status: {
                code: (['unset', 'ok', 'error'] as const)[plain.code]!,
                ...(plain.message ? { message: plain.message } : {}),
              },
              attributes: values(plain.attributes),
              events: plain.events.map(({ name, time, attributes }) => ({
                name,
                timeNanos: nanos(time),
                attributes: values(attributes),
              })),
              links: plain.links.map(({ context, attributes }) => ({
                traceId: context.traceId,
                spanId: context.spanId,
                attributes: values(attributes),
              })),
              resource: values(from.resource),
              scope: {
                name: from.scope.name,
                ...(from.scope.version ? { version: from.scope.version } : {}),
              },
              ...dropped(plain.dropped),
            }),
          ),
        )
        const fromJson = [...decodeSpans(JsonTraceSerializer.serializeRequest(spans)!, 'json')]
        const fromProto = [...decodeSpans(ProtobufTraceSerializer.serializeRequest(spans)!, 'protobuf')]
        expect(fromProto).toEqual(fromJson)
        const byId = (a: unknown, b: unknown) => ((a as Span).spanId < (b as Span).spanId ? -1 : 1)
        expect(fromProto.sort(byId)).toEqual(expected.sort(byId))
      }),
      { numRuns: 150 },
    )
  })
})

function nanos([seconds, rest]: HrTime): string {
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(rest))
}

function dropped([attributes, events, links]: [number, number, number]): { dropped?: number } {
  const sum = attributes + events + links
  return sum === 0 ? {} : { dropped: sum }
}

/** Attributes as JSON: what JSON has no form for is a text, minus zero is zero. */
function values(attributes: Record<string, unknown>): Span['attributes'] {
  return JSON.parse(
    JSON.stringify(attributes, (_, value) =>
      typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
    ),
  )
}
