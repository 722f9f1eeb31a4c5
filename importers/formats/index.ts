import { isObject } from '../../model/json.ts'
import { spansOfJson } from '../../otlp/decode-json.ts'
import type { Refused } from '../../otlp/refused.ts'
import type { Span } from '../../otlp/span.ts'
import type { Converted } from './converted.ts'
import { isLangfuse, isLangfuseTrace, readLangfuse } from './langfuse.ts'
import { isLangSmithRun, readLangSmithRun } from './langsmith-runs.ts'
import { isOpenAINative, readOpenAINative } from './openai-native.ts'
import { isTrail, readTrail } from './trail.ts'

/*
 * Files with spans of others. An entry is what one JSON document, or one line of a file of JSON lines, holds.
 */

/** What a document or line was recognised as. */
export type SpanFormat = 'otlp' | 'span' | 'openai-native' | 'langfuse' | 'langsmith' | 'trail'

/** The format of a decoded document or line; undefined if it holds no spans in any form that is read. */
export function formatOf(value: unknown): SpanFormat | undefined {
  if (isObject(value) && Array.isArray(value.resourceSpans)) return 'otlp'
  if (isSpan(value)) return 'span'
  if (isTrail(value)) return 'trail'
  if (isLangfuseTrace(value)) return 'langfuse'
  const first = entriesOf(value)[0]
  if (isOpenAINative(first)) return 'openai-native'
  if (isLangSmithRun(first)) return 'langsmith'
  if (isLangfuse(first) || isLangfuseTrace(first)) return 'langfuse'
  if (isObject(first) && Array.isArray(first.resourceSpans)) return 'otlp'
  return isTrail(first) ? 'trail' : undefined
}

/**
 * The spans that a document or line of that format holds; in place of one that cannot be read why not. `text` is what the
 * value was decoded from: numbers beyond what JavaScript holds are read from there. Never throws.
 */
export function* readEntries(value: unknown, format: SpanFormat, text: string): Generator<Converted> {
  if (format === 'otlp') {
    if (isObject(value) && Array.isArray(value.resourceSpans)) {
      yield* readDecoded(spansOfJson(Buffer.from(text)))
      return
    }
    for (const request of entriesOf(value)) {
      yield* readDecoded(spansOfJson(Buffer.from(JSON.stringify(request))))
    }
    return
  }
  if (format === 'span') {
    yield { span: value as Span }
    return
  }
  for (const entry of entriesOf(value)) {
    if (format === 'openai-native') yield readOpenAINative(entry)
    else if (format === 'langsmith') yield readLangSmithRun(entry)
    else if (format === 'trail' && isTrail(entry)) yield* readTrail(entry)
    else if (isLangfuseTrace(entry)) for (const each of entry.observations) yield readLangfuse(each)
    else if (format === 'langfuse') yield readLangfuse(entry)
  }
}

/** The spans of an OTLP request that is being decoded. Never throws. */
export function* readDecoded(request: Iterable<Span | Refused>): Generator<Converted> {
  try {
    for (const span of request) {
      yield 'refused' in span ? { reason: span.refused } : { span }
    }
  } catch (error) {
    yield { reason: (error as Error).message }
  }
}

/** True for a span in the form of otlp/span.ts, as the receiver writes it into the spool. */
export function isSpan(value: unknown): value is Span {
  return (
    isObject(value) &&
    typeof value.traceId === 'string' &&
    typeof value.spanId === 'string' &&
    typeof value.name === 'string' &&
    isObject(value.attributes) &&
    isObject(value.scope) &&
    isObject(value.status) &&
    isObject(value.resource) &&
    Array.isArray(value.events) &&
    value.events.every(
      (event) => isObject(event) && typeof event.name === 'string' && isObject(event.attributes),
    ) &&
    Array.isArray(value.links) &&
    value.links.every((link) => isObject(link) && typeof link.spanId === 'string')
  )
}

/** A document is one entry, a list of them, or a page of an API with the list in it. */
function entriesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return [value]
  for (const field of ['data', 'runs', 'observations']) if (Array.isArray(value[field])) return value[field]
  return [value]
}
