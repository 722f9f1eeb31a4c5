import { isObject, type JsonObject, listOf, textOf } from '../../model/json.ts'
import type { Span } from '../../otlp/span.ts'
import { nanosOfTime } from '../time.ts'
import type { Converted } from './converted.ts'
import { hexId } from './ids.ts'

/** True for a trace as a tree of spans (`{trace_id, spans: [{span_id, child_spans}]}`), the form of the TRAIL data set. */
export function isTrail(value: unknown): value is { spans: unknown[] } {
  return isObject(value) && Array.isArray(value.spans) && textOf(value.trace_id) !== undefined
}

/** Every span of such a tree. */
export function* readTrail(value: { spans: unknown[] }): Generator<Converted> {
  const trace = textOf((value as Record<string, unknown>).trace_id)!
  const waiting: { entry: unknown; parent: string | undefined }[] = []
  for (const entry of value.spans) waiting.push({ entry, parent: undefined })
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { entry, parent } = at
    const id = isObject(entry) ? textOf(entry.span_id) : undefined
    if (!isObject(entry) || id === undefined) {
      yield { reason: 'a span of the tree has no "span_id"' }
      continue
    }
    for (const child of listOf(entry.child_spans)) waiting.push({ entry: child, parent: id })
    yield { span: spanOf(entry, trace, id, parent) }
  }
}

function spanOf(entry: Record<string, unknown>, trace: string, id: string, above: string | undefined): Span {
  const parent = textOf(entry.parent_span_id) ?? above
  const start = nanosOfTime(textOf(entry.timestamp) ?? '') ?? 0n
  const length = secondsOf(textOf(entry.duration))
  const failed = /error/i.test(String(entry.status_code ?? ''))
  return {
    traceId: hexId(trace, 32),
    spanId: hexId(id, 16),
    ...(parent === undefined ? {} : { parentSpanId: hexId(parent, 16) }),
    name: textOf(entry.span_name) ?? 'span',
    kind: 'internal',
    startNanos: String(start),
    endNanos: length === undefined ? '0' : String(start + length),
    status: failed ? { code: 'error', message: textOf(entry.status_message) ?? 'error' } : { code: 'unset' },
    attributes: (isObject(entry.span_attributes) ? entry.span_attributes : {}) as JsonObject,
    events: [],
    links: [],
    resource: (isObject(entry.resource_attributes) ? entry.resource_attributes : {}) as JsonObject,
    scope: { name: textOf(entry.scope_name) ?? '' },
  }
}

/** Nanoseconds of an ISO 8601 duration of hours, minutes and seconds: `PT1M2.5S`. */
function secondsOf(duration: string | undefined): bigint | undefined {
  const match = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,9})\d*)?S)?$/.exec(duration ?? '')
  if (match === null) return undefined
  const [, hours = '0', minutes = '0', seconds = '0', fraction = ''] = match
  return (
    (BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(seconds)) * 1_000_000_000n +
    BigInt(fraction.padEnd(9, '0'))
  )
}
