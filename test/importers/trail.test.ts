import { describe, expect, it } from 'vitest'
import { formatOf, importRuns, readEntries } from '../../importers/index.ts'
import type { Span } from '../../otlp/span.ts'
import { recorded, spansOfTrace } from './traces.ts'

/*
 * The form of the TRAIL data set (patronus-ai/trail-benchmark): a trace as a tree of spans, with ISO times and durations.
 * Its files are not here; real exports are told in its form instead.
 */

type Node = { [field: string]: unknown; span_id: string; child_spans: Node[] }

function treeOf(spans: readonly Span[]): { trace_id: string; spans: Node[] } {
  const nodes = new Map(spans.map((span) => [span.spanId, nodeOf(span)]))
  const roots: Node[] = []
  for (const { spanId, parentSpanId } of spans) {
    const above = parentSpanId === undefined ? undefined : nodes.get(parentSpanId)
    ;(above?.child_spans ?? roots).push(nodes.get(spanId)!)
  }
  return { trace_id: spans[0]!.traceId, spans: roots }
}

function nodeOf(span: Span): Node {
  const nanos = BigInt(span.endNanos) - BigInt(span.startNanos)
  const fraction = (of: bigint) => String(of % 1_000_000_000n).padStart(9, '0')
  const minutes = nanos / 60_000_000_000n
  const seconds = (nanos / 1_000_000_000n) % 60n
  const started = new Date(Number(BigInt(span.startNanos) / 1_000_000n)).toISOString().slice(0, 19)
  return {
    span_id: span.spanId,
    parent_span_id: span.parentSpanId ?? null,
    span_name: span.name,
    span_kind: 'Internal',
    status_code: span.status.code === 'error' ? 'Error' : 'Ok',
    status_message: span.status.message ?? '',
    timestamp: `${started}.${fraction(BigInt(span.startNanos))}Z`,
    duration: `PT${minutes > 0n ? `${minutes}M` : ''}${seconds}.${fraction(nanos)}S`,
    span_attributes: span.attributes,
    resource_attributes: span.resource,
    scope_name: span.scope.name,
    child_spans: [],
  }
}

function read(value: object) {
  return [...readEntries(value, formatOf(value)!, JSON.stringify(value))]
}

describe('a trace in the form of TRAIL', () => {
  it.each(recorded.filter((name) => name.includes('openinference')))(
    'tells %s as its own export does',
    (name) => {
      const spans = spansOfTrace(name)
      const own = importRuns(spans)
      const told = read(treeOf(spans)).flatMap(({ span }) => span ?? [])
      const essence = ({ traceId, spanId, parentSpanId, name, startNanos, endNanos, attributes }: Span) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        startNanos,
        endNanos,
        attributes,
      })
      const sorted = (list: readonly Span[]) =>
        list.map(essence).sort((a, b) => (a.spanId < b.spanId ? -1 : 1))
      expect(sorted(told)).toEqual(sorted(spans))
      expect(importRuns(told).map(({ events }) => events)).toEqual(own.map(({ events }) => events))
      expect(own[0]!.events.some(({ kind }) => kind === 'handoff.received')).toBe(true)
    },
  )

  it('says which of its spans cannot be read, and reads those around it', () => {
    const tree = treeOf(spansOfTrace('triage.openinference'))
    const { span_id: _, ...nameless } = tree.spans[0]!
    const answers = read({ ...tree, spans: [nameless, ...tree.spans] })
    expect(answers.filter((one) => 'reason' in one)).toEqual([
      { reason: 'a span of the tree has no "span_id"' },
    ])
    expect(answers.filter((one) => 'span' in one)).toHaveLength(spansOfTrace('triage.openinference').length)
  })
})
