import type { JsonObject } from '../model/json.ts'

/*
 * A span as an exporter sent it, in the one form that every decoder gives and every importer reads. Times are decimal
 * strings of nanoseconds since 1970: they are beyond what a JavaScript number holds.
 */

export type SpanKind = 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer'

export type SpanStatus = { code: 'unset' | 'ok' | 'error'; message?: string }

export type SpanEvent = { name: string; timeNanos: string; attributes: JsonObject }

export type SpanLink = { traceId: string; spanId: string; attributes: JsonObject }

export type Span = {
  /** 32 lower-case hex digits. */
  traceId: string
  /** 16 lower-case hex digits. */
  spanId: string
  /** Absent on a root; may name a span that never arrives. */
  parentSpanId?: string
  name: string
  kind: SpanKind
  startNanos: string
  /** '0' if the exporter did not say. */
  endNanos: string
  status: SpanStatus
  /** Attribute values as JSON: a 64-bit integer beyond 2^53 is a decimal string, bytes are base64. */
  attributes: JsonObject
  events: SpanEvent[]
  links: SpanLink[]
  resource: JsonObject
  scope: { name: string; version?: string }
  /** Attributes, events and links that the exporter dropped, if any. */
  dropped?: number
}
