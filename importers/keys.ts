import type { Span } from '../otlp/span.ts'
import { callsOf } from './calls.ts'
import { dialects } from './dialects/index.ts'
import { growTrees } from './span-tree.ts'

/** By what a span may be found to be of the same run as the spans of another trace. */
export type SpanKeys = {
  /** Ids of the provider: of an answer, of the calls in it, of the call of a tool. */
  ids: string[]
  /** The run that a span of handspan names. */
  run: string | undefined
}

/** Reads the keys of one span, alone. Never throws. */
export function keysOf(span: Span): SpanKeys {
  const [node] = growTrees([span])
  const reading = node && dialects.find((dialect) => dialect.recognises(node))?.read(node)
  if (reading === undefined) return { ids: [], run: undefined }
  const { model, tool, handoffs = [] } = reading
  const ids = [
    ...(model?.response === undefined ? [] : [model.response]),
    ...callsOf(model?.answer).flatMap(({ id }) => id ?? []),
    ...(tool?.call === undefined ? [] : [tool.call]),
    ...handoffs.flatMap(({ call }) => call ?? []),
  ]
  return { ids: [...new Set(ids)], run: handoffs.find(({ own }) => own !== undefined)?.own?.run }
}
