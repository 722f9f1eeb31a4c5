import type { JsonObject } from '../../model/json.ts'
import { isObject, textOf } from '../../model/json.ts'
import type { Span } from '../../otlp/span.ts'
import { OPENAI_NATIVE_SCOPE } from '../dialects/openai-native.ts'
import { nanosOfTime } from '../time.ts'
import type { Converted } from './converted.ts'
import { hexId } from './ids.ts'

/** True for an entry of OpenAI's own trace export. */
export function isOpenAINative(value: unknown): boolean {
  return isObject(value) && (value.object === 'trace' || value.object === 'trace.span')
}

/**
 * One entry of OpenAI's own trace export (`{object: 'trace.span', id, trace_id, parent_id, started_at, ended_at, span_data,
 * error}`) as a span. Its ids are longer than those of OpenTelemetry: they are kept in `native.id` and `native.trace`.
 */
export function readOpenAINative(value: unknown): Converted {
  if (!isObject(value)) return { reason: 'not an object' }
  if (value.object === 'trace') return {}
  const id = textOf(value.id)
  const trace = textOf(value.trace_id)
  if (id === undefined || trace === undefined)
    return { reason: `field "${id === undefined ? 'id' : 'trace_id'}" is missing` }
  const parent = textOf(value.parent_id)
  const error = isObject(value.error) ? (textOf(value.error.message) ?? 'error') : textOf(value.error)
  const data = isObject(value.span_data) ? value.span_data : {}
  const span: Span = {
    traceId: hexId(trace, 32),
    spanId: hexId(id, 16),
    ...(parent === undefined ? {} : { parentSpanId: hexId(parent, 16) }),
    name: textOf(data.name) ?? textOf(data.type) ?? 'span',
    kind: 'internal',
    startNanos: String(nanosOfTime(textOf(value.started_at) ?? '') ?? 0n),
    endNanos: String(nanosOfTime(textOf(value.ended_at) ?? '') ?? 0n),
    status: error === undefined ? { code: 'unset' } : { code: 'error', message: error },
    attributes: { span_data: data as JsonObject, 'native.id': id, 'native.trace': trace },
    events: [],
    links: [],
    resource: {},
    scope: { name: OPENAI_NATIVE_SCOPE },
  }
  return { span }
}
