/** Digits of the two ids. */
export const TRACE_DIGITS = 32
export const SPAN_DIGITS = 16

/** The id in lower case; undefined unless it has that many hex digits and is not all zeros. */
export function validId(hex: string, digits: number): string | undefined {
  if (hex.length !== digits || !/^[0-9a-f]+$/i.test(hex) || /^0+$/.test(hex)) return undefined
  return hex.toLowerCase()
}

/** Why a span with these ids cannot be kept; undefined if it can. The parent may be missing. */
export function faultOfIds(traceId: string, spanId: string, parentSpanId: string): string | undefined {
  if (validId(traceId, TRACE_DIGITS) === undefined) return 'the trace id is not 16 bytes, or all zeros'
  if (validId(spanId, SPAN_DIGITS) === undefined) return 'the span id is not 8 bytes, or all zeros'
  if (/[^0]/.test(parentSpanId) && validId(parentSpanId, SPAN_DIGITS) === undefined) {
    return 'the parent span id is not 8 bytes'
  }
  return undefined
}
