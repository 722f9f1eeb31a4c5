// Sending spans of handoffs, through the program's own provider or a private one.

export type { SpanTarget } from './export-spans.ts'
export { type RegisterOptions, type Registration, register } from './register.ts'
export { handspanSpanProcessor, type SpanProcessorOptions } from './span-processor.ts'
