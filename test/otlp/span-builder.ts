import type { Attributes, HrTime, SpanContext } from '@opentelemetry/api'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import fc from 'fast-check'

/*
 * Spans as OpenTelemetry's SDK has them, to be encoded by its own serializers: the independent encoder that the decoders
 * are tested against.
 */

const hex = (digits: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
    .filter((text) => /[^0]/.test(text))

const hrTime: fc.Arbitrary<HrTime> = fc.tuple(
  fc.integer({ min: 0, max: 4_000_000_000 }),
  fc.integer({ min: 0, max: 999_999_999 }),
)

const text = fc.string({ unit: 'grapheme', maxLength: 20 })

// The SDK writes whole numbers beyond 2^53 as 64-bit integers, in protobuf as other ones, and loses infinities in JSON.
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value))

/** Values that an attribute of a span may have by the API. */
export const attributeValue = fc.oneof(
  text,
  fc.boolean(),
  fc.integer(),
  fc.maxSafeInteger(),
  double,
  fc.array(text, { maxLength: 4 }),
  fc.array(double, { maxLength: 4 }),
  fc.array(fc.boolean(), { maxLength: 4 }),
)

export const attributes: fc.Arbitrary<Attributes> = fc.dictionary(
  // A resource of the SDK loses names that every object has.
  text.filter((key) => !(key in {})),
  attributeValue,
  { maxKeys: 6 },
)

const context = (): fc.Arbitrary<SpanContext> =>
  fc.record({ traceId: hex(32), spanId: hex(16), traceFlags: fc.constantFrom(0, 1) })

type Plain = {
  context: SpanContext
  parent: SpanContext | undefined
  name: string
  kind: number
  start: HrTime
  end: HrTime
  code: number
  message: string | undefined
  attributes: Attributes
  events: { name: string; time: HrTime; attributes: Attributes }[]
  links: { context: SpanContext; attributes: Attributes }[]
  dropped: [number, number, number]
}

export const plainSpan: fc.Arbitrary<Plain> = fc.record({
  context: context(),
  parent: fc.option(context(), { nil: undefined }),
  name: text,
  kind: fc.integer({ min: 0, max: 4 }),
  start: hrTime,
  end: hrTime,
  code: fc.integer({ min: 0, max: 2 }),
  message: fc.option(text, { nil: undefined }),
  attributes,
  events: fc.array(fc.record({ name: text, time: hrTime, attributes }), { maxLength: 3 }),
  links: fc.array(fc.record({ context: context(), attributes }), { maxLength: 3 }),
  dropped: fc.tuple(fc.nat(5), fc.nat(5), fc.nat(5)),
})

export type Origin = { resource: Attributes; scope: { name: string; version?: string } }

export const origin: fc.Arbitrary<Origin> = fc.record(
  { resource: attributes, scope: fc.record({ name: text, version: text }, { requiredKeys: ['name'] }) },
  { requiredKeys: ['resource', 'scope'] },
)

export function readableSpan(
  plain: Plain,
  from: { resource: Resource; scope: Origin['scope'] },
): ReadableSpan {
  return {
    name: plain.name,
    kind: plain.kind,
    spanContext: () => plain.context,
    ...(plain.parent === undefined ? {} : { parentSpanContext: plain.parent }),
    startTime: plain.start,
    endTime: plain.end,
    status: { code: plain.code, ...(plain.message === undefined ? {} : { message: plain.message }) },
    attributes: plain.attributes,
    links: plain.links,
    events: plain.events,
    duration: [0, 0],
    ended: true,
    resource: from.resource,
    instrumentationScope: from.scope,
    droppedAttributesCount: plain.dropped[0],
    droppedEventsCount: plain.dropped[1],
    droppedLinksCount: plain.dropped[2],
  }
}

export function resourceOf(from: Origin): Resource {
  return resourceFromAttributes(from.resource)
}
