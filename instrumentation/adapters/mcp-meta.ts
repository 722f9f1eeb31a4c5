import { ENVELOPE_FIELD, encodeEnvelope } from '../../model/envelope.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { type Carrier, readCarrier, writeCarrier } from '../carrier.ts'
import { otel } from '../otel.ts'
import { fieldOf } from '../storable.ts'
import { checkVersion } from './shared-version.ts'

/*
 * What crosses in `params._meta` of a call. The protocol keeps that field for such things, servers pass over names that
 * they do not know, and no model sees it. `traceparent` and `tracestate` stand there under their own names (SEP-414).
 */

/** Name of the envelope of a call by which a task is delegated to an agent. */
export const HANDOFF_FIELD = 'handspan/handoff'
/** Name of the envelope of a plain call: it names the operation in the place of a handoff. */
export const OPERATION_FIELD = 'handspan/operation'
/** Name of the record, where the program lets it cross. */
export const RECORD_FIELD = 'handspan/record'

export const PACKAGE = '@modelcontextprotocol/sdk'

export function checkMCP(): void {
  checkVersion(PACKAGE, /^1\./, 'tested with 1.32')
}

/** The params of a call with more in `_meta`. What the program has put there itself stays, and so does its object. */
export function withMeta(params: Record<string, unknown>, meta: object): Record<string, unknown> {
  const own = params._meta
  return { ...params, _meta: { ...meta, ...(isObject(own) ? own : {}) } }
}

/** What crosses with a delegation. */
export function handoffMeta({ [ENVELOPE_FIELD]: envelope, ...trace }: Carrier, record?: JsonObject): object {
  return {
    ...trace,
    ...(envelope === undefined ? {} : { [HANDOFF_FIELD]: envelope }),
    ...(record === undefined ? {} : { [RECORD_FIELD]: record }),
  }
}

/** What crosses with a plain call: the names of run and operation, and the trace of the program if it has one. */
export function operationMeta(run: string, op: string, attempt: number): object {
  const clock = { ms: Date.now(), count: 0 }
  const envelope = encodeEnvelope({ run, handoff: op, attempt, clock })
  return { ...activeTrace(), ...(envelope === undefined ? {} : { [OPERATION_FIELD]: envelope }) }
}

function activeTrace(): Carrier {
  const api = otel()
  const span = api?.trace.getActiveSpan()?.spanContext()
  if (span === undefined || !api?.isSpanContextValid(span)) return {}
  const { traceId, spanId, traceFlags } = span
  const state = span.traceState?.serialize()
  return writeCarrier(undefined, { traceId, spanId, traceFlags, ...(state ? { traceState: state } : {}) })
}

/** The carrier of a delegation as it arrived; undefined if it has none. A claim of the sender. */
export function delegationIn(meta: unknown): Carrier | undefined {
  const envelope = fieldOf(meta, HANDOFF_FIELD)
  if (typeof envelope !== 'string') return undefined
  const traceparent = fieldOf(meta, 'traceparent')
  const tracestate = fieldOf(meta, 'tracestate')
  return {
    [ENVELOPE_FIELD]: envelope,
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
    ...(typeof tracestate === 'string' ? { tracestate } : {}),
  }
}

/** The run and the operation that a plain call names; undefined if it names none. */
export function operationIn(meta: unknown): { run: string; op: string } | undefined {
  const { envelope } = readCarrier({ [ENVELOPE_FIELD]: fieldOf(meta, OPERATION_FIELD) })
  return envelope && { run: envelope.run, op: envelope.handoff }
}
