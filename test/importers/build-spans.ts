import type { JsonObject } from '../../model/json.ts'
import type { Span, SpanEvent, SpanLink, SpanStatus } from '../../otlp/span.ts'

/** What a test says of a span; the rest is made up. `at` and `until` are milliseconds. */
export type Sketch = {
  name: string
  /** Its id, and what children call their parent. Default: its name. */
  id?: string
  under?: string
  at?: number
  until?: number
  scope?: string
  attributes?: JsonObject
  events?: [name: string, attributes: JsonObject][]
  links?: string[]
  error?: string
  trace?: string
}

const START = 1_795_978_000_000n

/** Spans of one trace, each a millisecond after the one before unless it says otherwise. */
export function spansOf(scope: string, sketches: readonly Sketch[], trace = 'a'.repeat(32)): Span[] {
  return sketches.map((sketch, index) => {
    const at = sketch.at ?? index * 10
    return {
      traceId: sketch.trace ?? trace,
      spanId: idOf(sketch.id ?? sketch.name),
      ...(sketch.under === undefined ? {} : { parentSpanId: idOf(sketch.under) }),
      name: sketch.name,
      kind: 'internal',
      startNanos: nanos(at),
      endNanos: nanos(sketch.until ?? at + 5),
      status: statusOf(sketch.error),
      attributes: sketch.attributes ?? {},
      events: (sketch.events ?? []).map(
        ([name, attributes]): SpanEvent => ({ name, timeNanos: nanos(at), attributes }),
      ),
      links: (sketch.links ?? []).map(
        (id): SpanLink => ({ traceId: sketch.trace ?? trace, spanId: idOf(id), attributes: {} }),
      ),
      resource: { 'service.name': 'test' },
      scope: { name: sketch.scope ?? scope, version: '1' },
    }
  })
}

function statusOf(error: string | undefined): SpanStatus {
  return error === undefined ? { code: 'unset' } : { code: 'error', message: error }
}

function nanos(milliseconds: number): string {
  return String((START + BigInt(Math.round(milliseconds))) * 1_000_000n)
}

/** A readable name as 16 hex digits. */
export function idOf(name: string): string {
  let hash = 0xcbf29ce484222325n
  for (const character of name)
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0)!)) * 0x100000001b3n)
  return hash.toString(16).padStart(16, '0')
}

/** A list of messages as the GenAI conventions write it into one attribute. */
export function genAIMessages(...messages: [role: string, ...parts: (string | JsonObject)[]][]): string {
  return JSON.stringify(
    messages.map(([role, ...parts]) => ({
      role,
      parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', content: part } : part)),
    })),
  )
}
