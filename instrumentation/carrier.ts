import { decodeEnvelope, ENVELOPE_FIELD, type Envelope } from '../model/envelope.ts'
import { carrierField } from './carrier-fields.ts'
import type { RemoteSpan } from './spans.ts'

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

/**
 * The same for a process that is started: spread it into its environment. It receives with
 * `handspan.receive(process.env, …)`.
 */
export type EnvironmentCarrier = { TRACEPARENT?: string; TRACESTATE?: string; HANDSPAN_HANDOFF?: string }

/**
 * Anything that holds headers: an object, fetch Headers, a Map, Node's IncomingHttpHeaders, `process.env`, lists of pairs,
 * headers and attributes of queue messages, with values as text or bytes.
 */
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

/** Names of environment variables: upper case, underscores (OpenTelemetry's rules for them as carriers). */
export function environmentOf(carrier: Carrier): EnvironmentCarrier {
  const variables = Object.entries(carrier).map(([name, value]) => [variableOf(name), value])
  return Object.fromEntries(variables)
}

function variableOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_')
}

/** Reads both fields out of whatever the receiver has. Never throws; what is not well formed counts as not there. */
export function readCarrier(carrier: unknown): { envelope?: Envelope; span?: RemoteSpan } {
  const envelope = decodeEnvelope(carrierField(carrier, ENVELOPE_FIELD))
  const span = parseTraceparent(carrierField(carrier, 'traceparent'), carrierField(carrier, 'tracestate'))
  return { ...(envelope ? { envelope } : {}), ...(span ? { span } : {}) }
}

// https://www.w3.org/TR/trace-context/: any version but ff; later versions may be longer.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/

function parseTraceparent(text: string | undefined, state: string | undefined): RemoteSpan | undefined {
  const match = text === undefined || text.length > 512 ? null : TRACEPARENT.exec(text.trim())
  if (!match) return undefined
  const span = { traceId: match[1]!, spanId: match[2]!, traceFlags: Number.parseInt(match[3]!, 16) }
  return state !== undefined && state.length <= 512 ? { ...span, traceState: state } : span
}
