import { createRequire } from 'node:module'
import type * as Api from '@opentelemetry/api'

/*
 * The way to OpenTelemetry. The API package is an optional peer and takes tens of milliseconds to load, so it is loaded
 * only when the program has itself registered something with it (a provider, a logger): with nothing registered there
 * is nobody to tell. The API keeps its registrations in a global, so our copy sees those of every other copy.
 */

const REGISTERED = Symbol.for('opentelemetry.js.api.1')

let api: typeof Api | undefined
let missing = false

/** A provider of handspan's own, for programs that have none; no other code ever gets spans from it. */
export type PrivateTracing = { api: typeof Api; tracer: Api.Tracer; flush: () => Promise<void> }

let ownTracing: PrivateTracing | undefined

/** Handoff spans go through this from now on, instead of the provider that the program has registered. */
export function setPrivateTracing(tracing: PrivateTracing | undefined): void {
  ownTracing = tracing
}

export function privateTracing(): PrivateTracing | undefined {
  return ownTracing
}

/** The API, if the program uses it. Asked anew every time, so that a late registration works. */
export function otel(): typeof Api | undefined {
  if (ownTracing !== undefined) return ownTracing.api
  if (api !== undefined || missing) return api
  if ((globalThis as Record<symbol, unknown>)[REGISTERED] === undefined) return undefined
  try {
    api = createRequire(import.meta.url)('@opentelemetry/api')
  } catch {
    missing = true
  }
  return api
}

/** Reports a problem of handspan itself to the diagnostic logger of OpenTelemetry; silent if there is none. */
export function report(level: 'warn' | 'error' | 'info', message: string): void {
  try {
    otel()?.diag[level](`handspan: ${message}`)
  } catch {
    // A logger that throws is the program's affair; the program goes on.
  }
}

/**
 * Does something of handspan's own so that no instrumentation of the program makes a span of it, under the key that
 * `suppressTracing` of @opentelemetry/core sets for exporters.
 */
export function untraced<T>(act: () => T): T {
  const loaded = otel()
  if (loaded === undefined) return act()
  const key = loaded.createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')
  return loaded.context.with(loaded.context.active().setValue(key, true), act)
}

/** The trace context of an event. */
export type TraceContext = { id: string; span: string }

/** The span that is active now; undefined if there is none. */
export function activeTrace(): TraceContext | undefined {
  try {
    const span = otel()?.trace.getActiveSpan()?.spanContext()
    return span && otel()?.isSpanContextValid(span) ? { id: span.traceId, span: span.spanId } : undefined
  } catch {
    return undefined
  }
}
