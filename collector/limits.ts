const MIB = 1024 * 1024

/** What one server lets in, in bytes, milliseconds and counts. */
export type Limits = {
  /** A request over this is answered 413: as it comes over the wire, and again after decompression. */
  requestBytes: number
  /** Bytes of all requests that are being worked on, in every form they take. Over it requests are put off with 503. */
  bytesInWork: number
  connections: number
  headerBytes: number
  headers: number
  /** From the first byte of a request to the last of its headers, and to the last of its body. */
  headersTime: number
  requestTime: number
  /** How long a connection may wait for its next request. */
  idleTime: number
  /** How long a stop waits for requests that are on their way. */
  stopTime: number
}

/** 64 MiB a request is what OTLP recommends. */
export const DEFAULT_LIMITS: Limits = {
  requestBytes: 64 * MIB,
  bytesInWork: 512 * MIB,
  connections: 512,
  headerBytes: 16 * 1024,
  headers: 64,
  headersTime: 10_000,
  requestTime: 60_000,
  idleTime: 75_000,
  stopTime: 10_000,
}
