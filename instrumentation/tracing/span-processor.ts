import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { batchedExport, type SpanTarget } from './export-spans.ts'

/** Which spans are sent where. */
export type SpanProcessorOptions = SpanTarget & {
  /**
   * `handspan` sends the spans of handoffs, which hold no content. `all` sends those of every instrumentation to the same
   * server, with whatever content they carry, so that it can read handoffs out of them. Default `handspan`.
   */
  spans?: 'handspan' | 'all'
}

/** Name of the tracer of handoff spans. */
const SCOPE = 'handspan'

/** How long a batch is tried before it is given up; run-log events are never given up. */
const TIMEOUT_MS = 30_000

/**
 * A span processor for the provider that the program has. Throws if a package of OpenTelemetry is not installed, or the
 * address is none.
 */
export function handspanSpanProcessor(options: SpanProcessorOptions = {}): SpanProcessor {
  const batches = batchedExport(options, TIMEOUT_MS, false)
  const wanted = (span: ReadableSpan) => options.spans === 'all' || span.instrumentationScope.name === SCOPE
  return {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd: (span) => {
      if (wanted(span)) batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
}
