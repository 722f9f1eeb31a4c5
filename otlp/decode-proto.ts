import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import type { JsonObject } from '../model/json.ts'
import { holdsMoreMessages } from './count-messages.ts'
import { DecodeError } from './decode-error.ts'
import { ResourceSchema, ScopeSchema } from './gen/common_pb.ts'
import { type LogRecordMessage, LogRecordMessageSchema } from './gen/logs_pb.ts'
import { type SpanMessage, SpanMessageSchema } from './gen/trace_pb.ts'
import { faultOfIds, SPAN_DIGITS, TRACE_DIGITS, validId } from './ids.ts'
import { MESSAGES_AT_MOST, NESTED_AT_MOST } from './limits.ts'
import type { LogRecord } from './log-record.ts'
import { type EncodedRecord, recordsOf } from './proto-layers.ts'
import { attributesOfMessage, hexOf, valueOfMessage } from './proto-values.ts'
import type { Refused } from './refused.ts'
import type { Span } from './span.ts'
import { kindOf, statusOf } from './span-words.ts'

type Origin = { resource: JsonObject; scope: { name: string; version?: string } }

/** The spans of an ExportTraceServiceRequest in protobuf, one at a time. Throws DecodeError. */
export function* spansOfProto(request: Uint8Array): Generator<Span | Refused> {
  for (const { origin, record } of withOrigin(request)) {
    yield spanOf(decode(SpanMessageSchema, record, 'span'), origin)
  }
}

/** The records of an ExportLogsServiceRequest in protobuf, one at a time. Throws DecodeError. */
export function* logRecordsOfProto(request: Uint8Array): Generator<LogRecord> {
  for (const { origin, record } of withOrigin(request)) {
    yield logRecordOf(decode(LogRecordMessageSchema, record, 'log record'), origin)
  }
}

/** The records with their resource and scope decoded, once for all that share them. */
function* withOrigin(request: Uint8Array): Generator<{ origin: Origin; record: Uint8Array }> {
  let last: EncodedRecord | undefined
  let origin: Origin = { resource: {}, scope: { name: '' } }
  const records = recordsOf(request)
  for (;;) {
    const next = reading('request', () => records.next())
    if (next.done) return
    const { resource, scope, record } = next.value
    if (resource !== last?.resource || scope !== last.scope) origin = originOf(resource, scope)
    last = next.value
    yield { origin, record }
  }
}

function originOf(resource: Uint8Array, scope: Uint8Array): Origin {
  const { name, version } = decode(ScopeSchema, scope, 'scope')
  return {
    resource: attributesOfMessage(decode(ResourceSchema, resource, 'resource').attributes),
    scope: version === '' ? { name } : { name, version },
  }
}

function spanOf(message: SpanMessage, origin: Origin): Span | Refused {
  const traceId = hexOf(message.traceId)
  const spanId = hexOf(message.spanId)
  const parentSpanId = hexOf(message.parentSpanId)
  const fault = faultOfIds(traceId, spanId, parentSpanId)
  if (fault !== undefined) return { refused: fault }
  const parent = validId(parentSpanId, SPAN_DIGITS)
  const dropped = message.droppedAttributesCount + message.droppedEventsCount + message.droppedLinksCount
  return {
    traceId,
    spanId,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name: message.name,
    kind: kindOf(message.kind),
    startNanos: message.startTimeUnixNano.toString(),
    endNanos: message.endTimeUnixNano.toString(),
    status: statusOf(message.status?.code ?? 0, message.status?.message ?? ''),
    attributes: attributesOfMessage(message.attributes),
    events: message.events.map((event) => ({
      name: event.name,
      timeNanos: event.timeUnixNano.toString(),
      attributes: attributesOfMessage(event.attributes),
    })),
    links: message.links.map((link) => ({
      traceId: validId(hexOf(link.traceId), TRACE_DIGITS) ?? '',
      spanId: validId(hexOf(link.spanId), SPAN_DIGITS) ?? '',
      attributes: attributesOfMessage(link.attributes),
    })),
    ...origin,
    ...(dropped === 0 ? {} : { dropped }),
  }
}

function logRecordOf(message: LogRecordMessage, origin: Origin): LogRecord {
  const traceId = validId(hexOf(message.traceId), TRACE_DIGITS)
  const spanId = validId(hexOf(message.spanId), SPAN_DIGITS)
  return {
    timeNanos: (message.timeUnixNano || message.observedTimeUnixNano).toString(),
    ...(message.eventName === '' ? {} : { eventName: message.eventName }),
    ...(message.body === undefined ? {} : { body: valueOfMessage(message.body) }),
    attributes: attributesOfMessage(message.attributes),
    ...(traceId === undefined ? {} : { traceId }),
    ...(spanId === undefined ? {} : { spanId }),
    ...origin,
  }
}

const OPTIONS = { recursionLimit: NESTED_AT_MOST, readUnknownFields: false }

function decode<S extends DescMessage>(schema: S, bytes: Uint8Array, what: string): MessageShape<S> {
  return reading(what, () => {
    if (holdsMoreMessages(schema, bytes, MESSAGES_AT_MOST)) {
      throw new DecodeError(`a ${what} of more than ${MESSAGES_AT_MOST} values`, 'too-large')
    }
    return fromBinary(schema, bytes, OPTIONS)
  })
}

function reading<T>(what: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof DecodeError) throw error
    throw new DecodeError(
      `the ${what} is no protobuf message: ${(error as Error).message}`,
      'malformed',
      error,
    )
  }
}
