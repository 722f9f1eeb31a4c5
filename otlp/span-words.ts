import type { SpanKind, SpanStatus } from './span.ts'

const KINDS: readonly SpanKind[] = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']
const CODES: readonly SpanStatus['code'][] = ['unset', 'ok', 'error']

/** The word for a SpanKind; a number of a later version is `unspecified`. */
export function kindOf(number: unknown): SpanKind {
  return KINDS[Number(number)] ?? 'unspecified'
}

export function statusOf(code: unknown, message: string): SpanStatus {
  const status: SpanStatus = { code: CODES[Number(code)] ?? 'unset' }
  if (message !== '') status.message = message
  return status
}
