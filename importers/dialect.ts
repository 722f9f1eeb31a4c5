import type { Evidence, Reading } from './reading.ts'
import type { SpanNode } from './span-tree.ts'

/** How sure we are of a line: real software was run, recorded data was read, its source was read, or only a part was seen. */
export type Seen = 'RUN' | 'REC' | 'SRC' | 'PART'

/** One line of the table in docs/foreign-spans.md: what spans of one source let handspan know. */
export type Coverage = {
  source: string
  version: string
  seen: Seen
  /** `none`: its spans show no handoff. */
  evidence: Evidence | 'none'
  from: string
  to: string
  payload: string
  ids: string
  /** What cannot be seen, or is not believed. */
  hidden: string
}

/** One way of writing spans. */
export type Dialect = {
  id: string
  /** The framework that the spans are of, for the label of the run; undefined if they can be of any. */
  framework?: string
  coverage: Coverage[]
  /** True if the span is written in this dialect. The first dialect of the registry that says so reads it. */
  recognises(node: SpanNode): boolean
  /** What the span says. Never throws, whatever the attributes hold. */
  read(node: SpanNode): Reading
}
