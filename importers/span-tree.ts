import { canonicalJson } from '../model/hash.ts'
import type { Span } from '../otlp/span.ts'

/** A span and where it hangs. Times are nanoseconds; `end` is undefined if the exporter did not say. */
export type SpanNode = {
  span: Span
  start: bigint
  end: bigint | undefined
  parent: SpanNode | undefined
  children: SpanNode[]
  /** True if it names a parent that is not among the spans. */
  orphan: boolean
}

/**
 * Hangs spans of any number of traces into their trees, whatever order they come in. A span that came twice stands once;
 * a parent that is not there makes a root; a ring of parents is cut at its earliest span. Gives the nodes in the order of
 * their starts.
 */
export function growTrees(spans: readonly Span[]): SpanNode[] {
  const nodes = new Map<string, SpanNode>()
  for (const span of spans) {
    const key = `${span.traceId} ${span.spanId}`
    const known = nodes.get(key)
    if (known === undefined || saysMore(span, known.span)) nodes.set(key, nodeOf(span))
  }
  const ordered = [...nodes.values()].sort(byStart)
  for (const node of ordered) {
    const { traceId, parentSpanId } = node.span
    if (parentSpanId === undefined || parentSpanId === '') continue
    node.parent = nodes.get(`${traceId} ${parentSpanId}`)
    node.orphan = node.parent === undefined
  }
  cutRings(ordered)
  for (const node of ordered) node.parent?.children.push(node)
  return ordered
}

/** The nodes with every parent before its children; beside that, in the order of their starts. */
export function parentsFirst(nodes: readonly SpanNode[]): SpanNode[] {
  const out: SpanNode[] = []
  const waiting = nodes.filter(({ parent }) => parent === undefined).reverse()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    out.push(node)
    for (let index = node.children.length - 1; index >= 0; index--) waiting.push(node.children[index]!)
  }
  return out
}

/** The nearest node above, or the node itself, that the test accepts; looks no further than `limit` steps up. */
export function nearest(
  node: SpanNode | undefined,
  test: (node: SpanNode) => boolean,
  limit = 64,
): SpanNode | undefined {
  let at = node
  for (let step = 0; at !== undefined && step < limit; step++) {
    if (test(at)) return at
    at = at.parent
  }
  return undefined
}

const roots = new WeakMap<SpanNode, SpanNode>()

/** The node at the top of the tree in which a node stands. */
export function rootOf(node: SpanNode): SpanNode {
  const path: SpanNode[] = []
  let at = node
  while (at.parent !== undefined && !roots.has(at)) {
    path.push(at)
    at = at.parent
  }
  const root = roots.get(at) ?? at
  for (const each of path) roots.set(each, root)
  return root
}

const trees = new WeakMap<SpanNode, SpanNode[]>()

/** Every node of the tree in which a node stands, or of what hangs under it, in the order of their starts. */
export function everyNode(node: SpanNode, whole = true): readonly SpanNode[] {
  const root = whole ? rootOf(node) : node
  const known = trees.get(root)
  if (known !== undefined) return known
  const out: SpanNode[] = []
  const waiting = [root]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    out.push(at)
    for (const child of at.children) waiting.push(child)
  }
  out.sort(byStart)
  trees.set(root, out)
  return out
}

export function byStart(a: SpanNode, b: SpanNode): number {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1
  if (a.span.spanId !== b.span.spanId) return a.span.spanId < b.span.spanId ? -1 : 1
  return a.span.traceId < b.span.traceId ? -1 : 1
}

function nodeOf(span: Span): SpanNode {
  const end = nanosOf(span.endNanos)
  return {
    span,
    start: nanosOf(span.startNanos),
    end: end === 0n ? undefined : end,
    parent: undefined,
    children: [],
    orphan: false,
  }
}

function nanosOf(text: unknown): bigint {
  return typeof text === 'string' && /^\d{1,20}$/.test(text) ? BigInt(text) : 0n
}

/** Of two deliveries of one span the one that holds more counts, so that the order of arrival decides nothing. */
function saysMore(one: Span, other: Span): boolean {
  const a = canonicalJson(one)
  const b = canonicalJson(other)
  return a.length === b.length ? a < b : a.length > b.length
}

function cutRings(ordered: readonly SpanNode[]): void {
  const done = new Set<SpanNode>()
  for (const node of ordered) {
    const path = new Set<SpanNode>()
    let at: SpanNode | undefined = node
    while (at !== undefined && !done.has(at) && !path.has(at)) {
      path.add(at)
      at = at.parent
    }
    if (at !== undefined && path.has(at)) earliestOfRing(at).parent = undefined
    for (const each of path) done.add(each)
  }
}

function earliestOfRing(node: SpanNode): SpanNode {
  let earliest = node
  for (let at = node.parent!; at !== node; at = at.parent!) if (byStart(at, earliest) < 0) earliest = at
  return earliest
}
