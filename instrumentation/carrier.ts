import { decodeEnvelope, ENVELOPE_FIELD, type Envelope } from '../model/envelope.ts'
import type { RemoteSpan } from './spans.ts'
import { fieldOf } from './storable.ts'

/**
 * What travels beside the payload: put it into the headers of a request, the attributes of a queue message or any
 * other metadata. Empty if capturing is switched off.
 */
export type Carrier = {
  /** W3C trace context, if the program traces. */
  traceparent?: string
  tracestate?: string
  /** The envelope that joins both sides into one run. */
  'handspan-handoff'?: string
}

/** Anything that holds headers: an object, fetch Headers, a Map, Node's IncomingHttpHeaders. */
export type CarrierLike = object | null | undefined

export function writeCarrier(envelope: string | undefined, span: RemoteSpan | undefined): Carrier {
  const carrier: Carrier = {}
  if (span) {
    const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0')
    carrier.traceparent = `00-${span.traceId}-${span.spanId}-${flags}`
    if (span.traceState) carrier.tracestate = span.traceState
  }
  if (envelope !== undefined) carrier[ENVELOPE_FIELD] = envelope
  return carrier
}

/** Reads both fields out of whatever the receiver has. Never throws; what is not well formed counts as not there. */
export function readCarrier(carrier: unknown): { envelope?: Envelope; span?: RemoteSpan } {
  const envelope = decodeEnvelope(header(carrier, ENVELOPE_FIELD))
  const span = parseTraceparent(header(carrier, 'traceparent'), header(carrier, 'tracestate'))
  return { ...(envelope ? { envelope } : {}), ...(span ? { span } : {}) }
}

function header(carrier: unknown, name: string): string | undefined {
  try {
    const get = fieldOf(carrier, 'get')
    const found = typeof get === 'function' ? get.call(carrier, name) : findField(carrier, name)
    const first: unknown = Array.isArray(found) ? found[0] : found
    if (first instanceof Uint8Array && first.byteLength <= 1024) return Buffer.from(first).toString('latin1')
    return typeof first === 'string' ? first : undefined
  } catch {
    return undefined
  }
}

/** Header names have no case. */
function findField(carrier: unknown, name: string): unknown {
  if (typeof carrier !== 'object' || carrier === null) return undefined
  const exact = fieldOf(carrier, name)
  if (exact !== undefined) return exact
  const other = Object.keys(carrier).find((key) => key.toLowerCase() === name)
  return other === undefined ? undefined : fieldOf(carrier, other)
}

// https://www.w3.org/TR/trace-context/: any version but ff; later versions may be longer.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/

function parseTraceparent(text: string | undefined, state: string | undefined): RemoteSpan | undefined {
  const match = text === undefined || text.length > 512 ? null : TRACEPARENT.exec(text.trim())
  if (!match) return undefined
  const span = { traceId: match[1]!, spanId: match[2]!, traceFlags: Number.parseInt(match[3]!, 16) }
  return state !== undefined && state.length <= 512 ? { ...span, traceState: state } : span
}
