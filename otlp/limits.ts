/*
 * What one request may hold besides bytes. Two bytes on the wire can stand for an object of a hundred bytes in memory, so a
 * limit on bytes alone does not bound what decoding takes.
 */

/** Spans or log records in one request. Collectors send 8,192 unless told otherwise. */
export const RECORDS_AT_MOST = 200_000

/** Messages (protobuf) in one span or log record, and objects and lists (JSON) in one request. */
export const MESSAGES_AT_MOST = 500_000
export const CONTAINERS_AT_MOST = 4_000_000

/**
 * Messages within messages, in both encodings: protobuf's usual 100 would refuse a whole request for a value that
 * OpenTelemetry itself allows (64 lists in one another are 128 messages).
 */
export const NESTED_AT_MOST = 256
