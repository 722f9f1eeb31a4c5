import { isObject, type JsonObject, textOf } from '../../model/json.ts'
import type { Span } from '../../otlp/span.ts'
import { unpacked } from '../attributes.ts'
import { nanosOfTime } from '../time.ts'
import type { Converted } from './converted.ts'
import { hexId } from './ids.ts'

/** True for an observation of a Langfuse export. */
export function isLangfuse(value: unknown): boolean {
  return (
    isObject(value) &&
    textOf(value.traceId) !== undefined &&
    typeof value.type === 'string' &&
    'startTime' in value
  )
}

/** True for a trace of a Langfuse export with its observations in it. */
export function isLangfuseTrace(value: unknown): value is { observations: unknown[] } {
  return isObject(value) && Array.isArray(value.observations) && value.observations.every(isLangfuse)
}

/** Where OpenInference and the conventions have content, which Langfuse moves out of the attributes. */
const INPUTS = ['input.value', 'langfuse.observation.input']
const OUTPUTS = ['output.value', 'langfuse.observation.output']

/**
 * One observation (`{id, traceId, parentObservationId, type, name, startTime, endTime, input, output, metadata}`) as a span.
 * What another instrumentation wrote stands in `metadata.attributes` and `metadata.scope`; input and output go back to
 * where that instrumentation had them, so that its own dialect reads the span.
 */
export function readLangfuse(value: unknown): Converted {
  if (!isObject(value)) return { reason: 'not an object' }
  const id = textOf(value.id)
  const trace = textOf(value.traceId)
  if (id === undefined || trace === undefined)
    return { reason: `field "${id === undefined ? 'id' : 'traceId'}" is missing` }
  const parent = textOf(value.parentObservationId)
  const metadata = objectOf(value.metadata)
  const raw = objectOf(metadata.attributes)
  const attributes: Record<string, unknown> = {
    ...raw,
    'langfuse.observation.type': value.type,
    'native.id': id,
  }
  for (const name of INPUTS)
    if (value.input !== undefined && value.input !== null) attributes[name] ??= value.input
  for (const name of OUTPUTS)
    if (value.output !== undefined && value.output !== null) attributes[name] ??= value.output
  if (typeof value.model === 'string') attributes['langfuse.observation.model.name'] = value.model
  const failed = textOf(value.level) === 'ERROR'
  const span: Span = {
    traceId: hexId(trace, 32),
    spanId: hexId(id, 16),
    ...(parent === undefined ? {} : { parentSpanId: hexId(parent, 16) }),
    name: textOf(value.name) ?? String(value.type).toLowerCase(),
    kind: 'internal',
    startNanos: String(nanosOfTime(textOf(value.startTime) ?? '') ?? 0n),
    endNanos: String(nanosOfTime(textOf(value.endTime) ?? '') ?? 0n),
    status: failed ? { code: 'error', message: textOf(value.statusMessage) ?? 'error' } : { code: 'unset' },
    attributes: attributes as JsonObject,
    events: [],
    links: [],
    resource: objectOf(metadata.resourceAttributes) as JsonObject,
    scope: { name: textOf(objectOf(metadata.scope).name) ?? 'langfuse' },
  }
  return { span }
}

function objectOf(value: unknown): Record<string, unknown> {
  const read = unpacked(value)
  return isObject(read) ? read : {}
}
