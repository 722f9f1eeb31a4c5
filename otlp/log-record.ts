import type { Json, JsonObject } from '../model/json.ts'

/** A log record as an exporter sent it, in the one form that every decoder gives. Values as in a span. */
export type LogRecord = {
  /** Nanoseconds since 1970, decimal; when it was observed, if the exporter did not say when it happened. */
  timeNanos: string
  eventName?: string
  /** Absent if the record has none. */
  body?: Json
  attributes: JsonObject
  traceId?: string
  spanId?: string
  resource: JsonObject
  scope: { name: string; version?: string }
}
