import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importRuns, importSpans } from '../../importers/index.ts'
import { parseEvent } from '../../model/parse-event.ts'
import type { Span } from '../../otlp/span.ts'
import { analyse } from '../../replay/analyse.ts'
import { nativeSpans } from './native.ts'
import { recorded, spansOfTrace } from './traces.ts'

const traces = [...recorded.map((name) => spansOfTrace(name)), nativeSpans('triage.native.json')]

describe('spans in any order', () => {
  it('give the same run, shuffled and delivered again', () => {
    fc.assert(
      fc.property(
        fc
          .constantFrom(...traces)
          .chain((spans) =>
            fc.tuple(
              fc.constant(spans),
              fc.shuffledSubarray(spans, { minLength: spans.length }),
              fc.subarray(spans),
            ),
          ),
        ([spans, shuffled, again]) => {
          expect(importRuns([...again, ...shuffled])).toEqual(importRuns(spans))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('give events that a run log may hold, numbered in their order, however many are missing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...traces).chain((spans) => fc.shuffledSubarray(spans)),
        (some) => {
          for (const { events } of importRuns(some)) {
            expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
            expect(events.every((event) => parseEvent(event).event !== undefined)).toBe(true)
            expect(() => analyse(events)).not.toThrow()
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('of a part tell no handoff that the whole does not tell', () => {
    const edges = (spans: readonly Span[]) =>
      importSpans(spans).events.flatMap(({ kind, from, to, mode }) =>
        kind === 'handoff.sent' && to !== undefined && from !== undefined ? [`${from} ${to} ${mode}`] : [],
      )
    fc.assert(
      fc.property(
        fc.constantFrom(...traces).chain((spans) => fc.tuple(fc.constant(spans), fc.subarray(spans))),
        ([spans, some]) => {
          const known = new Set(edges(spans))
          expect(edges(some).filter((edge) => !known.has(edge))).toEqual([])
        },
      ),
      { numRuns: 60 },
    )
  })
})

const NAMES = [...new Set(traces.flat().flatMap(({ attributes }) => Object.keys(attributes)))]
const SCOPES = [...new Set(traces.flat().map(({ scope }) => scope.name))]
const ids = fc.constantFrom('1', '2', '3', '4', '5').map((digit) => digit.repeat(16))
const wild = fc.oneof(
  fc.jsonValue(),
  fc.string(),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom('{"output":', '[{"role":1}]', '{"messages":[[null]]}', '[[[]]]', '__proto__'),
)

const span: fc.Arbitrary<Span> = fc.record({
  traceId: fc.constantFrom('a'.repeat(32), 'b'.repeat(32)),
  spanId: ids,
  parentSpanId: fc.option(ids, { nil: undefined as never }),
  name: fc.oneof(
    fc.string(),
    fc.constantFrom('call_llm', 'handoff to x', 'execute_tool y', 'agent_run [z]', 'Task'),
  ),
  kind: fc.constant('internal' as const),
  startNanos: fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String), fc.string()),
  endNanos: fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String), fc.constant('0')),
  status: fc.constantFrom({ code: 'ok' as const }, { code: 'error' as const, message: 'boom' }),
  attributes: fc.dictionary(fc.constantFrom(...NAMES), wild as fc.Arbitrary<never>, { maxKeys: 8 }),
  events: fc.array(
    fc.record({
      name: fc.constantFrom('gen_ai.user.message', 'gen_ai.choice', 'exception'),
      timeNanos: fc.constant('1'),
      attributes: fc.dictionary(fc.constantFrom('content', 'message', 'id'), wild as fc.Arbitrary<never>),
    }),
    { maxLength: 2 },
  ),
  links: fc.array(
    fc.record({ traceId: fc.constant('a'.repeat(32)), spanId: ids, attributes: fc.constant({}) }),
    {
      maxLength: 2,
    },
  ),
  resource: fc.dictionary(fc.constant('service.name'), wild as fc.Arbitrary<never>),
  scope: fc.record({
    name: fc.constantFrom(...SCOPES, 'strands-agents', 'langsmith', 'agent_framework', ''),
  }),
})

describe('spans of anybody', () => {
  it('never make it throw, whatever their attributes and parents are, and the order decides nothing', () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 12 }), (spans) => {
        const runs = importRuns(spans)
        for (const { events } of runs)
          expect(events.every((event) => parseEvent(event).event !== undefined)).toBe(true)
        expect(importRuns([...spans].reverse())).toEqual(runs)
      }),
      { numRuns: 400 },
    )
  })

  it('are read in time that grows with their number', () => {
    const chain = Array.from({ length: 20_000 }, (_, index): Span => {
      const id = (index + 1).toString(16).padStart(16, '0')
      const kind = ['AGENT', 'LLM', 'TOOL'][index % 3]!
      return {
        ...traces[0]![0]!,
        traceId: 'c'.repeat(32),
        spanId: id,
        ...(index === 0 ? {} : { parentSpanId: index.toString(16).padStart(16, '0') }),
        name: kind,
        startNanos: String(1_795_978_000_000_000_000n + BigInt(index)),
        endNanos: String(1_795_978_000_000_000_000n + BigInt(index)),
        attributes: { 'openinference.span.kind': kind, 'agent.name': `a${index % 7}` },
        scope: { name: 'x' },
      }
    })
    expect(importRuns(chain)).toHaveLength(1)
  })
})
