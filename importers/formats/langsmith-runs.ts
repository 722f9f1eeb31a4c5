import { isObject, type JsonObject, textOf } from '../../model/json.ts'
import type { Span } from '../../otlp/span.ts'
import { nanosOfTime } from '../time.ts'
import type { Converted } from './converted.ts'
import { hexId } from './ids.ts'

/** True for a run of a LangSmith export. */
export function isLangSmithRun(value: unknown): boolean {
  return isObject(value) && typeof value.run_type === 'string' && 'start_time' in value
}

/**
 * One run (`{id, trace_id, parent_run_id, name, run_type, inputs, outputs, error, start_time, end_time, extra.metadata}`) as
 * the span that LangSmith's own OpenTelemetry exporter would write.
 */
export function readLangSmithRun(value: unknown): Converted {
  if (!isObject(value)) return { reason: 'not an object' }
  const id = textOf(value.id)
  if (id === undefined) return { reason: 'field "id" is missing' }
  const parent = textOf(value.parent_run_id)
  const trace = textOf(value.trace_id) ?? firstOf(textOf(value.dotted_order)) ?? id
  const extra = isObject(value.extra) ? value.extra : {}
  const metadata = isObject(extra.metadata) ? extra.metadata : {}
  const error = textOf(value.error)
  const attributes: Record<string, unknown> = {
    'langsmith.span.kind': value.run_type,
    'native.id': id,
    ...(value.inputs === undefined ? {} : { 'gen_ai.prompt': value.inputs }),
    ...(value.outputs === undefined ? {} : { 'gen_ai.completion': value.outputs }),
  }
  for (const [name, entry] of Object.entries(metadata)) attributes[`langsmith.metadata.${name}`] = entry
  const span: Span = {
    traceId: hexId(trace, 32),
    spanId: hexId(id, 16),
    ...(parent === undefined ? {} : { parentSpanId: hexId(parent, 16) }),
    name: textOf(value.name) ?? String(value.run_type),
    kind: 'internal',
    startNanos: nanosOf(value.start_time),
    endNanos: nanosOf(value.end_time),
    status: error === undefined ? { code: 'unset' } : { code: 'error', message: error },
    attributes: attributes as JsonObject,
    events: [],
    links: [],
    resource: {},
    scope: { name: 'langsmith' },
  }
  return { span }
}

/** A time without a zone is UTC; a number is milliseconds. */
function nanosOf(time: unknown): string {
  if (typeof time === 'number' && Number.isFinite(time) && time > 0) return `${Math.round(time)}000000`
  return String(nanosOfTime(textOf(time) ?? '') ?? 0n)
}

/** `20240101T…Z<root id>.20240101T…Z<child id>`: the first id is the trace. */
function firstOf(dotted: string | undefined): string | undefined {
  return dotted
    ?.split('.')
    .find((part) => part.includes('Z'))
    ?.split('Z')[1]
}
