import { handoffAttributes as names } from '../../model/attributes.ts'
import { errorOf, text } from '../attributes.ts'
import type { Dialect } from '../dialect.ts'
import type { SpanNode } from '../span-tree.ts'

/** The spans that handspan writes beside its run log, one a side. They hold no content; the run log does. */
export const handspan: Dialect = {
  id: 'handspan',
  coverage: [
    {
      source: 'handspan',
      version: 'attributes 1',
      seen: 'RUN',
      evidence: 'explicit',
      from: '`handspan.source.name`',
      to: '`handspan.target.name`',
      payload: 'sizes, counts and hashes of both sides; content is in the run log only',
      ids: '`handspan.run.id`, `handspan.handoff.id` and attempt join the two sides over any number of traces',
      hidden:
        'content. Where the run log of the run is in the store too, the log is shown and these spans are not',
    },
  ],
  recognises: ({ span }) =>
    text(span, names.handoff.name) !== undefined && text(span, names.side.name) !== undefined,
  read({ span }) {
    const own = {
      run: text(span, names.run.name),
      handoff: text(span, names.handoff.name)!,
      attempt: attemptOf(span),
      side: text(span, names.side.name) === 'received' ? ('received' as const) : ('sent' as const),
      outcome: text(span, names.outcome.name),
      orphan: span.attributes[names.orphan.name] === true,
      payload: payloadOf(span),
      error: errorOf(span),
    }
    const from = text(span, names.source.name)
    const to = text(span, names.target.name)
    const call = text(span, names.toolCall.name)
    const reason = text(span, names.reason.name)
    return {
      handoffs: [
        {
          evidence: 'explicit',
          mode: text(span, names.mode.name) ?? 'transfer',
          own,
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
          ...(call === undefined ? {} : { call }),
          ...(reason === undefined ? {} : { reason }),
        },
      ],
    }
  },
}

function attemptOf(span: SpanNode['span']): number {
  const attempt = Number(span.attributes[names.attempt.name])
  return Number.isSafeInteger(attempt) && attempt > 0 ? attempt : 1
}

/** Sizes, counts and hashes, under their attribute names. */
function payloadOf(span: SpanNode['span']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(span.attributes).filter(([name]) =>
      /^handspan\.(sent|received|filtered|constraint|open_operation)\./.test(name),
    ),
  )
}
