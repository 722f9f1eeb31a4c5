import { formatOf, readEntries } from '../../importers/index.ts'
import type { Span } from '../../otlp/span.ts'
import { textOfTrace } from './traces.ts'

/** The spans of an export that is not OTLP. */
export function nativeSpans(file: string): Span[] {
  const text = textOfTrace(file)
  const value = JSON.parse(text)
  return [...readEntries(value, formatOf(value)!, text)].flatMap(({ span }) => span ?? [])
}
