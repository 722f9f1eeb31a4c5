import { keysOf } from '../importers/index.ts'
import type { Span } from '../otlp/span.ts'
import { hash64 } from './hash64.ts'
import type { Row } from './table.ts'

/** A span, its identity, and its row in base.spans. */
export type SpanRow = { id: bigint; trace: string; row: Row }

const LARGEST = 2n ** 63n - 1n

/** The row of a span. `line` is the span as JSON, as it was written or is written now. */
export function readSpanRow(span: Span, line: string, bytes: number, source: string): SpanRow {
  const { traceId: trace, spanId } = span
  const id = hash64(`${trace}\n${spanId}`)
  const { ids, run } = keysOf(span)
  const started = nanosOf(span.startNanos)
  const row: Row = {
    id,
    trace,
    span: spanId,
    parent: span.parentSpanId ?? null,
    name: span.name,
    scope: span.scope.name,
    started,
    ended: nanosOf(span.endNanos),
    keys: ids.map(hash64),
    named_run: run ?? null,
    run: null,
    source,
    bytes,
    line,
  }
  return { id, trace, row }
}

function nanosOf(text: unknown): bigint {
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) return 0n
  const nanos = BigInt(text)
  return nanos > LARGEST ? LARGEST : nanos
}
