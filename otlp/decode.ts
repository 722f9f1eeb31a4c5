import { logRecordsOfJson, spansOfJson } from './decode-json.ts'
import { logRecordsOfProto, spansOfProto } from './decode-proto.ts'
import type { LogRecord } from './log-record.ts'
import type { Refused } from './refused.ts'
import type { Span } from './span.ts'

/** The two encodings of OTLP/HTTP. */
export type Encoding = 'json' | 'protobuf'

/*
 * Requests as they come over the wire, decompressed, in either encoding: the same export gives the same values. Records come one
 * at a time, so that a large request is never held in memory as a whole; when a DecodeError is thrown, what came before it
 * belongs to a request that must be refused as a whole. An empty request has no records.
 */

/** The spans of a trace export; in place of one that cannot be kept (its ids) why not. Throws DecodeError. */
export function decodeSpans(request: Uint8Array, encoding: Encoding): Generator<Span | Refused> {
  return encoding === 'json' ? spansOfJson(request) : spansOfProto(request)
}

/** The records of a log export. Throws DecodeError. */
export function decodeLogRecords(request: Uint8Array, encoding: Encoding): Generator<LogRecord> {
  return encoding === 'json' ? logRecordsOfJson(request) : logRecordsOfProto(request)
}
