/** Why a request is not taken: the HTTP status, gRPC's code for google.rpc.Status, and what to do in words. */
export class Refusal extends Error {
  readonly status: number
  readonly code: number
  readonly headers: Record<string, string>
  /** Kept in quarantine: the request was read and could not be understood. */
  readonly undecodable: boolean

  constructor(
    status: keyof typeof CODES,
    message: string,
    details: { headers?: Record<string, string>; undecodable?: boolean } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.code = CODES[status]
    this.headers = details.headers ?? {}
    this.undecodable = details.undecodable ?? false
  }
}

// Invalid argument, unauthenticated, permission denied, not found, unimplemented, resource exhausted, internal, unavailable.
const CODES = { 400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 413: 8, 415: 3, 500: 13, 503: 14 }

/** Put off: the sender is to try again after so many seconds. OpenTelemetry's own clients give up after ten in all. */
export function putOff(message: string, seconds = 1): Refusal {
  return new Refusal(503, message, { headers: { 'retry-after': String(seconds) } })
}

export function malformed(message: string): Refusal {
  return new Refusal(400, message, { undecodable: true })
}

export function tooLarge(message: string): Refusal {
  return new Refusal(413, message)
}
