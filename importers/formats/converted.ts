import type { Span } from '../../otlp/span.ts'

/** One entry of an export: the span it stands for, nothing if it stands for none, or why it cannot be read. */
export type Converted = { span?: Span; reason?: string }
