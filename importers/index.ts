/** Foreign spans as run logs. */
export type { Coverage, Dialect, Seen } from './dialect.ts'
export { dialects } from './dialects/index.ts'
export { formatOf, isSpan, readDecoded, readEntries, type SpanFormat } from './formats/index.ts'
export { type ImportedRun, importRuns, importSpans } from './import-spans.ts'
export { keysOf, type SpanKeys } from './keys.ts'
export type { Note } from './notes.ts'
